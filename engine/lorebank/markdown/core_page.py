"""The core memory as lines: what each says, what it cites, and edits that match exactly."""

from __future__ import annotations

import re

from lorebank.domain import Citation, Proposal, ProposalAction
from lorebank.errors import ConcurrentEdit
from lorebank.language.folding import fold
from lorebank.markdown.document import Node, read_document
from lorebank.markdown.plain import plain_text
from lorebank.markdown.source import newline_style
from lorebank.records import dataclass

SECTION = "Learned"
"""The heading under which accepted lines are put."""
_CITED = re.compile(r"\s*\((?P<source>[^()\s]+\.md#L\d+(?:-L\d+)?)\)\s*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CoreLine:
    """One list item of the core memory that takes one line."""

    line: int
    """1-based."""
    text: str
    """Exactly as it stands in the file, without its line ending."""
    said: str
    """The plain text, without bullet and citation."""
    cited: Citation | None
    """The citation in brackets that it ends with."""


def read_core(text: str) -> tuple[CoreLine, ...]:
    """The list items of one line, in order; headings, prose and longer items are the person's."""
    document = read_document(text, "")
    source = text.split("\n")
    found: list[CoreLine] = []
    waiting = list(reversed(document.nodes))
    while waiting:
        node = waiting.pop()
        if node.kind == "item" and _is_one_line(node):
            found.append(_core_line(node, source[node.start].removesuffix("\r")))
        elif node.kind in ("list", "item"):
            waiting += reversed(node.children)
    return tuple(found)


def _is_one_line(item: Node) -> bool:
    kinds = [child.kind for child in item.children]
    return kinds == ["paragraph"] and item.end - item.start == 1


def _core_line(item: Node, text: str) -> CoreLine:
    said = item.children[0].text
    cited = _CITED.search(said)
    bare = said[: cited.start()] if cited else said
    citation = Citation.parse(cited["source"]) if cited else None
    return CoreLine(item.start + 1, text, plain_text(bare), citation)


def edit_core(text: str, proposal: Proposal) -> tuple[str, int | None]:
    """The core memory after a proposal, and the line (1-based) where the new one stands.

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
        return _added(text, proposal.new)
    if proposal.action is ProposalAction.REMOVE and proposal.old not in bare:
        return text, None
    if bare.count(proposal.old) != 1:
        times = "is not there any more" if proposal.old not in bare else "stands there twice"
        raise ConcurrentEdit(
            f"{proposal.target}: the line to change {times}; nothing was written",
            hint="lorebank reflect brings the proposals up to date",
        )
    place = bare.index(proposal.old)
    if proposal.action is ProposalAction.REMOVE:
        return "\n".join(lines[:place] + lines[place + 1 :]), None
    ending = lines[place][len(bare[place]) :]
    return "\n".join([*lines[:place], proposal.new + ending, *lines[place + 1 :]]), place + 1


def _added(text: str, line: str) -> tuple[str, int]:
    """The line at the end of the section of learned lines, which is opened at the end of the file
    where there is none."""
    newline = newline_style(text)
    document = read_document(text, "")
    nodes = document.nodes
    opened = [i for i, n in enumerate(nodes) if n.kind == "heading" and _is_section(n.text)]
    if not opened:
        body = text if not text or text.endswith("\n") else text + newline
        gap = "" if not body.strip() or body.endswith(newline * 2) else newline
        head = f"{body}{gap}## {SECTION}{newline}{newline}"
        return f"{head}{line}{newline}", head.count("\n") + 1
    first = opened[-1]
    end = first + 1
    while end < len(nodes) and not (
        nodes[end].kind == "heading" and nodes[end].level <= nodes[first].level
    ):
        end += 1
    place = nodes[end - 1].end
    lines = text.split("\n")
    before = "\n".join(lines[:place]).removesuffix("\r")
    after = "\n".join(lines[place:])
    gap = newline if nodes[end - 1].kind != "list" else ""
    head = f"{before}{newline}{gap}"
    return f"{head}{line}{newline}{after}", head.count("\n") + 1


def _is_section(heading: str) -> bool:
    return fold(plain_text(heading)) == fold(SECTION)
