"""The ledgers: decisions about names, about a line and an opinion, and about two lines.

    - alias @Pete → @Peter (2025-12-03: same person, signs both ways)
    - f-1a2b3c4d5e for o-3f2a91bc (2026-01-04 by Ana: memory/2025-12-03.md#L12: reason)
    - f-1a2b3c4d5e replaces f-5e4d3c2b1a (2026-01-04 by Ana: memory/2025-12-03.md#L12)

One decision a line; deleting the line undoes it. Lines that are no list items are prose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from enum import StrEnum
from typing import TypeVar

from lorebank.domain.facts import Citation, Diagnostic, Mention, Relation, Stance
from lorebank.markdown.document import Document, read_document, walk
from lorebank.markdown.mentions import find_mentions, mention_source
from lorebank.markdown.plain import plain_text
from lorebank.markdown.source import newline_style, parse_day
from lorebank.records import Record


class LedgerAction(StrEnum):
    """What a line decides about its names."""

    ALIAS = "alias"
    MERGE = "merge"
    SPLIT = "split"
    DISTINCT = "distinct"
    RENAME = "rename"
    DISMISS = "dismiss"


class LedgerEntry(Record):
    """One decision: `alias @Pete → @Peter` has the names `(Pete, Peter)`."""

    action: LedgerAction
    names: tuple[Mention, ...]  # in the order written: from before the arrow, to after it
    day: date | None
    reason: str
    citation: Citation


class Ledger(Record):
    """The entries of `bank/identity.md` in order, and what could not be read."""

    entries: tuple[LedgerEntry, ...]
    diagnostics: tuple[Diagnostic, ...]


class EvidenceRuling(Record):
    """A person's judgement that a fact is for, against or unrelated to an opinion."""

    fact_id: str
    stance: Stance
    opinion_id: str
    day: date | None
    reason: str
    citation: Citation
    """Of the ruling itself."""
    fact_source: Citation | None = None
    """Where the fact stood when it was ruled on; the id is what counts."""
    by: str = ""
    """Who ruled; empty where the line does not say."""


class LineRuling(Record):
    """A judgement on two lines: the newer says the same as the older, replaces it, or neither."""

    newer: str
    relation: Relation
    older: str
    day: date | None
    by: str  # who ruled; empty where the line does not say
    reason: str
    citation: Citation  # of the ruling itself


