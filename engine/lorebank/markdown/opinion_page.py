"""`bank/opinions.md`: one managed block an opinion, written for a person and parsed back.

    <!-- lorebank:begin o-3f2a1b2c sha=… -->
    ### Prefers concise replies on WhatsApp.

    [[Peter]] about [[WhatsApp]] · confidence **0.82** · new · updated 2025-12-04 · first said
    [memory/2025-11-27.md#L12](…) · `o-3f2a1b2c`  (one line)

    **Before** Prefers long replies on WhatsApp. · `o-1b2c3f2a`

    **For**
    - 2025-11-27 · stated · Prefers … ([memory/2025-11-27.md#L12](…), `f-0123456789`)

    **Against**
    - 2025-12-04 · −0.031 · Asked for … ([memory/2025-12-04.md#L3](…), `f-9876543210`)

    **History** 2025-11-27 0.85 → 2025-12-04 0.82
    <!-- lorebank:end o-3f2a1b2c -->

A person may write on a line of its own inside an entry `pin: 0.8` or `retracted`, change the
heading to restate the opinion, or delete the entry. The engine writes down since when that holds:
`pin: 0.8 since 2025-12-03`, `retracted since …`, `restated since …`. The block `overview` names
every entry, in its rows and in a comment below them: an id that is named there and has no entry was
deleted by hand; the block `removed` remembers such ids. Lines the engine does not know as its own
are notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from types import MappingProxyType

from lorebank.domain import Diagnostic, Evidence, Opinion, OpinionStatus, Stance
from lorebank.markdown.blocks import Block, find_blocks
from lorebank.markdown.generated_text import (
    citation_link,
    escape_cell,
    escape_inline,
    unescape_inline,
)
from lorebank.records import dataclass

OPINIONS_PATH = "bank/opinions.md"

_ID = re.compile(r"\Ao-[0-9a-f]{4,32}\Z")
_ANY_ID = re.compile(r"\bo-[0-9a-f]{4,32}\b")
_HEADING = re.compile(r"\A#{1,6}\s+(?P<text>.+)\Z")
_SINCE = r"(?:\s*[(,]?\s*since\s+(?P<since>\d{4}-\d{2}-\d{2})\s*\)?)?\s*\.?\Z"
_PIN = re.compile(rf"\A(?:[-*]\s+)?\**pin\**\s*[:=]\**\s*(?P<value>[^\s(]+?)\**{_SINCE}", re.I)
_RETRACTED = re.compile(rf"\A(?:[-*]\s+)?\**retracted\**\s*:?{_SINCE}", re.I)
_RESTATED = re.compile(rf"\A\**restated\**{_SINCE}", re.I)
_ENTRIES = re.compile(r"<!-- entries: (?P<ids>[-o0-9a-f ]*)-->")
_OWN_LINE = re.compile(
    r"\A(?:\*\*(?:For|Against)\*\*\Z|\*\*(?:History|Now|Before)\*\* |- \d{4}-\d{2}-\d{2} · |"
    r".* · confidence \*\*.*`o-[0-9a-f]+`\Z)"
)
_REMOVED = re.compile(
    r"\A-\s+`?(?P<id>o-[0-9a-f]{4,32})`?(?:\s+deleted)?(?:\s+(?P<since>\d{4}-\d{2}-\d{2}))?"
    r"(?::\s*(?P<statement>.*))?\Z"
)

Link = Callable[[str], str]
"""Display name → its wikilink."""


@dataclass(frozen=True, slots=True)
class OpinionEntry:
    """What the page says of one opinion, as far as a person may have written it."""

    id: str
    statement: str
    pin: float | None = None
    pin_since: date | None = None
    retracted: bool = False
    retracted_since: date | None = None
    deleted: bool = False
    deleted_since: date | None = None
    restated_since: date | None = None
    """Since when the statement is not that of the line which opened the opinion."""
    line: int = 0
    """1-based line of its begin marker; 0 where it was deleted."""
    edited: bool = False
    """Whether the block is not as the engine wrote it."""
    notes: tuple[str, ...] = ()
    """Lines of the block that are no part of an entry: a person's own."""


def opinion_bodies(
    opinions: Sequence[Opinion],
    entries: Iterable[OpinionEntry] = (),
    *,
    link: Link,
    path: str = OPINIONS_PATH,
) -> dict[str, str]:
    """The bodies of all blocks of the page: `overview`, one an opinion, `removed`.

    `entries` are the page's own as parsed; their pins, retractions and deletions are written again.
    """
    by_id = {entry.id: entry for entry in entries}
    gone = [entry for entry in by_id.values() if entry.deleted]
    shown = [o for o in opinions if not (o.id in by_id and by_id[o.id].deleted)]
    bodies = {"overview": render_overview(shown, link=link, path=path)}
    statements = {opinion.id: opinion.statement for opinion in shown}
    for opinion in shown:
        bodies[opinion.id] = render_opinion(
            opinion, by_id.get(opinion.id), link=link, path=path, statements=statements
        )
    if gone:
        bodies["removed"] = render_removed(gone)
    return bodies


