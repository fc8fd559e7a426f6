"""Facts as retain lines: readable where that reads back exactly, escaped elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lorebank.domain.facts import EvidenceMark, Fact, Mention, Origin, Stance
from lorebank.markdown.fact_lines import BLANK, PLACEHOLDERS, parse_fact_line
from lorebank.markdown.mentions import find_mentions, linked_source, mention_source
from lorebank.markdown.origin import origin_mark
from lorebank.markdown.plain import escape_markup, plain_text


def format_fact(fact: Fact) -> str:
    """The list item that is read as this fact, its details nested below; no final line ending.

    `- O(c=0.95) @Peter: Prefers concise replies on WhatsApp. (+o-3f2a)`
    """
    prefix = _prefix(fact)
    marks = "".join(f" {_mark(mark)}" for mark in fact.marks)
    marks += "".join(f" (ends {id})" for id in fact.ends) + origin_mark(fact.origin, fact.author)
    lines = [f"- {prefix} {_content(fact, prefix, marks)}{marks}"]
    lines += [f"  - {_escaped_where_needed(detail)}" for detail in fact.details]
    return "\n".join(lines)


def _prefix(fact: Fact) -> str:
    confidence = "" if fact.confidence is None else f"(c={_decimal(fact.confidence)})"
    subjects = "".join(f" {_subject(m)}" for m in fact.mentions if m.subject)
    return f"{fact.kind.letter}{confidence}{subjects}:"


def _subject(mention: Mention) -> str:
    """A name that a template would use is bracketed: somebody may be called so."""
    is_placeholder = mention.slug in PLACEHOLDERS
    return linked_source(mention.name) if is_placeholder else mention_source(mention.name)


def _decimal(number: float) -> str:
    """The shortest decimal that reads back as this number, never with an exponent."""
    text = repr(number)
    return f"{number:.30f}".rstrip("0").rstrip(".") or "0" if "e" in text else text


def _mark(mark: EvidenceMark) -> str:
    return f"({'+' if mark.stance is Stance.FOR else '-'}{mark.opinion_id})"


_DRESSINGS: tuple[Callable[[str], str], ...] = (str, lambda text: text.replace("<", "&lt;"))


def _content(fact: Fact, prefix: str, marks: str) -> str:
    """The first readable form whose whole line parses back to the fact, else the escaped form."""
    if BLANK.fullmatch(fact.content):
        return "".join(f"&#{ord(char)};" for char in fact.content)
    for dress in _DRESSINGS:
        content = "".join(_pieces(fact, dress))
        line = parse_fact_line(f"{prefix} {content}{marks}")
        same = (line.kind, line.mentions, line.confidence, line.content)
        marked = (line.marks, line.ends, line.origin)
        if "<" not in content and (*same, *marked) == _said(fact):
            return content
    return "".join(_pieces(fact, escape_markup))


def _said(fact: Fact) -> tuple[object, ...]:
    origin = None if fact.origin is Origin.OWNER else fact.origin
    said = (fact.kind, fact.mentions, fact.confidence, fact.content)
    return (*said, fact.marks, fact.ends, origin)


def _pieces(fact: Fact, dress: Callable[[str], str]) -> Iterator[str]:
    """The content with its mentions marked again, each at the first place after the last one."""
    text = fact.content
    position = 0
    for mention in fact.mentions:
        if mention.subject:
            continue
        found = text.find(mention.name, position)
        if found < 0:
            continue
        yield dress(text[position:found])
        position = found + len(mention.name)
        if dress is escape_markup:
            yield linked_source(mention.name)
        else:
            yield _marked(mention, text[max(found - 1, 0) : found], text[position : position + 20])
    yield dress(text[position:])


def _marked(mention: Mention, before: str, after: str) -> str:
    """The plain form where it is read as this name between its neighbours, else the bracketed."""
    source = mention_source(mention.name)
    found = find_mentions(before + source + after)
    place = (mention.name, len(before), len(before) + len(source))
    if any((m.name, start, end) == place for m, start, end in found):
        return source
    return linked_source(mention.name)


def _escaped_where_needed(text: str) -> str:
    return text if plain_text(text) == text and "<" not in text else escape_markup(text)
