"""Facts as retain lines: readable where that reads back exactly, escaped elsewhere.

Also what lint would write in a line's place: the same facts are read from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from lorebank.domain.facts import Fact, FactKind, Mention, Origin, Stance
from lorebank.domain.reports import LintFinding
from lorebank.language.folding import fold
from lorebank.markdown.fact_lines import BLANK, PLACEHOLDERS, parse_fact_line
from lorebank.markdown.mentions import find_mentions, linked_source, mention_source
from lorebank.markdown.origin import origin_mark
from lorebank.markdown.plain import escape_markup, plain_text
from lorebank.markdown.sections import label_length, label_title, looks_like_retain


def format_fact(fact: Fact) -> str:
    """The list item that is read as this fact, its details nested below; no final line ending.

    `- O(c=0.95) @Peter: Prefers concise replies on WhatsApp. (+o-3f2a)`
    """
    confidence = "" if fact.confidence is None else f"(c={_decimal(fact.confidence)})"
    subjects = "".join(f" {_subject(m)}" for m in fact.mentions if m.subject)
    prefix = f"{fact.kind.letter}{confidence}{subjects}:"
    signs = {Stance.FOR: "+", Stance.AGAINST: "-"}
    marks = "".join(f" ({signs[m.stance]}{m.opinion_id})" for m in fact.marks)
    marks += "".join(f" (ends {id})" for id in fact.ends) + origin_mark(fact.origin, fact.author)
    lines = [f"- {prefix} {_content(fact, prefix, marks)}{marks}"]
    for detail in fact.details:
        reads_alike = plain_text(detail) == detail and "<" not in detail
        lines.append(f"  - {detail if reads_alike else escape_markup(detail)}")
    return "\n".join(lines)


def _subject(mention: Mention) -> str:
    """A name that a template would use is bracketed: somebody may be called so."""
    is_placeholder = mention.slug in PLACEHOLDERS
    return linked_source(mention.name) if is_placeholder else mention_source(mention.name)


def _decimal(number: float) -> str:
    """The shortest decimal that reads back as this number, never with an exponent."""
    text = repr(number)
    return f"{number:.30f}".rstrip("0").rstrip(".") or "0" if "e" in text else text


_TAG = re.compile(r"<(?!\d)")
"""What may open a tag or comment, also for other readers of the file; `<1500` opens none."""
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
        if not _TAG.search(content) and (*same, *marked) == _said(fact):
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


_BULLET = re.compile(r"(?P<indent>\s*)(?:[-*+•▪–—](?![-*+])\s*|\d{1,9}[.)]\s+)?")
_HEADING = re.compile(r"(?P<marks>\s*#{1,6}\s*)")
_CUT_NAME = re.compile(
    r"@(?P<name>\w[\w'’-]*(?:[ \t]+[^\W\d_][\w'’-]*){1,3})(?=[ \t]*[:：])", re.UNICODE
)
_TITLE = re.compile(r"[\w].*[\w]|\w")


def with_fixes(
    findings: Sequence[LintFinding], text: str, headings: Collection[str]
) -> tuple[LintFinding, ...]:
    """The findings of one file, each with what its first line would become."""
    lines = text.split("\n")
    return tuple(
        replace(
            each,
            fix=fixed_line(each.code, lines[each.source.start_line - 1].rstrip("\r"), headings),
        )
        if each.source.start_line <= len(lines)
        else each
        for each in findings
    )


def apply_fixes(findings: Sequence[LintFinding], text: str) -> str:
    """The text of a file with every fix in it; line endings stay."""
    lines = text.split("\n")
    for finding in findings:
        if finding.fix:
            number = finding.source.start_line - 1
            end = "\r" if lines[number].endswith("\r") else ""
            lines[number] = finding.fix.replace("\n", f"{end}\n") + end
    return "\n".join(lines)


def fixed_line(code: str, line: str, headings: Collection[str]) -> str:
    """What a line should become; empty where a person has to decide. May be several lines."""
    if code == "heading-slip":
        return _heading(line, headings)
    if code == "heading-label":
        return _label(line, headings)
    if code == "name-cut-short":
        fixed = _CUT_NAME.sub(lambda found: linked_source(found["name"]), line, count=1)
        return fixed if fixed != line else ""
    if code in ("line-dress", "confidence-dress"):
        return _typed(line)
    return ""


def _heading(line: str, headings: Collection[str]) -> str:
    marks = _HEADING.match(line)
    words = {fold(word): word for word in headings}
    title = line[marks.end() :] if marks else label_title(line)
    meant = looks_like_retain(title, words)
    if meant and not marks:  # a label stays one: a heading takes in more
        return line.replace(title, words[meant])
    return f"{marks['marks'].strip()} {words[meant]}" if marks and meant else ""


def _label(line: str, headings: Collection[str]) -> str:
    """`**Retain:**` → `## Retain`; a fact behind the label goes into a line of its own."""
    length = label_length(line, {fold(word) for word in headings})
    title = _TITLE.search(line[:length] if length else line)
    rest = line[length:].strip() if length else ""
    if title is None:
        return ""
    fact = _typed(rest) or f"- {rest}" if rest.strip("*_") else ""
    return f"## {title.group().strip(' :')}" + (f"\n{fact}" if fact else "")


def _typed(line: str) -> str:
    """The line with a plain list marker, kind, confidence and mentions; its content as it is."""
    bullet = _BULLET.match(line)
    indent = bullet["indent"] if bullet else ""
    text = line[bullet.end() :] if bullet else line
    read = parse_fact_line(text)
    if not read.has_kind or read.content_start < 0:
        return ""
    confidence = "" if read.confidence is None else f"(c={read.confidence:g})"
    letter = FactKind(read.kind).letter
    subjects = "".join(f" {mention_source(m.name)}" for m in read.mentions if m.subject)
    said = text[read.content_start :].lstrip()
    goes_on = bool(subjects) and not read.has_colon and said[:1].isupper()  # `@Tante Grete sings`
    fixed = f"{indent}- {letter}{confidence}{subjects}{' ' if goes_on else ': '}{said}"
    again = parse_fact_line(fixed.removeprefix(indent + "- "))
    same = (again.kind, again.mentions, again.confidence, again.content, again.marks)
    return (
        fixed
        if fixed != line
        and same == (read.kind, read.mentions, read.confidence, read.content, read.marks)
        else ""
    )