def render_overview(opinions: Sequence[Opinion], *, link: Link, path: str = OPINIONS_PATH) -> str:
    """A table of all opinions, those held most firmly first, and the ids of its entries."""
    if not opinions:
        return "No opinions yet."
    rows = ["| opinion | held by | confidence | trend | source | id |", "|---|---|---|---|---|---|"]
    for opinion in sorted(opinions, key=lambda o: (_rank(o), -o.confidence, o.id)):
        holder = _cell(link(opinion.entities[0])) if opinion.entities else ""
        rows.append(
            f"| {escape_cell(opinion.statement)} | {holder} | {opinion.confidence:.2f}"
            f" | {_state(opinion)} | {_cell(citation_link(opinion.source, path))} | {opinion.id} |"
        )
    return "\n".join([*rows, "", _entries_line(opinion.id for opinion in opinions)])


def _cell(link: str) -> str:
    return link.replace("|", "\\|")


def render_opinion(
    opinion: Opinion,
    entry: OpinionEntry | None = None,
    *,
    link: Link,
    path: str = OPINIONS_PATH,
    statements: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """The body of one opinion's block; `statements` are those of opinions it may be linked to."""
    by_hand = entry.statement if entry is not None and entry.restated_since else ""
    title = escape_inline(by_hand or opinion.statement)
    parts = [f"### {title}", _facts_line(opinion, link, path)]
    linked = [("Now", opinion.superseded_by or ""), *(("Before", o) for o in opinion.supersedes)]
    parts += [
        f"**{word}** {escape_inline(statements[other])} · `{other}`"
        for word, other in linked
        if other in statements
    ]
    overrides = _override_lines(opinion, entry)
    if overrides:
        parts.append("\n".join(overrides))
    for stance, title in ((Stance.FOR, "For"), (Stance.AGAINST, "Against")):
        lines = [e for e in opinion.evidence if e.stance is stance]
        if lines:
            shown = [_evidence_line(line, path) for line in lines]
            parts.append("\n".join([f"**{title}**", *shown]))
    if opinion.history:
        steps = " → ".join(f"{day.isoformat()} {c:.2f}" for day, c in opinion.history)
        parts.append(f"**History** {steps}")
    return "\n\n".join(parts)


def render_removed(entries: Iterable[OpinionEntry]) -> str:
    """The list of opinions that were deleted by hand; taking a line out lets one come back."""
    lines = []
    for entry in sorted(entries, key=lambda e: e.id):
        since = f" {entry.deleted_since.isoformat()}" if entry.deleted_since else ""
        lines.append(f"- `{entry.id}` deleted{since}: {escape_inline(entry.statement)}")
    return "\n".join(lines)


def is_opinion_block(name: str) -> bool:
    """Whether a managed block of this name is an opinion's entry."""
    return _ID.match(name) is not None


def with_overview_rows(overview: str, other: str, ids: Collection[str]) -> str:
    """An overview's body with these opinions as they are listed in the other, or not at all."""
    theirs = {identity: line for identity, line in _rows(other) if identity in ids}
    named = (set(_named_ids(overview)) - set(ids)) | (set(_named_ids(other)) & set(ids))
    listed = {line: identity for identity, line in _rows(overview)}
    rows: list[str] = []
    for line in overview.splitlines():
        identity = listed.get(line)
        if identity is None:
            if line.strip() and not _ENTRIES.match(line.strip()):
                rows.append(line)
        elif identity not in ids:
            rows.append(line)
        elif identity in theirs:
            rows.append(theirs.pop(identity))
    return "\n".join([*rows, *theirs.values(), "", _entries_line(named)])


def _named_ids(overview: str) -> list[str]:
    found = [match for line in overview.splitlines() if (match := _ENTRIES.match(line.strip()))]
    return [identity for match in found for identity in _ANY_ID.findall(match["ids"])] + [
        identity for identity, _ in _rows(overview)
    ]


def _entries_line(ids: Iterable[str]) -> str:
    return f"<!-- entries: {' '.join(sorted(ids))} -->"


def _rows(overview: str) -> list[tuple[str, str]]:
    """(id, line) of each row of an overview."""
    found = []
    for line in overview.splitlines():
        cells = line.strip().strip("|").split(" | ")
        if len(cells) >= 2 and (match := _ANY_ID.search(cells[-1])):
            found.append((match.group(), line))
    return found


@lru_cache(maxsize=4)
def parse_opinion_page(
    text: str, path: str = OPINIONS_PATH
) -> tuple[tuple[OpinionEntry, ...], tuple[Diagnostic, ...]]:
    """The entries of the page, deleted ones last, and what on it could not be understood."""
    blocks, problems = find_blocks(text, path)
    diagnostics = list(problems)
    by_name: Mapping[str, Block] = {block.name: block for block in blocks}
    entries: dict[str, OpinionEntry] = {}
    for block in blocks:
        if _ID.match(block.name):
            entries[block.name] = _entry(block, path, diagnostics)
    for entry in _removed(by_name.get("removed")):
        entries.setdefault(entry.id, entry)
    for identity, statement in _listed(by_name.get("overview")):
        entries.setdefault(identity, OpinionEntry(identity, statement, deleted=True))
    return tuple(entries.values()), tuple(diagnostics)


def _rank(opinion: Opinion) -> int:
    return (OpinionStatus.LIVE, OpinionStatus.SUPERSEDED, OpinionStatus.RETRACTED).index(
        opinion.status
    )


def _state(opinion: Opinion) -> str:
    if opinion.status is not OpinionStatus.LIVE:
        return opinion.status.value
    return opinion.trend.value


def _facts_line(opinion: Opinion, link: Link, path: str) -> str:
    names = [link(name) for name in opinion.entities]
    who = names[0] if names else "The author"
    about = f" about {', '.join(names[1:])}" if names[1:] else ""
    parts = [who + about, f"confidence **{opinion.confidence:.2f}**", _state(opinion)]
    if opinion.last_updated:
        parts.append(f"updated {opinion.last_updated.isoformat()}")
    source = citation_link(opinion.source, path)
    return " · ".join([*parts, f"first said {source}", f"`{opinion.id}`"])


def _override_lines(opinion: Opinion, entry: OpinionEntry | None) -> list[str]:
    """What a person decided, whether it holds on the page's day yet or not."""
    if entry is None:
        pinned = opinion.pinned
        lines = [] if pinned is None else [f"pin: {pinned:g}"]
        return lines + ["retracted"] * (opinion.status is OpinionStatus.RETRACTED)
    lines = [] if entry.pin is None else [f"pin: {entry.pin:g}{_since(entry.pin_since)}"]
    if entry.retracted:
        lines.append(f"retracted{_since(entry.retracted_since)}")
    if entry.restated_since is not None:
        lines.append(f"restated{_since(entry.restated_since)}")
    return lines


def _since(day: date | None) -> str:
    return f" since {day.isoformat()}" if day else ""


def _evidence_line(evidence: Evidence, path: str) -> str:
    moved = _signed(evidence.delta)
    if evidence.reason in ("stated", "restated"):
        moved = f"{evidence.reason}, {moved}" if abs(evidence.delta) >= _TOLD else evidence.reason
    link = citation_link(evidence.source, path)
    said = escape_inline(evidence.content)
    return f"- {evidence.date.isoformat()} · {moved} · {said} ({link}, `{evidence.fact_id}`)"


_TOLD = 0.0005


def _signed(delta: float) -> str:
    return f"{delta:+.3f}".replace("-", "−")


def _entry(block: Block, path: str, diagnostics: list[Diagnostic]) -> OpinionEntry:
    statement = ""
    pin: float | None = None
    pin_since: date | None = None
    retracted = False
    retracted_since: date | None = None
    restated_since: date | None = None
    notes: list[str] = []
    for number, raw in enumerate(block.body.splitlines(), block.first_line + 1):
        line = raw.strip()
        heading = _HEADING.match(line)
        if not line:
            continue
        if heading is not None and not statement:
            statement = unescape_inline(heading["text"])
        elif found := _PIN.match(line):
            pin = _confidence(found["value"])
            pin_since = _day(found["since"])
            if pin is None:
                message = f"a pin is a number in 0..1, not {found['value']!r}"
                diagnostics.append(Diagnostic(path, number, "opinion-pin", message))
                notes.append(raw)
        elif found := _RETRACTED.match(line):
            retracted, retracted_since = True, _day(found["since"])
        elif found := _RESTATED.match(line):
            restated_since = _day(found["since"])
        elif not _OWN_LINE.match(line):
            notes.append(raw)
    return OpinionEntry(
        block.name,
        statement,
        pin,
        pin_since,
        retracted,
        retracted_since,
        restated_since=restated_since,
        line=block.first_line,
        edited=block.edited,
        notes=tuple(notes),
    )


def _confidence(text: str) -> float | None:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


def _removed(block: Block | None) -> list[OpinionEntry]:
    lines = block.body.splitlines() if block else []
    found = (_REMOVED.match(line.strip()) for line in lines)
    return [
        OpinionEntry(
            match["id"],
            unescape_inline(match["statement"] or ""),
            deleted=True,
            deleted_since=_day(match["since"]),
        )
        for match in found
        if match is not None
    ]


def _listed(block: Block | None) -> list[tuple[str, str]]:
    """(id, statement) of each entry that the overview names; the statement is in its row only."""
    out: dict[str, str] = {}
    for line in block.body.splitlines() if block else []:
        cells = line.strip().strip("|").split(" | ")
        if named := _ENTRIES.match(line.strip()):
            out = dict.fromkeys(_ANY_ID.findall(named["ids"]), "") | out
        elif len(cells) >= 2 and (found := _ANY_ID.search(cells[-1])):
            out[found.group()] = unescape_inline(cells[0])
    return list(out.items())
