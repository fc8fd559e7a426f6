"""What to do about each sort of problem: one row a diagnostic code."""

from __future__ import annotations

__all__ = ["REMEDIES", "remedy_for"]

REMEDIES = {
    "block-duplicate": "keep one of the two blocks and remove the markers of the other",
    "block-nested": "end the outer block before the inner one begins",
    "block-stray-end": "remove the end marker, or put its begin marker back",
    "block-unclosed": "put the end marker back; the page is left alone until then",
    "context-long": "shorten `context:` in the front matter; the rest is not told",
    "confirmation-unread": "write `confirm f-…`, or a path in backticks, or `all imported`",
    "core-over-budget": "shorten memory.md, or raise reflect.core_token_budget",
    "comment-unclosed": "close the comment with -->",
    "confidence-not-a-number": "write the confidence as a number: O(c=0.9)",
    "confidence-out-of-range": "write the confidence between 0 and 1: O(c=0.9)",
    "date-invalid": "rename the file to the day it was written",
    "decision-unread": "write `accept p-…` or `reject p-… (day: reason)`",
    "extra-path-missing": "create it, or take it out of workspace.extra_paths",
    "fact-empty": "write a sentence after the kind and the names, or remove the line",
    "front-matter-duplicate": "keep the key once",
    "front-matter-unread": "write `key: value`, or a list on one line",
    "generator-failed": "the cited lines stand without it; check the generator settings",
    "hand-edit-kept": "nothing to do; move the lines where you want them",
    "identity-circle": "remove one of the joins named above from bank/identity.md",
    "identity-contradiction": "remove the join or the `distinct` line from bank/identity.md",
    "identity-two-pages": "keep the alias on one of the pages",
    "identity-two-targets": "remove the line that does not hold",
    "identity-unknown-name": "correct the name, or remove the line",
    "kind-missing": "put W, B, O or S before the first name; it is read as W until then",
    "kind-unknown": "use W (world), B (experience), O (opinion) or S (observation)",
    "ledger-unread": "write alias, merge, split, distinct, rename or dismiss, then the @names",
    "lone-cr": "save the file with LF or CRLF line ends",
    "name-not-utf8": "rename the file with a UTF-8 name",
    "nested-workspace": "name it in workspace.extra_paths to read it here, too",
    "not-a-file": "move it out of the memory folders",
    "not-a-folder": "name a folder or a Markdown file in workspace.extra_paths",
    "opinion-pin": "write the pin as a number: pin: 0.8",
    "not-forgotten": "cut it by hand, or run lorebank forget again",
    "origin-unknown": "write owner, agent, session, imported or untrusted, or rename the key",
    "not-committed": "mend what git says, then commit the pages yourself",
    "page-busy": "run reflect again when the page is at rest",
    "page-skipped": "put a plain UTF-8 file there; reflect leaves the page alone until then",
    "proposal-unread": "delete the block; reflect proposes it again while its evidence stands",
    "private-unclosed": "close the span with </private>; nothing after it is read until then",
    "question-setting": "mend that setting in the page's front matter",
    "secret-redacted": "nothing to do; it stands in your file alone, where it may be taken out",
    "sentence-dropped": "nothing to do; what a model wrote and its lines do not say is left out",
    "ruling-unread": "write `f-… for|against|unrelated o-… (day: reason)`, the ids whole",
    "symlink-ignored": "put the file itself there; links are never followed",
    "unreadable": "check its permissions and that it is still there",
    "vanish-limit": "bring the missing logs back, or let the entries go with reflect --force",
    "utf8-invalid": "save the file as UTF-8; until then odd bytes are read as �",
}


def remedy_for(code: str) -> str:
    """What to do about a problem of this sort."""
    return REMEDIES.get(code, "open the place named above and mend the line")
