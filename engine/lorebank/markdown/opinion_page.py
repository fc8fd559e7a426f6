"""`bank/opinions.md`: one managed block an opinion, written for a person and parsed back.

    <!-- lorebank:begin o-3f2a1b2c sha=… -->
    ### Prefers concise replies on WhatsApp.
    [[Peter]] about [[WhatsApp]] · **0.82** weakening · 2025-12-04 · for 1, against 1
    ([memory/2025-11-27.md#L12](…))  (one line)
    <!-- lorebank:end o-3f2a1b2c -->

Newer lines that may bear on it and that nobody has judged are counted: `2 newer not judged`.
The evidence stands in the logs and in `lorebank explain o-3f2a1b2c`; the page says each thing once.
An opinion that somebody wrote on the page by hand keeps its own line for a statement. Below it
stands, in the owner's form, only what is news: `- Evidence: …`, `- Last reinforced: …`.

A person may write on a line of its own inside an entry `pin: 0.8` or `retracted`, change the
heading to restate the opinion, or delete the entry. The engine writes down since when that holds:
`pin: 0.8 since 2025-12-03`, `retracted since …`, `restated since …`. The block `overview` is a
comment that names every entry: an id that is named there and has no entry was deleted by hand; the
block `removed` remembers such ids. Lines the engine does not know as its own are notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Any

from lorebank.domain.facts import Diagnostic, Opinion, OpinionStatus, Stance, Trend
from lorebank.markdown.blocks import Block, find_blocks
from lorebank.markdown.plain import citation_link, escape_inline, unescape_inline
from lorebank.markdown.source import parse_day
from lorebank.records import Record

OPINIONS_PATH = "bank/opinions.md"

_ID = re.compile(r"\Ao-[0-9a-f]{4,32}\Z")
_ANY_ID = re.compile(r"\bo-[0-9a-f]{4,32}\b")
_HEADING = re.compile(r"\A#{1,6}\s+(?P<text>.+)\Z")
_SINCE = r"(?:\s*[(,]?\s*since\s+(?P<since>\d{4}-\d{2}-\d{2})\s*\)?)?\s*\.?\Z"
_PIN = re.compile(rf"\A(?:[-*]\s+)?\**pin\**\s*[:=]\**\s*(?P<value>[^\s(]+?)\**{_SINCE}", re.I)
_RETRACTED = re.compile(rf"\A(?:[-*]\s+)?\**retracted\**\s*:?{_SINCE}", re.I)
_RESTATED = re.compile(rf"\A\**restated\**{_SINCE}", re.I)
_OWN_LINE = re.compile(
    r"\A(?:.* · \*\*[01]\.\d\d\*\* .*\)\Z|- (?:Evidence|Contradicted|Last reinforced|Updated): )"
)
"""Lines that the engine writes."""
_NEWS = 3
"""Lines of evidence below an opinion kept by hand; `explain` lists all of it."""
_REMOVED = re.compile(
    r"\A-\s+`?(?P<id>o-[0-9a-f]{4,32})`?(?:\s+deleted)?(?:\s+(?P<since>\d{4}-\d{2}-\d{2}))?"
    r"(?::\s*(?P<statement>.*))?\Z"
)

Link = Callable[[str], str]
"""Display name → its wikilink."""


class OpinionEntry(Record):
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
    unjudged: Mapping[str, int] | None = None,
    path: str = OPINIONS_PATH,
) -> dict[str, str]:
    """The bodies of all blocks of the page: `overview`, one an opinion, `removed`.

    `entries` are the page's own as parsed; their pins, retractions and deletions are written again.
    An opinion whose statement stands on the page by hand has a block only where there is news.
    """
    by_id = {entry.id: entry for entry in entries}
    gone = [entry for entry in by_id.values() if entry.deleted]
    shown = [o for o in opinions if not (o.id in by_id and by_id[o.id].deleted)]
    listed = [opinion for opinion in shown if not kept_by_hand(opinion, path)]
    bodies = {"overview": _entries_line(opinion.id for opinion in listed) if listed else ""}
    for opinion in sorted(shown, key=lambda o: (_rank(o), o.entities[:1], -o.confidence, o.id)):
        entry = by_id.get(opinion.id)
        if opinion in listed:
            waiting = (unjudged or {}).get(opinion.id, 0)
            bodies[opinion.id] = render_opinion(
                opinion, entry, link=link, unjudged=waiting, path=path
            )
        elif news := _news(opinion, entry, path):
            bodies[opinion.id] = news
    if gone:
        bodies["removed"] = render_removed(gone)
    return bodies


def render_opinion(
    opinion: Opinion,
    entry: OpinionEntry | None = None,
    *,
    link: Link,
    unjudged: int = 0,
    path: str = OPINIONS_PATH,
) -> str:
    """The body of one opinion's block; `unjudged`: how many newer lines may bear on it."""
    by_hand = entry.statement if entry is not None and entry.restated_since else ""
    title = escape_inline(by_hand or opinion.statement)
    parts = [f"### {title}", _facts_line(opinion, link, path, unjudged)]
    overrides = _override_lines(opinion, entry)
    if overrides:
        parts += ["", *overrides]
    return "\n".join(parts)