_ACTION = re.compile(rf"\s*[*_`]*(?P<action>{'|'.join(LedgerAction)})\b[*_`]*\s*[:：]?", re.I)
_NOTE = re.compile(r"\s*[(（](?P<note>.*)[)）]\s*\Z", re.DOTALL)
_DAY = re.compile(r"\s*(?P<day>\d{4}-\d{2}-\d{2})\s*(?:[:：,;—–-]\s*)?")
_RULING = re.compile(
    r"\s*`?(?P<fact>f-[0-9a-f]{10})`?\s+[*_]*(?P<stance>for|against|unrelated)[*_]*"
    r"(?:\s+(?:to|with))?\s+`?(?P<opinion>o-[0-9a-f]{8})`?(?P<rest>.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
_LINE_RULING = re.compile(
    r"\s*`?(?P<newer>f-[0-9a-f]{10})`?\s+[*_]*(?P<relation>same|replaces|both)[*_]*"
    r"(?:\s+as)?\s+`?(?P<older>f-[0-9a-f]{10})`?(?P<rest>.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
_SIGNATURE = re.compile(r"by (?P<by>[^:]+?)(?::\s*|\Z)")
_SOURCE = re.compile(r"(?P<source>\S+?\.md#L\d+(?:-L?\d+)?)(?::\s*|\Z)", re.IGNORECASE)
_BETWEEN_NAMES = re.compile(r"(?:\s|→|->|=>|,|&|=|\band\b|\bto\b|\binto\b)*", re.IGNORECASE)
_FOLLOWING = re.compile(r"\s+[^\W\d_][\w.'’-]*")
_WORD = re.compile(r"[^\W\d_][\w.'’-]*")


Decision = TypeVar("Decision")


def read_decisions(
    text: str,
    path: str,
    read: Callable[[str, Citation], Decision | str],
    code: str,
    document: Document | None = None,
) -> tuple[tuple[Decision, ...], tuple[Diagnostic, ...]]:
    """The decisions of a ledger in order, and the list items that are none: `read` says why.

    Give `document` where the file was read already; `text` is then not looked at.
    """
    document = document or read_document(text, path)
    found: list[Decision] = []
    problems = list(document.diagnostics)
    for line, place in item_lines(document):
        decision = read(line, place)
        if isinstance(decision, str):
            problems.append(Diagnostic(path, place.start_line, code, decision))
        else:
            found.append(decision)
    return tuple(found), tuple(problems)


def parse_ledger(text: str, path: str, *, document: Document | None = None) -> Ledger:
    """The decisions of an identity ledger; list items that decide nothing are reported."""
    return Ledger(*read_decisions(text, path, _entry, "ledger-unread", document))


def format_entry(entry: LedgerEntry) -> str:
    arrow = " " if entry.action in _UNDIRECTED else " → "
    names = arrow.join(mention_source(name.name) for name in entry.names)
    return f"- {entry.action.value} {names}{note_text(entry.day, entry.reason)}"


def add_entry(text: str, entry: LedgerEntry, ledger: Ledger, path: str) -> tuple[str, Ledger]:
    """The ledger with one more decision at its end, and all it then says; `ledger` is what the text
    says. `without_lines` takes the decision off byte for byte.

    `ValueError` where the text ends in something that swallows it, such as an open comment.
    """
    newline = newline_style(text)
    line = format_entry(entry)
    for gap in ("", newline):
        if text.endswith("\n") or not text:
            longer = f"{text}{gap}{line}{newline}"
        else:
            longer = f"{text}{newline}{gap}{line}"
        read = parse_ledger(longer, path)
        if len(read.entries) > len(ledger.entries):
            return longer, read
    raise ValueError("the end of the ledger cannot hold a line: is a comment or fence left open?")


def parse_evidence_lines(
    text: str, path: str, *, document: Document | None = None
) -> tuple[tuple[EvidenceRuling, ...], tuple[Diagnostic, ...]]:
    """The rulings of an evidence ledger; list items that rule nothing are reported."""
    return read_decisions(text, path, _evidence_ruling, "ruling-unread", document)


def _evidence_ruling(line: str, place: Citation) -> EvidenceRuling | str:
    found = _RULING.match(line)
    if found is None:
        return "not a ruling; write `f-… for|against|unrelated o-… (day: reason)` with whole ids"
    _, day, said = split_note(found["rest"])
    by, said = split_signature(said)
    cited = _SOURCE.match(said)
    source = Citation.parse(cited["source"]) if cited else None
    reason = said[cited.end() :] if cited else said
    stance = Stance(found["stance"].lower())
    fact, opinion = found["fact"].lower(), found["opinion"].lower()
    return EvidenceRuling(fact, stance, opinion, day, reason, place, source, by)


def format_evidence_line(ruling: EvidenceRuling) -> str:
    pair = f"{ruling.fact_id} {ruling.stance.value} {ruling.opinion_id}"
    said = [str(ruling.fact_source) if ruling.fact_source else "", ruling.reason]
    note = signed(ruling.by, ": ".join(part for part in said if part))
    return f"- {pair}{note_text(ruling.day, note)}"


def parse_line_rulings(
    text: str, path: str, *, document: Document | None = None
) -> tuple[tuple[LineRuling, ...], tuple[Diagnostic, ...]]:
    """The rulings of `bank/decisions.md`; list items that rule nothing, and contrary rulings."""
    rulings, problems = read_decisions(text, path, _line_ruling, "ruling-unread", document)
    found = list(problems)
    replacing: dict[tuple[str, str], int] = {}
    for ruling in rulings:
        if ruling.relation is Relation.REPLACES:
            line = ruling.citation.start_line
            if other := replacing.get((ruling.older, ruling.newer)):
                message = f"the contrary of line {other}; the later one holds, so delete the other"
                found.append(Diagnostic(path, line, "rulings-contradict", message))
            replacing[ruling.newer, ruling.older] = line
    return rulings, tuple(found)


def _line_ruling(line: str, place: Citation) -> LineRuling | str:
    found = _LINE_RULING.match(line)
    if found is None:
        return "not a ruling; write `f-… same|replaces|both f-… (day by name)` with whole ids"
    _, day, said = split_note(found["rest"])
    relation = Relation(found["relation"].lower())
    newer, older = found["newer"].lower(), found["older"].lower()
    if newer == older:
        return "a line can be ruled on only with another one; one of the two ids is wrong"
    return LineRuling(newer, relation, older, day, *split_signature(said), place)


def format_line_ruling(ruling: LineRuling) -> str:
    pair = f"{ruling.newer} {ruling.relation.value} {ruling.older}"
    return f"- {pair}{note_text(ruling.day, signed(ruling.by, ruling.reason))}"


def signed(by: str, reason: str) -> str:
    """A note's reason with who ruled before it: `by NAME: reason`."""
    return ": ".join(part for part in (f"by {by}" if by else "", reason) if part)


def split_signature(reason: str) -> tuple[str, str]:
    """Who ruled, as `signed` wrote it (empty where nobody signed), and the rest."""
    found = _SIGNATURE.match(reason)
    return (found["by"].strip(), reason[found.end() :]) if found else ("", reason)


_Placed = tuple[Mention, int, int]  # a mention with the offsets of its start and end
_UNDIRECTED = frozenset((LedgerAction.DISTINCT, LedgerAction.DISMISS))
_ALONE = frozenset((LedgerAction.SPLIT, LedgerAction.DISMISS))
"""What may be said of one name: parted from all others; not to be reported again."""


def _entry(line: str, place: Citation) -> LedgerEntry | str:
    """The decision of a line, or why it is none."""
    found = _ACTION.match(line)
    if found is None:
        return f"not a decision; it must begin with one of {', '.join(LedgerAction)}"
    said = line[found.end() :]
    mentions = find_mentions(said)
    cut = _cut_name(said, mentions)
    if cut:
        return f"“{cut}” belongs to no name; one of several words is written @[[Two Words]]"
    action = LedgerAction(found["action"].lower())
    body, day, reason = _split_note(said, mentions)
    names = tuple(mention for mention, _, end in mentions if end <= len(body))
    if action in _ALONE and len(names) == 1:
        return LedgerEntry(action, names, day, reason, place)
    if len({name.slug for name in names}) < 2 and action is not LedgerAction.RENAME:
        return f"{action.value} needs two different names, as @Name or [[Name]]"
    if len(names) < 2:
        return f"{action.value} needs two names, as @Name or [[Name]]"
    return LedgerEntry(action, names, day, reason, place)


def split_note(text: str) -> tuple[str, date | None, str]:
    """The names, the day and the reason of `@a → @b (2025-12-03: why)`."""
    return _split_note(text, find_mentions(text))


def _split_note(text: str, mentions: Sequence[_Placed]) -> tuple[str, date | None, str]:
    note = _NOTE.match(text, _names_end(text, mentions))
    if note is None:
        return text, None, ""
    said = note["note"]
    found = _DAY.match(said)
    day = parse_day(found["day"]) if found else None
    reason = said[found.end() :] if found and day else said
    return text[: note.start()], day, plain_text(reason)


def _cut_name(text: str, mentions: Sequence[_Placed]) -> str:
    """The first word of a line's names that belongs to none, as `Vogel` in `@Hanna Vogel → @Bo`;
    words in small letters and what follows a colon or dash are taken for the writer's."""
    between, position = [], 0
    for _, start, end in mentions:
        between.append(text[position:start])
        position = end
    following = _FOLLOWING.match(text, position)
    between.append(following[0] if following else "")
    words = [word for part in between for word in _WORD.findall(_BETWEEN_NAMES.sub(" ", part))]
    return next((word for word in words if not word[0].islower()), "")


def _names_end(text: str, mentions: Sequence[_Placed]) -> int:
    """Where the run of names at the start of a text ends."""
    position = 0
    for _, start, end in mentions:
        between = _BETWEEN_NAMES.match(text, position)
        if between is None or between.end() < start:
            break
        position = end
    return position


def note_text(day: date | None, reason: str) -> str:
    """` (2025-12-03: why)`, or as much of it as there is."""
    joint = " " if _SIGNATURE.match(reason) else ": "  # (2025-12-03 by Ana: why)
    said = joint.join(part for part in (day.isoformat() if day else "", reason) if part)
    return f" ({said})" if said else ""


def item_lines(document: Document) -> Iterator[tuple[str, Citation]]:
    """The first paragraph of each list item, with its place."""
    for node in walk(document.nodes):
        if node.kind != "item" or not node.children or node.children[0].kind != "paragraph":
            continue
        own = node.children[0]
        yield own.text, Citation(document.path, own.start + 1, own.end)


def added_line(text: str, line: str, *, title: str) -> tuple[str, int]:
    """The ledger with a list item at the end of its last list, and the line it stands on (1-based).

    An empty ledger begins with `title` as its heading.
    """
    newline = newline_style(text)
    if not text.strip():
        return f"# {title}{newline}{newline}{line}{newline}", 3
    lines = text.split("\n")
    ends = [node.end for node in read_document(text, "").nodes if node.kind == "list"]
    if not ends:
        body = text if text.endswith("\n") else text + newline
        gap = "" if body.endswith(newline * 2) else newline
        return f"{body}{gap}{line}{newline}", (body + gap).count("\n") + 1
    before = "\n".join(lines[: ends[-1]]).removesuffix("\r")
    after = "\n".join(lines[ends[-1] :])
    return f"{before}{newline}{line}{newline}{after}", ends[-1] + 1


def without_lines(text: str, places: Iterable[Citation]) -> str:
    """The ledger without the list items that stand in these places."""
    gone = {n for place in places for n in range(place.start_line, place.end_line + 1)}
    lines = text.split("\n")
    return "\n".join(line for number, line in enumerate(lines, start=1) if number not in gone)
