"""Pages that the owner keeps: core memory, directives, and the context of folders and files.

Directives are hard rules, one a top-level list item, kept apart from facts and beliefs: no evidence
moves them and nothing generated touches them. What stands in comments, code, private spans or
managed blocks is no directive.

A context is the front matter's `context: Notes from the boatyard in Porto`. In `README.md`,
`index.md` or a folder note (`trips/trips.md`) it speaks of the folder and all below it, in the core
memory of the whole workspace, in any other file of that file alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from posixpath import splitext

from lorebank.domain.facts import Citation, Diagnostic
from lorebank.domain.judgments import Directive, Proposal, ProposalAction
from lorebank.errors import ConcurrentEdit
from lorebank.language.folding import fold
from lorebank.markdown.document import append_to_section, read_document, walk
from lorebank.markdown.front_matter import FrontMatterValue, parse_front_matter
from lorebank.markdown.hidden import without_private
from lorebank.markdown.origin import read_origin_mark
from lorebank.markdown.plain import plain_text
from lorebank.records import Record

SECTION = "Learned"  # the heading under which accepted lines are put
_CITED = re.compile(r"\s*\((?P<source>[^()\s]+\.md#L\d+(?:-L\d+)?)\)\s*\Z", re.IGNORECASE)


class CoreLine(Record):
    """One list item of the core memory that takes one line."""

    line: int  # 1-based
    text: str  # exactly as it stands in the file, without its line ending
    body: str  # what it says as it is written: without bullet, citation and mark of origin
    said: str  # the same as plain text
    cited: Citation | None  # the citation in brackets that it ends with


def read_core(text: str) -> tuple[CoreLine, ...]:
    """The list items of one line, in order; headings, prose and longer items are the person's."""
    source = text.split("\n")
    found: list[CoreLine] = []
    for node in walk(node for node in read_document(text, "").nodes if node.kind == "list"):
        kinds = [child.kind for child in node.children]
        if node.kind != "item" or kinds != ["paragraph"] or node.end - node.start != 1:
            continue
        said = read_origin_mark(node.children[0].text)[0]
        cited = _CITED.search(said)
        bare = said[: cited.start()] if cited else said
        citation = Citation.parse(cited["source"]) if cited else None
        line = source[node.start].removesuffix("\r")
        found.append(CoreLine(node.start + 1, line, bare, plain_text(bare), citation))
    return tuple(found)


def edit_core(text: str, proposal: Proposal) -> tuple[str, int | None]:
    """A file after a proposal, and the line (1-based) where the new one stands.

    Every other byte stays. An edit that was made already changes nothing; `ConcurrentEdit` where
    the old line does not stand there exactly once.
    """
    lines = text.split("\n")
    bare = [line.removesuffix("\r") for line in lines]
    if (
        proposal.new
        and proposal.new in bare
        and (proposal.action is ProposalAction.ADD or proposal.old not in bare)
    ):
        return text, bare.index(proposal.new) + 1
    if proposal.action is ProposalAction.ADD:
        title = fold(SECTION)
        return append_to_section(
            text, proposal.new, lambda t: fold(plain_text(t)) == title, f"## {SECTION}\n\n"
        )
    old = proposal.old.split("\n")
    places = [n for n in range(len(bare)) if bare[n : n + len(old)] == old]
    if proposal.action is ProposalAction.REMOVE and not places:
        return text, None
    if len(places) != 1:
        times = "stands there twice" if places else "is not there any more"
        raise ConcurrentEdit(
            f"{proposal.target}: the line to change {times}; nothing was written",
            hint="lorebank reflect brings the proposals up to date",
        )
    [place] = places
    if proposal.action is ProposalAction.REMOVE:
        return "\n".join(lines[:place] + lines[place + len(old) :]), None
    ending = lines[place][len(bare[place]) :]
    return "\n".join([*lines[:place], proposal.new + ending, *lines[place + 1 :]]), place + 1


def parse_directives(text: str, path: str) -> tuple[Directive, ...]:
    """The rules of a page in their order; nested items belong to the rule above them."""
    document = read_document(text, path)
    found: list[Directive] = []
    for node, heading in zip(document.nodes, document.headings, strict=True):
        for item in node.children if node.kind == "list" else ():
            parts = (plain_text(n.text) for n in walk([item]) if n.kind in ("paragraph", "heading"))
            if said := " ".join(filter(None, parts)):
                place = Citation(path, item.start + 1, max(item.end, item.start + 1))
                found.append(Directive(said, place, heading))
    return tuple(found)


_CONTEXT_KEY = "context"
LONGEST_CONTEXT = 500  # characters: it comes with every hit below it
WORKSPACE = ""  # the scope that holds for all files of the workspace
_OF_THE_FOLDER = frozenset({"readme", "index", "_index"})


def read_context(
    front_matter: Mapping[str, FrontMatterValue], text: str, path: str
) -> tuple[str, tuple[Diagnostic, ...]]:
    """The context that a file states, on one line, or ""; private parts are left out.

    `front_matter` is that of `text`; one too long is cut, with a diagnostic.
    """
    if _CONTEXT_KEY not in front_matter:
        return "", ()
    if "<" in text:
        front_matter, _, _ = parse_front_matter(without_private(text), path)
    value = front_matter.get(_CONTEXT_KEY, "")
    context = " ".join((value if isinstance(value, str) else "; ".join(value)).split())
    if len(context) <= LONGEST_CONTEXT:
        return context, ()
    message = f"the context has {len(context)} characters; the first {LONGEST_CONTEXT} are used"
    return (
        context[: LONGEST_CONTEXT - 1].rstrip() + "…",
        (Diagnostic(path, 1, "context-long", message),),
    )


def scope_of(path: str, *, core: bool) -> str:
    """Of what a context in this file speaks: `WORKSPACE`, a folder, or the file itself."""
    if core:
        return WORKSPACE
    folder, _, name = path.rpartition("/")
    stem = fold(splitext(name)[0])
    if stem in _OF_THE_FOLDER or (folder and stem == fold(folder.rpartition("/")[2])):
        return folder or WORKSPACE
    return path
