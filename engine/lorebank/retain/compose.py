"""What is written into a daily log: a fact composed of a sentence and flags, or a note.

What stands there is never changed nor moved, since it may have been cited: a fact goes to the end
of the retain section that ends the file, a note to the end; else a section is opened below.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date

from lorebank.domain.facts import Fact, FactKind, Interval, Mention, Origin
from lorebank.errors import UsageError, WorkspaceError
from lorebank.language.folding import fold, slugify
from lorebank.languages import phrase_lists
from lorebank.markdown.document import append_to_section, last_section, read_document
from lorebank.markdown.fact_lines import begins_typed, parse_fact_line
from lorebank.markdown.facts import extract_facts, new_fact
from lorebank.markdown.sections import folded_headings, opens_retain
from lorebank.markdown.source import newline_style
from lorebank.retain.kinds import kind_of

_LIST_MARKER = re.compile(r"\A[-*+]\s+")
_HIDING = frozenset({"fence-unclosed", "private-unclosed", "block-unclosed"})
"""Codes of what may hide the rest of a file."""
_REFUSED = frozenset({"confidence-not-a-number", "confidence-out-of-range"})


def compose_fact(
    text: str,
    *,
    kind: FactKind | None,
    entities: Sequence[str],
    confidence: float | None,
    day: date,
    names_in: Callable[[str], Sequence[Mention]] = lambda text: (),
) -> Fact:
    """The fact that a text states; `- O(c=0.9) @Peter: …` is understood, flags win over it.

    A plain sentence is given its kind by its words, and links the known names that `names_in` it:
    "Peter prefers tea" is an opinion of @Peter."""
    sentence = one_paragraph(text)
    further = text.strip().splitlines()[1:]
    if any(begins_typed(_without_bullet(line.strip())) for line in further):
        raise UsageError(
            "nothing retained: the text holds several typed lines, and one fact is written a call",
            hint="give each by itself; several may stand on the standard input of a shell",
        )
    if not sentence:
        raise UsageError("nothing to retain: the text is empty", hint="give a whole sentence")
    if confidence is not None and not 0.0 <= confidence <= 1.0:
        raise UsageError(
            f"confidence {confidence:g} is outside 0..1", hint="use a number such as 0.8"
        )
    parsed = parse_fact_line(_without_bullet(sentence))
    for code, message in parsed.problems:
        if code in _REFUSED:
            raise UsageError(f"nothing retained: {message.split(';')[0]}", hint="write it as c=0.8")
    if not parsed.content:
        raise UsageError("nothing to retain: no sentence after the mentions", hint="add one")
    if parsed.is_template:
        raise UsageError(
            "nothing to retain: the line is a template that is not filled in",
            hint="name somebody, and say something of them",
        )
    given = tuple(_mention(name) for name in entities)
    subjects = {mention.slug for mention in given}
    mentions = given + tuple(m for m in parsed.mentions if m.slug not in subjects)
    stated = parsed.confidence if confidence is None else confidence
    implied = kind_of(parsed.content) if stated is None else FactKind.OPINION
    chosen = kind or (parsed.kind if parsed.has_kind else implied)
    if not parsed.has_kind:
        mentions = _linked(parsed.content, chosen, mentions, names_in(parsed.content))
    return new_fact(
        chosen,
        parsed.content,
        mentions,
        day,
        raw=sentence,
        confidence=stated,
        marks=parsed.marks,
        ends=parsed.ends,
        origin=parsed.origin or Origin.OWNER,
    )


def name_in_doubt(text: str) -> str:
    """What to say of a typed line whose name may go on: `@Dana Whitfield: …` is about @Dana, and
    may be meant to be about @[[Dana Whitfield]]; empty where there is no doubt."""
    line = parse_fact_line(_without_bullet(one_paragraph(text)))
    if not line.whole_name:
        return ""
    name, whole = line.mentions[0].name, line.whole_name
    return f"the name ends at @{name}; if @[[{whole}]] is meant, undo this and write it so"


def _linked(
    content: str, kind: FactKind, mentions: tuple[Mention, ...], found: Sequence[Mention]
) -> tuple[Mention, ...]:
    """The mentions with the names found; the first is whom it is about where it leads the sentence
    or holds the opinion, the others stay where they stand."""
    known = {mention.slug for mention in mentions}
    new = [mention for mention in found if mention.slug not in known]
    about = any(mention.subject for mention in mentions)
    if new and not about and (kind is FactKind.OPINION or content.startswith(new[0].name)):
        new[0] = replace(new[0], subject=True)
        return (new[0], *mentions, *new[1:])
    return (*mentions, *new)


def _without_bullet(sentence: str) -> str:
    rest = _LIST_MARKER.sub("", sentence)
    return rest if begins_typed(rest) else sentence


def _mention(name: str) -> Mention:
    plain = name.strip().removeprefix("@").removeprefix("[[").removesuffix("]]").strip()
    slug = slugify(plain)
    if not slug or any(letter in plain for letter in "[]|\n\r"):
        raise UsageError(
            f"'{name}' is no name of an entity", hint="use a name such as Peter or 'The Castle'"
        )
    return Mention(plain, slug, subject=True)


def as_understood(
    kind: str, content: str, mentions: Sequence[Mention], times: Sequence[Interval]
) -> str:
    """A line as it was understood: kind, whom, when."""
    whom = ", ".join(mention.name for mention in mentions)
    when = (" – ".join(dict.fromkeys(str(day or "…") for day in (t.start, t.end))) for t in times)
    nobody = "" if kind == "note" else "about nobody (write @Name to say whom)"
    about = f"about {whom}" if whom else nobody
    return f"{'; '.join(filter(None, [kind, about, ', '.join(when)]))}: {content}"


def retain_title(text: str, headings: Sequence[str]) -> str:
    """The word of `headings` that opens the last retain section of a log; empty without one."""
    words = folded_headings(tuple(headings))
    document = read_document(text, "")
    section = last_section(document, lambda title: opens_retain(title, words))
    return _word(document.lines[section[0]], headings) if section else ""


def _word(title: str, headings: Sequence[str]) -> str:
    found = (word for word in headings if opens_retain(title, [fold(word)]))
    return max(found, key=len, default="")


def append_fact_line(
    text: str, line: str, *, path: str, headings: Sequence[str], title: str = "Retain"
) -> tuple[str, int]:
    """Put a fact (one line, or several with indented continuations) at the end of the last retain
    section, which is opened as `title` at the end of the file where there is none; the text, and
    the line where the fact begins."""
    words = folded_headings(tuple(headings))
    opening = f"## {title}\n"
    return append_to_section(text, line, lambda title: opens_retain(title, words), opening, path)


def refuse_unread(text: str, line: int, *, path: str, headings: Sequence[str]) -> None:
    """`WorkspaceError` where no fact begins on the line: an open fence or tag above hides it."""
    read = extract_facts(read_document(text, path), recorded=None, headings=headings)
    if any(fact.citation.start_line == line for fact in read.facts):
        return
    found = [each for each in (*read.diagnostics, *read.advice) if each.code in _HIDING]
    place = f"{path}:{found[-1].line if found else line}"
    why = found[-1].message if found else "what stands above hides a fact at the end of the log"
    raise WorkspaceError(f"{place}: {why}; nothing retained", hint="mend that line, then try again")


def one_paragraph(text: str) -> str:
    return re.sub(r"\s*[\r\n]+\s*", " ", text).strip()


_BULLET = re.compile(r"\s*(?:[-*+>]\s*|\d+[.)]\s+)*")
_MENTION = re.compile(r"[@\uff20]|\[\[")
_HEADING = re.compile(r"\A(\W*?)(#{1,6}(?=\s|\Z)|=+\s*\Z|-+\s*\Z)")


def new_log(day: date) -> str:
    return f"# {day.isoformat()}\n"


def append_note(text: str, note: str, *, path: str, headings: Sequence[str]) -> tuple[str, int]:
    """The log with the note in it, further lines indented below its bullet; and its first line."""
    document = read_document(text, path)
    words = folded_headings(tuple(headings))
    section = last_section(document, lambda title: opens_retain(title, words))
    if section and not any(line.strip() for line in document.lines[section[1] :]):
        level = next(node.level for node in document.nodes if node.start == section[0])
        opening = f"{'#' * level} {_notes_title(document.lines[section[0]], headings)}\n\n"
        return append_to_section(text, _as_item(note), lambda title: False, opening, path)
    newline = newline_style(text)
    head = text if not text or text.endswith("\n") else text + newline
    head += _gap(head, newline)
    return head + _as_item(note).replace("\n", newline) + newline, head.count("\n") + 1


def _notes_title(title: str, headings: Sequence[str]) -> str:
    """What notes stand under, in the language of a retain heading."""
    word = _word(title, headings)
    listed = phrase_lists("headings").values()
    return next((e["notes"][0] for e in listed if "notes" in e and word in e["retain"]), "Notes")


def _gap(before: str, newline: str) -> str:
    """An empty line, where the text above is not one and no list that the note goes on with."""
    if not before.strip():
        return ""
    last = before.removesuffix("\n").removesuffix("\r").rpartition("\n")[2]
    return "" if not last.strip() or last.startswith(("- ", "* ", "  ")) else newline


def _as_item(note: str) -> str:
    lines = note.replace("\r\n", "\n").replace("\r", "\n").strip().split("\n")
    if not lines[0]:
        raise UsageError("nothing to log: the text is empty")
    first = lines[0].removeprefix("- ")
    return "\n".join(
        [
            f"- {without_heading(first)}",
            *(f"  {without_heading(line)}".rstrip() for line in lines[1:]),
        ]
    )


def without_heading(line: str) -> str:
    """A line that opens no heading and is no typed fact: a note is context, whoever dictated it."""
    bullet = _BULLET.match(line)
    if begins_typed(line[bullet.end() :] if bullet else line):
        line = _MENTION.sub(r"\\\g<0>", line, count=1)
    return _HEADING.sub(r"\1\\\2", line)
