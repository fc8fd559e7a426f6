"""`bank/opinions.md`: every belief on one line, by holder, written for a person and parsed back.

    <!-- lorebank:begin opinions sha=… -->
    ### [[Peter]]

    - Prefers concise replies. · **0.82** weakening · for 1, against 1 · until 2025-12-04: Likes
      to talk. ([memory/2025-12-04.md#L3](…)) ^o-3f2a1b2c  (one line)
      - pin: 0.8 since 2025-12-05
    <!-- lorebank:end opinions -->

The line cites the newest evidence; "until" names what the belief took the place of. All of its
evidence stands on the holder's page and in `lorebank explain o-3f2a1b2c`. Newer lines that may bear
on it and that nobody has judged are counted: `2 newer not judged`.
An opinion that somebody wrote on the page by hand keeps its own line for a statement. Below it
stands, in the owner's form, only what is news: `- Evidence: …`, `- Last reinforced: …`, in a block
that is called by the opinion's id.

A person may write below a belief `pin: 0.8` or `retracted`, change its words to restate it, or
delete its line. The engine writes down since when that holds: `pin: 0.8 since 2025-12-03`,
`retracted since …`, `restated since …`. The block `overview` is a comment that names every entry
with its number: an id that is named there and has no entry was deleted by hand, another number was
typed by hand and is a pin; the block `removed` remembers deleted ids. Lines the engine does not
know as its own are notes, and so is a second line of one id, as a merge leaves it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import Any

from lorebank.domain.facts import Opinion, OpinionStatus, Stance, Trend
from lorebank.markdown.blocks import Block, broken_names, find_blocks, replace_blocks
from lorebank.markdown.plain import citation_link, escape_inline, unescape_inline
from lorebank.markdown.source import parse_day
from lorebank.records import Record

OPINIONS_PATH = "bank/opinions.md"

_ID = re.compile(r"\Ao-[0-9a-f]{4,32}\Z")
_ENTRY = re.compile(r"\b(?P<id>o-[0-9a-f]{4,32})\b(?:=(?P<told>[\d.]+))?")
"""An entry in the overview, with the confidence that was written for it."""
_LINE_ID = re.compile(r"\^(o-[0-9a-f]{4,32})\s*\Z")
"""How the line of a belief ends; Obsidian takes it for the name of the line."""
_TELLING = re.compile(
    r" · \*\*(?P<confidence>\d*[.,]?\d+)\*\*(?: \w+)?(?: · (?P<day>\d{4}-\d{2}-\d{2}))?"
    r"(?:.*\(\[[^\]]*?(?P<cited>\d{4}-\d{2}-\d{2})[^\]]*\]\()?.*\Z"
)
"""What follows a statement: how firmly it is held, and the day of the newest evidence."""
_REINFORCED = re.compile(r"\A- (?:Last reinforced|Updated): (?P<day>\d{4}-\d{2}-\d{2})")
_HEADING = re.compile(r"\A#{1,6}\s")
_SINCE = r"(?:\s*[(,]?\s*since\s+(?P<since>\d{4}-\d{2}-\d{2})\s*\)?)?\s*\.?\Z"
_PIN = re.compile(rf"\A(?:[-*]\s+)?\**pin\**\s*[:=]\**\s*(?P<value>[^\s(]+?)\**{_SINCE}", re.I)
_RETRACTED = re.compile(rf"\A(?:[-*]\s+)?\**retracted\**\s*:?{_SINCE}", re.I)
_RESTATED = re.compile(rf"\A(?:[-*]\s+)?\**restated\**{_SINCE}", re.I)
_OWN_LINE = re.compile(r"\A- (?:Evidence|Contradicted|Last reinforced|Updated): ")
"""Lines that the engine writes."""
OPINIONS_BLOCK = "opinions"
_OVERVIEW, _REMOVED_BLOCK = "overview", "removed"
BOOKKEEPING = frozenset({_OVERVIEW, _REMOVED_BLOCK})
"""Blocks that follow the others and tell a reader nothing."""
_NEWS = 3  # lines of evidence below an opinion kept by hand; `explain` lists all of it
_REMOVED = re.compile(
    r"\A-\s+`?(?P<id>o-[0-9a-f]{4,32})`?(?:\s+deleted)?(?:\s+(?P<since>\d{4}-\d{2}-\d{2}))?"
    r"(?::\s*(?P<statement>.*))?\Z"
)

Link = Callable[[str], str]  # display name → its wikilink


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
    confidence: float | None = None
    """As the page shows it."""
    day: str = ""
    """Of the newest evidence, as the page shows it."""

    @property
    def decides(self) -> bool:
        """Whether a person changed anything about it."""
        return self.retracted or self.pin is not None or self.restated_since is not None


def opinion_bodies(
    opinions: Sequence[Opinion], entries: Iterable[OpinionEntry] = (), *, link: Link
) -> dict[str, str]:
    """The bodies of all blocks of the page: `overview`, `opinions`, `removed`, and the news of
    opinions whose statement stands on the page by hand.

    `entries` are the page's own as parsed; their pins, retractions and deletions are written again.
    """
    by_id = {entry.id: entry for entry in entries}
    gone = [entry for entry in by_id.values() if entry.deleted]
    shown = {o.id: o for o in opinions if not (o.id in by_id and by_id[o.id].deleted)}
    replaced: dict[str, list[Opinion]] = {}
    held: dict[str, list[Opinion]] = {}
    news: dict[str, str] = {}
    for opinion in sorted(shown.values(), key=_newest_first):
        entry = by_id.get(opinion.id)
        if kept_by_hand(opinion):
            news[opinion.id] = _news(opinion, entry)
        elif (told_at := _shown_under(opinion, by_id, shown)) != opinion.id:
            replaced.setdefault(told_at, []).append(opinion)
        else:
            held.setdefault(next(iter(opinion.entities), ""), []).append(opinion)
    groups = []
    for holder in sorted(held):
        lines = [f"### {link(holder) if holder else 'The author'}", ""]
        for opinion in held[holder]:
            entry, before = by_id.get(opinion.id), replaced.get(opinion.id, ())
            lines.append(opinion_line(opinion, entry, before, link=link))
            lines += [f"  - {line}" for line in _override_lines(entry)]
        groups.append("\n".join(lines))
    body = "\n\n".join(groups)
    bodies = {_OVERVIEW: overview_of(body), OPINIONS_BLOCK: body} if held else {}
    bodies |= {id_: body for id_, body in news.items() if body}
    return bodies | ({_REMOVED_BLOCK: render_removed(gone)} if gone else {})


def _shown_under(
    opinion: Opinion, by_id: Mapping[str, OpinionEntry], shown: Mapping[str, Opinion]
) -> str:
    """The id of the opinion whose line names this one: the last of those that took its place; its
    own where none did, or a person decided on it."""
    met: dict[str, None] = {}
    while opinion.id not in met and not (opinion.id in by_id and by_id[opinion.id].decides):
        met[opinion.id] = None
        opinion = shown.get(opinion.superseded_by or "", opinion)
    return opinion.id


def opinion_line(
    opinion: Opinion,
    entry: OpinionEntry | None = None,
    replaced: Sequence[Opinion] = (),
    *,
    link: Link,
) -> str:
    """The line of one belief: what is held, how firmly, on how many lines, and instead of what."""
    by_hand = entry.statement if entry is not None and entry.restated_since else ""
    newest = opinion.evidence[-1].source if opinion.evidence else opinion.source
    parts = [
        f"- {escape_inline(by_hand or opinion.statement)}",
        f"**{opinion.confidence:.2f}**{standing(opinion)}",
    ]
    if opinion.last_updated and opinion.last_updated.isoformat() not in newest.path:
        parts.append(opinion.last_updated.isoformat())
    if opinion.entities[1:]:
        parts.append(f"about {', '.join(map(link, opinion.entities[1:]))}")
    if opinion.origin.note:
        parts.append(opinion.origin.note.strip(" ()"))
    if len(opinion.evidence) > 1:
        counts = ((s.value, sum(e.stance is s for e in opinion.evidence)) for s in Stance)
        parts.append(", ".join(f"{stance} {count}" for stance, count in counts if count))
    if opinion.superseded_by:
        parts.append(f"now `{opinion.superseded_by}`")
    elif opinion.not_judged:
        parts.append(f"{opinion.not_judged} newer not judged")
    for older in replaced:
        said = escape_inline(older.statement).replace("*", r"\*")
        until = older.superseded_since
        parts.append(f"until {until}: {said}" if until else said)
    return " · ".join(parts) + f" ({citation_link(newest, OPINIONS_PATH)}) ^{opinion.id}"


def kept_by_hand(opinion: Opinion) -> str:
    """The words in which the opinion is kept on the page by hand; empty where it is not."""
    stated = ("stated", "restated")
    here = (e for e in opinion.evidence if e.source.path == OPINIONS_PATH)
    own = (e.content for e in here if e.reason in stated)
    return next(own, opinion.statement if opinion.source.path == OPINIONS_PATH else "")


def _news(opinion: Opinion, entry: OpinionEntry | None) -> str:
    """What other pages say of an opinion kept by hand since the last day its owner noted."""
    noted = [line.date for line in opinion.evidence if line.source.path == OPINIONS_PATH]
    last = max(noted, default=date.min)
    fresh = [
        line
        for line in opinion.evidence
        if line.source.path != OPINIONS_PATH
        if line.date > last or (line.date == last and line.stance is not Stance.FOR)
    ]
    rows = []
    for line in fresh[-_NEWS:]:
        label = "Evidence" if line.stance is Stance.FOR else "Contradicted"
        said = "said again" if line.content == opinion.statement else escape_inline(line.content)
        rows.append(f"- {label}: {said} ({line.date}, {citation_link(line.source, OPINIONS_PATH)})")
    if fresh:
        label = "Last reinforced" if fresh[-1].stance is Stance.FOR else "Updated"
        state = f"**{opinion.confidence:.2f}**{standing(opinion)}"
        rows.append(f"- {label}: {fresh[-1].date} · {state}")
    return "\n".join([*rows, *_override_lines(entry)])


def render_removed(entries: Iterable[OpinionEntry]) -> str:
    """The list of opinions that were deleted by hand; taking a line out lets one come back."""
    lines = []
    for entry in sorted(entries, key=lambda e: e.id):
        since = f" {entry.deleted_since.isoformat()}" if entry.deleted_since else ""
        lines.append(f"- `{entry.id}` deleted{since}: {escape_inline(entry.statement)}")
    return "\n".join(lines)


def is_opinion_block(name: str) -> bool:
    """Whether a managed block of this name is about one opinion."""
    return _ID.match(name) is not None


def opinion_of_line(line: str) -> str:
    """The id of the belief on the line; empty for another line."""
    found = _LINE_ID.search(line)
    return found[1] if found else ""


def overview_of(body: str) -> str:
    """The overview for a body of the block `opinions`."""
    lines = (line for line in body.splitlines() if opinion_of_line(line))
    told = ((opinion_of_line(line), _match_confidence(line)) for line in lines)
    return _entries_line(f"{id_}={each['confidence']}" if each else id_ for id_, each in told)


def _entries_line(entries: Iterable[str]) -> str:
    return f"<!-- entries: {' '.join(sorted(entries))} -->"


def without_entries(text: str, ids: Container[str]) -> str:
    """The page with an overview that does not name these entries: they were not deleted."""
    named = {block.name: block.body for block in find_blocks(text)[0]}.get(_OVERVIEW, "")
    found = list(_ENTRY.finditer(named))
    kept = [entry[0] for entry in found if entry["id"] not in ids]
    if len(kept) == len(found):
        return text
    return replace_blocks(text, {_OVERVIEW: _entries_line(kept)})


def bare_line(line: str) -> str:
    """The line of a belief as far as the statement and how firmly it is held."""
    told = _match_confidence(line)
    if told is None:
        return line
    return f"{line[: told.start()]} · **{told['confidence']}** ^{opinion_of_line(line)}"


@lru_cache(maxsize=4)
def parse_opinion_page(text: str) -> tuple[OpinionEntry, ...]:
    """The entries of the page, deleted ones last; a line that is not understood is a note."""
    blocks, problems = find_blocks(text)
    by_name: Mapping[str, Block] = {block.name: block for block in blocks}
    entries: dict[str, OpinionEntry] = {}
    for block in blocks:
        for entry in _read_block(block, []):
            entries.setdefault(entry.id, entry)
    for entry in _removed(by_name.get(_REMOVED_BLOCK)):
        entries.setdefault(entry.id, entry)
    overview = by_name.get(_OVERVIEW)
    if overview is None or OPINIONS_BLOCK in broken_names(problems):
        return tuple(entries.values())  # with a mark of the block its entries are lost, not deleted
    is_edited = overview.edited  # a checksum of all of it
    for named in _ENTRY.finditer(overview.body):
        entry = entries.setdefault(named["id"], OpinionEntry(named["id"], "", deleted=True))
        typed, told = entry.confidence, _confidence(named["told"] or "")
        if not is_edited and None not in (typed, told) and typed != told:
            entries[entry.id] = replace(entry, pin=typed, pin_since=None)
    return tuple(entries.values())


def notes_on(text: str) -> dict[str, list[str]]:
    """Block name → the lines that a person wrote there and that decide nothing."""
    found: dict[str, list[str]] = {}
    for block in find_blocks(text)[0]:
        if block.name == OPINIONS_BLOCK or is_opinion_block(block.name):
            _read_block(block, found.setdefault(block.name, []))
    return found


def _newest_first(opinion: Opinion) -> tuple[bool, int, str]:
    """By what no evidence changes: a line that rises or falls stays where it is."""
    opened = opinion.evidence[0].date if opinion.evidence else date.min
    return (opinion.status is not OpinionStatus.LIVE, -opened.toordinal(), opinion.id)


def standing(opinion: Opinion) -> str:
    """Where it stands, where that is more than its confidence: ` strengthening`, ` superseded`."""
    if opinion.status is not OpinionStatus.LIVE:
        return f" {opinion.status.value}"
    moving = opinion.trend in (Trend.STRENGTHENING, Trend.WEAKENING)
    return f" {opinion.trend.value}" if moving else ""


def _override_lines(entry: OpinionEntry | None) -> list[str]:
    """What a person decided here, in force yet or not; what is below a typed line stays there."""
    if entry is None:
        return []
    lines = [] if entry.pin is None else [f"pin: {entry.pin:g}{_since(entry.pin_since)}"]
    if entry.retracted:
        lines.append(f"retracted{_since(entry.retracted_since)}")
    if entry.restated_since is not None:
        lines.append(f"restated{_since(entry.restated_since)}")
    return lines


def _since(day: date | None) -> str:
    return f" since {day.isoformat()}" if day else ""


def _read_block(block: Block, notes: list[str]) -> list[OpinionEntry]:
    """The entries of a block; its other lines are added to the notes."""
    found: dict[str, dict[str, Any]] = {}
    entry: dict[str, Any] = {}
    if is_opinion_block(block.name):
        entry = found.setdefault(block.name, {"id": block.name, "statement": ""})
    elif block.name != OPINIONS_BLOCK:
        return []
    for raw in block.body.splitlines():
        line = raw.strip()
        if id_ := opinion_of_line(line):
            told = _parse_entry(_LINE_ID.sub("", line).strip())
            entry = found.setdefault(id_, {"id": id_} | told)
            if entry["statement"] != told["statement"]:
                notes.append(raw)
        elif (
            not line
            or (_HEADING.match(line) and block.name == OPINIONS_BLOCK)
            or (entry and decides(line, entry))
        ):
            continue
        elif is_opinion_block(block.name) and _OWN_LINE.match(line):
            if state := _TELLING.search(line):
                day = _REINFORCED.match(line) or state
                entry |= {"confidence": _confidence(state["confidence"]), "day": day["day"] or ""}
        else:
            notes.append(raw)
    return [OpinionEntry(**fields) for fields in found.values()]


def _parse_entry(line: str) -> dict[str, Any]:
    """What the line of a belief says before its id."""
    line = line[1:].lstrip() if line[:1] in ("-", "*") else line
    told = _match_confidence(line)
    if told is None:
        return {"statement": unescape_inline(line)}
    return {
        "statement": unescape_inline(line[: told.start()]),
        "confidence": _confidence(told["confidence"]),
        "day": told["day"] or told["cited"] or "",
    }


def _match_confidence(line: str) -> re.Match[str] | None:
    """The last place that reads so: what is quoted behind it has no such marks."""
    starts = [found.start() for found in re.finditer(r" · \*\*[\d.,]+\*\*", line)]
    return _TELLING.match(line, starts[-1]) if starts else None


def decides(line: str, entry: dict[str, Any]) -> bool:
    """Whether a line is a decision (`pin: 0.8`, `retracted`), which goes into the entry."""
    if found := _PIN.match(line):
        pin = _confidence(found["value"])
        entry |= {"pin": pin, "pin_since": parse_day(found["since"])}
        return pin is not None
    if found := _RETRACTED.match(line):
        entry |= {"retracted": True, "retracted_since": parse_day(found["since"])}
    elif found := _RESTATED.match(line):
        entry["restated_since"] = parse_day(found["since"])
    return found is not None


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
