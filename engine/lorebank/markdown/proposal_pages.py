"""Pages of proposals: one managed block an open proposal, written for a person and parsed back.

    <!-- lorebank:begin p-3f2a1b2c sha=… -->
    ### Add to `memory.md`

    ```diff
    +- Peter: Prefers concise replies on WhatsApp. (memory/2025-12-09.md#L12)
    ```

    Said on 4 days from 2025-11-18 to 2025-12-09, confidence 0.86. · `p-3f2a1b2c`

    - 2025-11-18 · Prefers short … ([memory/2025-11-18.md#L8](…), `f-0123456789`)
    <!-- lorebank:end p-3f2a1b2c -->

Accepting does what the lines of the diff say, as they stand on the page then: a person may mend the
line first. What was decided is kept in a ledger, `bank/proposals/decisions.md`:

    - reject p-3f2a1b2c on f-0123456789 f-9876543210 (2026-01-04: reason)
    - accept p-91bc02d4 as `["memory.md", 9, [], ["- Peter: …"]]` (2026-01-04 by Ana)

What an accepted edit took out and put in, with its line, stands there so that it can be undone.
A proposal that was decided on comes back only with evidence that its line does not name; deleting
the line takes the decision back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import field
from datetime import date
from posixpath import commonprefix
from typing import NamedTuple

from lorebank.domain.facts import Citation, Diagnostic
from lorebank.domain.judgments import Ground, Proposal, ProposalAction
from lorebank.markdown.blocks import Block, find_blocks
from lorebank.markdown.ledger import note_text, read_decisions, signed, split_note, split_signature
from lorebank.markdown.plain import citation_link, escape_inline, unescape_inline
from lorebank.records import Record

CORE_PROPOSALS = "bank/proposals/memory.md"
LOG_PROPOSALS = "bank/proposals/logs.md"
AGENT_PROPOSALS = "bank/proposals/agents.md"
DECISIONS_PATH = "bank/proposals/decisions.md"
REFLECTED_PROPOSALS = (CORE_PROPOSALS, LOG_PROPOSALS)
"""Those that reflect makes of facts; only the owner sees what agents ask for."""
PROPOSAL_PAGES = {
    CORE_PROPOSALS: "# Proposals for the core memory\n",
    LOG_PROPOSALS: "# Proposals for the logs\n",
    AGENT_PROPOSALS: "# Asked for by agents\n",
}
"""Path → what a new page begins with."""

_ID = re.compile(r"p-[0-9a-f]{8}\Z")
_TITLES = {
    ProposalAction.ADD: "Add to",
    ProposalAction.REPLACE: "Replace in",
    ProposalAction.REMOVE: "Remove from",
    ProposalAction.RETAIN: "Retain in",
}
_HEADING = re.compile(rf"### (?P<title>{'|'.join(_TITLES.values())}) `(?P<target>[^`]+)`\s*\Z")
_FENCE = re.compile(r"(?P<mark>`{3,})diff\s*\Z")
_WHY = re.compile(r"(?P<why>.*?)\s*·\s*`p-[0-9a-f]{8}`\s*\Z")
_GROUND = re.compile(
    r"- (?:(?P<day>\d{4}-\d\d-\d\d) · )?(?P<content>.*)"
    r" \(\[(?P<source>.+?#L\d+(?:-L\d+)?)\]\([^)]*\)(?:, `(?P<fact>f-[0-9a-f]{10})`)?\)\s*\Z"
)
_RULING = re.compile(
    r"\s*`?(?P<verb>accept|reject)(?:ed)?`?\s+`?(?P<id>p-[0-9a-f]{8})`?"
    r"(?:\s+on(?P<facts>(?:\s+`?f-[0-9a-f]{10}`?)+))?"
    r"(?:\s+as\s+`(?P<edit>\[[^`\n]*\])`)?(?P<rest>.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
_FACT_ID = re.compile(r"f-[0-9a-f]{10}")


class LineEdit(NamedTuple):
    """Lines of a file that went, and those that came in their place."""

    path: str
    line: int  # 1-based
    old: tuple[str, ...]
    new: tuple[str, ...]

    @classmethod
    def between(cls, path: str, before: str, after: str) -> LineEdit:
        """The one stretch in which two texts of a file differ."""
        old, new = before.split("\n"), after.split("\n")
        start = len(commonprefix([old, new]))
        end = len(commonprefix([old[start:][::-1], new[start:][::-1]]))
        stop, last = len(old) - end, len(new) - end
        return cls(path, start + 1, tuple(old[start:stop]), tuple(new[start:last]))

    def undone(self, text: str) -> str | None:
        """The text before the edit; `None` where what came in stands there no longer."""
        lines = text.split("\n")
        start, stop = self.line - 1, self.line - 1 + len(self.new)
        if tuple(lines[start:stop]) != self.new:
            return None
        return "\n".join([*lines[:start], *self.old, *lines[stop:]])


class ProposalRuling(Record):
    """What a person decided on a proposal, and the facts it stood on then."""

    id: str
    accepted: bool
    fact_ids: frozenset[str]
    day: date | None = None
    reason: str = ""
    by: str = ""  # who decided; empty where the line does not say
    edit: LineEdit | None = None  # what accepting it did to the file
    citation: Citation | None = field(default=None, compare=False)  # of the line itself


def is_proposal_block(name: str) -> bool:
    return _ID.match(name) is not None


def fits_on_page(line: str) -> bool:
    """Whether a line can stand in a proposal: one printable line without markers of blocks."""
    return "lorebank:" not in line and "\n" not in line and "\r" not in line


def render_proposal(proposal: Proposal, page: str) -> str:
    lines = [f"-{line}" for line in proposal.old.split("\n")] if proposal.old else []
    lines += [f"+{proposal.new}"] if proposal.new else []
    runs = [len(run) for line in lines for run in re.findall("`+", line)]
    fence = "`" * max(3, *(run + 1 for run in runs)) if runs else "```"
    parts = [
        f"### {_TITLES[proposal.action]} `{proposal.target}`",
        "\n".join([f"{fence}diff", *lines, fence]),
        f"{escape_inline(proposal.why)} · `{proposal.id}`",
    ]
    if proposal.grounds:
        parts.append("\n".join(_ground_line(ground, page) for ground in proposal.grounds))
    return "\n\n".join(parts)


def _ground_line(ground: Ground, page: str) -> str:
    day = f"{ground.day.isoformat()} · " if ground.day else ""
    fact = f", `{ground.fact_id}`" if ground.fact_id else ""
    link = citation_link(ground.source, page)
    return f"- {day}{escape_inline(ground.content)} ({link}{fact})"


def parse_proposals(text: str, path: str) -> tuple[tuple[Proposal, ...], tuple[Diagnostic, ...]]:
    """The open proposals of a page in order, and blocks that can no longer be read as one."""
    blocks, problems = find_blocks(text, path)
    diagnostics = list(problems)
    proposals: list[Proposal] = []
    for block in blocks:
        if not is_proposal_block(block.name):
            continue
        found = _proposal(block)
        if found is None:
            message = f"{block.name} is no proposal any more; it needs its heading and its diff"
            diagnostics.append(Diagnostic(path, block.first_line, "proposal-unread", message))
        else:
            proposals.append(found)
    return tuple(proposals), tuple(diagnostics)


def _proposal(block: Block) -> Proposal | None:
    action: ProposalAction | None = None
    target = why = fence = ""
    old: list[str] = []
    new: list[str] = []
    grounds: list[Ground] = []
    for raw in block.body.split("\n"):
        line = raw.removesuffix("\r")
        if fence:
            if line.rstrip() == fence:
                fence = ""
            elif line[:1] in ("-", "+"):
                (old if line[0] == "-" else new).append(line[1:])
        elif opened := _FENCE.match(line):
            fence = opened["mark"]
        elif (heading := _HEADING.match(line)) and action is None:
            action = next(a for a, title in _TITLES.items() if title == heading["title"])
            target = heading["target"]
        elif (ground := _GROUND.match(line)) is not None:
            source = ground["source"].replace("\\[", "[").replace("\\]", "]")
            grounds.append(
                Ground(
                    Citation.parse(source),
                    unescape_inline(ground["content"]),
                    date.fromisoformat(ground["day"]) if ground["day"] else None,
                    ground["fact"] or "",
                )
            )
        elif (said := _WHY.match(line)) is not None:
            why = unescape_inline(said["why"])
    wanted = {
        ProposalAction.ADD: (0, 1),
        ProposalAction.REPLACE: (1, 1),
        ProposalAction.REMOVE: (1, 0),
        ProposalAction.RETAIN: (0, 1),
    }
    is_cut = action is ProposalAction.REMOVE and len(old) > 1
    if action is None or (min(len(old), 1) if is_cut else len(old), len(new)) != wanted[action]:
        return None
    return Proposal(block.name, action, target, "\n".join(old), "".join(new), why, tuple(grounds))


def format_ruling(ruling: ProposalRuling) -> str:
    verb = "accept" if ruling.accepted else "reject"
    facts = f" on {' '.join(sorted(ruling.fact_ids))}" if ruling.fact_ids else ""
    edit = ""
    if ruling.edit:
        written = json.dumps(ruling.edit, ensure_ascii=False)
        edit = f" as `{written.replace('`', chr(92) + 'u0060')}`"  # no backtick inside the span
    note = note_text(ruling.day, signed(ruling.by, ruling.reason))
    return f"- {verb} {ruling.id}{facts}{edit}{note}"


def parse_rulings(
    text: str, path: str = DECISIONS_PATH
) -> tuple[tuple[ProposalRuling, ...], tuple[Diagnostic, ...]]:
    """The decisions of the ledger in order, and list items that decide nothing."""
    return read_decisions(text, path, _ruling, "decision-unread")


def _ruling(line: str, place: Citation) -> ProposalRuling | str:
    found = _RULING.match(line)
    if found is None:
        return "not a decision; write `accept p-…` or `reject p-… (day: reason)`"
    _, day, said = split_note(found["rest"])
    by, reason = split_signature(said)
    accepted = found["verb"].lower() == "accept"
    facts = frozenset(_FACT_ID.findall((found["facts"] or "").lower()))
    edit = _edit(found["edit"])
    return ProposalRuling(found["id"].lower(), accepted, facts, day, reason, by, edit, place)


def _edit(said: str | None) -> LineEdit | None:
    try:
        path, line, old, new = json.loads(said or "")
        return LineEdit(str(path), int(line), tuple(map(str, old)), tuple(map(str, new)))
    except (ValueError, TypeError, RecursionError):
        return None


def decided(rulings: Iterable[ProposalRuling], id: str, fact_ids: Iterable[str]) -> bool:
    """Whether a proposal was decided on with all of this evidence known."""
    known = [ruling.fact_ids for ruling in rulings if ruling.id == id]
    return any(known_ids.issuperset(fact_ids) for known_ids in known)