def kept_by_hand(opinion: Opinion, path: str = OPINIONS_PATH) -> str:
    """The words in which the opinion is kept on the page by hand; empty where it is not."""
    stated = ("stated", "restated")
    own = (e.content for e in opinion.evidence if e.source.path == path and e.reason in stated)
    return next(own, opinion.statement if opinion.source.path == path else "")


def _news(opinion: Opinion, entry: OpinionEntry | None, path: str) -> str:
    """What other pages say of an opinion that is kept by hand, in the form of such pages."""
    fresh = [line for line in opinion.evidence if line.source.path != path]
    rows = []
    for line in fresh[-_NEWS:]:
        label = "Evidence" if line.stance is Stance.FOR else "Contradicted"
        said = "said again" if line.content == opinion.statement else escape_inline(line.content)
        rows.append(f"- {label}: {said} ({line.date}, {citation_link(line.source, path)})")
    if fresh:
        label = "Last reinforced" if fresh[-1].stance is Stance.FOR else "Updated"
        state = f"**{opinion.confidence:.2f}**{standing(opinion)}"
        rows.append(f"- {label}: {fresh[-1].date} · {state}")
    return "\n".join([*rows, *_override_lines(opinion, entry)])


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


def with_overview_entries(overview: str, other: str, ids: Collection[str]) -> str:
    """An overview's body that names of these opinions those that the other names."""
    named = (set(_listed(overview)) - set(ids)) | (set(_listed(other)) & set(ids))
    return _entries_line(named)


def _entries_line(ids: Iterable[str]) -> str:
    return f"<!-- entries: {' '.join(sorted(ids))} -->"


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
    overview = by_name.get("overview")
    for identity in _listed(overview.body) if overview else ():
        entries.setdefault(identity, OpinionEntry(identity, "", deleted=True))
    return tuple(entries.values()), tuple(diagnostics)


def _rank(opinion: Opinion) -> int:
    return (OpinionStatus.LIVE, OpinionStatus.SUPERSEDED, OpinionStatus.RETRACTED).index(
        opinion.status
    )


def standing(opinion: Opinion) -> str:
    """Where it stands, where that is more than its confidence: ` strengthening`, ` superseded`."""
    if opinion.status is not OpinionStatus.LIVE:
        return f" {opinion.status.value}"
    moving = opinion.trend in (Trend.STRENGTHENING, Trend.WEAKENING)
    return f" {opinion.trend.value}" if moving else ""


def _facts_line(opinion: Opinion, link: Link, path: str, unjudged: int) -> str:
    """Who holds it, how firmly, since when, on how many lines, and where it was said first."""
    names = [link(name) for name in opinion.entities]
    who = names[0] if names else "The author"
    about = f" about {', '.join(names[1:])}" if names[1:] else ""
    parts = [who + about, f"**{opinion.confidence:.2f}**{standing(opinion)}"]
    if opinion.last_updated:
        parts.append(opinion.last_updated.isoformat())
    counts = ((s.value, sum(e.stance is s for e in opinion.evidence)) for s in Stance)
    lines = ", ".join(f"{stance} {count}" for stance, count in counts if count)
    if opinion.origin.note:
        parts.append(opinion.origin.note.strip(" ()"))
    if len(opinion.evidence) > 1:
        parts.append(lines)
    if opinion.superseded_by:
        parts.append(f"now `{opinion.superseded_by}`")
    elif unjudged:
        parts.append(f"{unjudged} newer not judged")
    return " · ".join(parts) + f" ({citation_link(opinion.source, path)})"


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


def _entry(block: Block, path: str, diagnostics: list[Diagnostic]) -> OpinionEntry:
    fields: dict[str, Any] = {"statement": "", "line": block.first_line, "edited": block.edited}
    notes: list[str] = []
    for number, raw in enumerate(block.body.splitlines(), block.first_line + 1):
        line = raw.strip()
        heading = _HEADING.match(line)
        if not line:
            continue
        if heading is not None and not fields["statement"]:
            fields["statement"] = unescape_inline(heading["text"])
        elif found := _PIN.match(line):
            pin = _confidence(found["value"])
            fields |= {"pin": pin, "pin_since": parse_day(found["since"])}
            if pin is None:
                message = f"a pin is a number in 0..1, not {found['value']!r}"
                diagnostics.append(Diagnostic(path, number, "opinion-pin", message))
                notes.append(raw)
        elif found := _RETRACTED.match(line):
            fields |= {"retracted": True, "retracted_since": parse_day(found["since"])}
        elif found := _RESTATED.match(line):
            fields["restated_since"] = parse_day(found["since"])
        elif not _OWN_LINE.match(line):
            notes.append(raw)
    return OpinionEntry(block.name, **fields, notes=tuple(notes))


def _confidence(text: str) -> float | None:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None


def _removed(block: Block | None) -> list[OpinionEntry]:
    lines = block.body.splitlines() if block else []
    found = (_REMOVED.match(line.strip()) for line in lines)
    return [
        OpinionEntry(
            match["id"],
            unescape_inline(match["statement"] or ""),
            deleted=True,
            deleted_since=parse_day(match["since"]),
        )
        for match in found
        if match is not None
    ]


def _listed(overview: str) -> list[str]:
    """The ids that an overview names."""
    return list(dict.fromkeys(_ANY_ID.findall(overview)))
