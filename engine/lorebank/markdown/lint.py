"""Fixes for what lint finds: one line rewritten, with the same facts read from it. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from lorebank.domain.facts import FactKind
from lorebank.domain.reports import LintFinding
from lorebank.language.folding import fold
from lorebank.markdown.fact_lines import parse_fact_line
from lorebank.markdown.mentions import linked_source, mention_source
from lorebank.markdown.sections import label_length, looks_like_retain

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
    meant = looks_like_retain(line[marks.end() :] if marks else line, words)
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
    fixed = f"{indent}- {letter}{confidence}{subjects}: {text[read.content_start :].lstrip()}"
    again = parse_fact_line(fixed.removeprefix(indent + "- "))
    same = (again.kind, again.mentions, again.confidence, again.content, again.marks)
    return (
        fixed
        if same == (read.kind, read.mentions, read.confidence, read.content, read.marks)
        else ""
    )
