"""JSONL: our own export, and objects of any program with a `text`; also as a JSON array.

    {"text": "Prefers tea.", "kind": "opinion", "entities": ["Peter"], "date": "2025-11-27",
     "confidence": 0.9}

Each day becomes a file with a retain section; facts without a day go into `undated`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date
from typing import Any

from lorebank.domain.facts import Diagnostic, EvidenceMark, Fact, FactKind, Mention, Stance
from lorebank.exchange.conversations import parse_moment
from lorebank.exchange.notes import ImportedNote, NoteStream, entity_mention, retain_line
from lorebank.exchange.prose import clean, shareable_text
from lorebank.exchange.source import BROKEN, BrokenJson, json_values
from lorebank.markdown.fact_lines import begins_typed, parse_fact_line
from lorebank.markdown.facts import new_fact
from lorebank.workspace.given import Source

TEXT_KEYS = ("text", "content", "fact", "memory", "statement", "observation")
_ENTITY_KEYS = ("entities", "entity", "subjects", "people", "about")
_DAY_KEYS = ("date", "day", "timestamp", "time", "created_at", "createdAt", "created", "at")
_KINDS = {**{kind.value: kind for kind in FactKind}, **{k.letter.lower(): k for k in FactKind}}
_MAX_LINE_BYTES = 4_000_000
"""No text worth remembering is longer."""
_UNREAD = "line-unread"
Problem = tuple[str, str]


def read_jsonl(source: Source) -> NoteStream:
    """The facts of each file as one note per day, and the lines left out."""
    for path in source.paths:
        if path and not path.lower().endswith((".jsonl", ".ndjson", ".json")):
            yield Diagnostic(path, 0, "not-jsonl", "is not JSONL; left out")
            continue
        place = path or source.root.name
        try:
            yield from _days(source.read(path), place, prefix=path.rpartition(".")[0])
        except OSError as error:
            yield source.unread(path, error)


def _days(data: bytes, place: str, prefix: str) -> NoteStream:
    days: dict[date | None, dict[str, Fact]] = {}
    for number, fact, problems in _facts(data, place):
        yield from (Diagnostic(place, number, *problem) for problem in problems)
        if fact is None:
            continue
        of_day = days.setdefault(fact.recorded, {})
        if fact.id in of_day:
            yield Diagnostic(place, number, "said-twice", "repeats an earlier line")
        of_day.setdefault(fact.id, fact)
    for day in sorted(days, key=lambda each: (each is None, each or date.min)):
        shown = day.isoformat() if day else "undated"
        lines = "\n".join(retain_line(fact) for fact in days[day].values())
        name = f"{prefix}/{shown}" if prefix else shown
        yield ImportedNote(name, name, f"# {shown}\n\n## Retain\n{lines}\n", place, day)


def _facts(data: bytes, place: str) -> Iterator[tuple[int, Fact | None, Sequence[Problem]]]:
    """The fact of each line, or of each element of a JSON array."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    if data.lstrip().startswith(b"["):
        try:
            for line, value in json_values(data):
                yield line, *_read_value(value, f"{place}:{line}")
        except BrokenJson as error:
            yield error.line, None, ((BROKEN, f"{error}; what came before it is imported"),)
        return
    for line, content in enumerate(data.split(b"\n"), start=1):
        if len(content) > _MAX_LINE_BYTES:
            yield line, None, (("line-too-long", "is longer than 4 MB; left out"),)
        elif content.strip():
            yield line, *read_line(content, f"{place}:{line}")


def read_line(line: bytes, place: str = "") -> tuple[Fact | None, tuple[Problem, ...]]:
    """The fact of one line, or `None`, and problems."""
    try:
        value = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return None, ((_UNREAD, f"is not UTF-8 at byte {error.start}; left out"),)
    except json.JSONDecodeError as error:
        return None, (
            (_UNREAD, f"{error.msg.removesuffix(' at')} at column {error.colno}; left out"),
        )
    except (ValueError, RecursionError) as error:
        return None, ((_UNREAD, f"cannot be read ({error}); left out"),)
    return _read_value(value, place)


def _read_value(value: object, place: str) -> tuple[Fact | None, tuple[Problem, ...]]:
    if not isinstance(value, dict):
        return None, (("no-text", "is not a JSON object; left out"),)
    found = next((value[key] for key in TEXT_KEYS if isinstance(value.get(key), str)), "")
    text, hidden = shareable_text(clean(found), place)
    problems: list[Problem] = [(problem.code, problem.message) for problem in hidden]
    text = " ".join(text.split("\n")).strip()
    if not text:
        return None, (*problems, ("no-text", "has no text; left out"))
    written = None
    if (said := value.get("kind")) is not None:
        written = _KINDS.get(str(said).strip().lower())
        if written is None:
            what = f"kind {str(said)[:40]!r} is none of {', '.join(FactKind)}; read as world"
            problems.append(("kind-unknown", what))
    confidence = None
    if (said := value.get("confidence")) is not None:
        if isinstance(said, int | float) and not isinstance(said, bool) and 0 <= said <= 1:
            confidence = float(said)
        else:
            what = f"confidence {str(said)[:40]} is not a number from 0 to 1; imported without it"
            problems.append(("confidence-out-of-range", what))
    mentions = _mentions(value, problems)
    if written is None and not mentions and begins_typed(text):
        line = parse_fact_line(text)
        if line.content:
            confidence = line.confidence if confidence is None else confidence
            written, text, mentions = line.kind, line.content, line.mentions
    fact = new_fact(
        written or (FactKind.WORLD if confidence is None else FactKind.OPINION),
        text,
        mentions,
        _day(value, problems),
        confidence=confidence,
        marks=_marks(value.get("marks")),
        details=tuple(each for each in _texts(value.get("details")) if each.strip()),
    )
    return fact, tuple(problems)


def _mentions(value: Mapping[str, Any], problems: list[Problem]) -> tuple[Mention, ...]:
    names = _texts(next((value[key] for key in _ENTITY_KEYS if value.get(key)), None))
    subjects = value.get("subjects")
    before_colon = set(_texts(subjects)) if isinstance(subjects, list) else set(names)
    found = [(name, entity_mention(name, subject=name in before_colon)) for name in names]
    unread = (name for name, mention in found if mention is None)
    problems += [("entity-unread", f"{n[:40]!r} cannot be linked as a name") for n in unread]
    return tuple(mention for _, mention in found if mention is not None)


def _day(value: Mapping[str, Any], problems: list[Problem]) -> date | None:
    key = next((key for key in _DAY_KEYS if value.get(key)), "")
    key = "recorded" if "recorded" in value else key
    found = value.get(key)
    found = found.get("start") if isinstance(found, dict) else found
    if found is None or found == "":
        return None
    moment = None if isinstance(found, str) else parse_moment(found, UTC)
    try:
        return moment.date() if moment else date.fromisoformat(str(found).strip()[:10])
    except ValueError:
        what = f"{key} {str(found)[:40]!r} is not a date; imported without a day"
        problems.append(("date-invalid", what))
    return None


def _texts(found: object) -> Sequence[str]:
    """From a text, a list of texts, or a list of objects with a `name`."""
    if isinstance(found, str):
        return [found]
    if not isinstance(found, list):
        return []
    named = (each.get("name") if isinstance(each, dict) else each for each in found)
    return [clean(each) for each in named if isinstance(each, str)]


def _marks(found: object) -> tuple[EvidenceMark, ...]:
    """`["+o-3f2a"]`, as in our own export."""
    marks = (each for each in _texts(found) if each[1:3] == "o-" and each[3:].isalnum())
    stances = {"+": Stance.FOR, "-": Stance.AGAINST}
    return tuple(EvidenceMark(stances[each[0]], each[1:]) for each in marks if each[0] in stances)
