"""Looking back: what went off.

Nothing here is kept: each answer is worked out from the lines. Of links on pages, those in code are
passed over, and whatever leads out of the workspace: it is not ours to look up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from lorebank.beliefs import history
from lorebank.beliefs.forming import stated_opinions
from lorebank.database.connection import Connection
from lorebank.domain.facts import Citation, Fact, Opinion, OpinionStatus
from lorebank.domain.reports import RotFinding, RotKind, RotReport
from lorebank.index.items import all_facts, marked_facts
from lorebank.index.succession import what_is_over
from lorebank.markdown.ledger import parse_evidence_lines, parse_line_rulings
from lorebank.markdown.mentions import WIKILINK, code_spans, is_day_link, link_title
from lorebank.markdown.source import FenceScanner, decode, split_lines
from lorebank.names.who import resolve_name
from lorebank.workspace import layout
from lorebank.workspace.files import SourceFile, read_bytes
from lorebank.workspace.recalled import Recalled


def rot_report(
    connection: Connection,
    root: Path,
    sources: Sequence[SourceFile],
    opinions: Sequence[Opinion],
    recalled: Recalled | None,
    *,
    day: date,
) -> RotReport:
    """Opinions as believed on `day`; journals and proposals tell of their own day: left out."""
    pages = (
        s for s in sources if layout.is_core(s.path) or s.path.startswith(f"{layout.BANK_FOLDER}/")
    )
    texts = {
        source.path: text
        for source in pages
        if not layout.is_generated(source.path) and (text := _text(root, source)) is not None
    }
    superseded = what_is_over(connection, as_of=day, today=day).superseded
    facts = all_facts(connection)
    unrecalled = None
    if recalled is not None and (day - recalled.since).days >= history.NOTED_DAYS:
        unrecalled = list(history.unrecalled_lines(facts, opinions, superseded, recalled, day=day))
    findings = [
        *history.rotten_opinions(opinions, superseded, day=day),
        *(unrecalled or [])[: history.UNRECALLED_SHOWN],
        *_dangling(connection, root, sources, texts),
        *_unknown_ids(connection, facts, opinions, texts, day),
    ]
    live = sum(opinion.status is OpinionStatus.LIVE for opinion in opinions)
    found = None if unrecalled is None else len(unrecalled)
    return RotReport(day, live, len(texts), history.rank_findings(findings), found)


def _text(root: Path, source: SourceFile) -> str | None:
    try:
        return decode(read_bytes(root, source), source.path)[0]
    except OSError:
        return None


def _dangling(
    connection: Connection, root: Path, sources: Sequence[SourceFile], texts: Mapping[str, str]
) -> Iterator[RotFinding]:
    by_path = {source.path: source for source in sources}
    stems = {path.rpartition("/")[2][: -len(".md")].casefold() for path in by_path}

    @cache
    def lines_of(path: str) -> int | None:
        if path in by_path:
            text = texts.get(path) or _text(root, by_path[path])
            return None if text is None else len(split_lines(text))
        file = root / path  # no memory, perhaps (a README, a journal); links are not followed
        try:
            if not file.resolve().is_relative_to(root.resolve()) or not file.is_file():
                return None
            return len(split_lines(decode(file.read_bytes(), path)[0]))
        except OSError:
            return None

    @cache
    def is_known(name: str) -> bool:
        stem = name.removesuffix(".md").rpartition("/")[2].casefold()
        return stem in stems or resolve_name(connection, name).entity is not None

    return dangling_links(texts, lines_of=lines_of, is_known=is_known)


def _unknown_ids(
    connection: Connection,
    facts: Sequence[Fact],
    opinions: Sequence[Opinion],
    texts: Mapping[str, str],
    day: date,
) -> Iterator[RotFinding]:
    """Rulings on facts or opinions, and marks on lines, whose other end is not there any more."""
    known = {opinion.id for opinion in opinions}
    known |= stated_opinions(facts)
    there = {fact.id for fact in facts}
    evidence = parse_evidence_lines(texts.get(layout.EVIDENCE_PAGE, ""), layout.EVIDENCE_PAGE)[0]
    on_lines = parse_line_rulings(texts.get(layout.DECISIONS_PAGE, ""), layout.DECISIONS_PAGE)[0]
    ruled = [
        *((id_, r.citation) for r in evidence for id_ in (r.fact_id, r.opinion_id)),
        *((id_, r.citation) for r in on_lines for id_ in (r.newer, r.older)),
    ]
    for id_, place in ruled:
        if id_ not in there and id_ not in known:
            why = f"rules on {'a fact' if id_.startswith('f-') else 'an opinion'} that is gone"
            yield RotFinding(RotKind.DANGLING, "", id_, place, why)
    for fact, id_, why in unknown_marks(marked_facts(connection), there, known):
        if fact.recorded is None or fact.recorded <= day:
            yield RotFinding(RotKind.DANGLING, fact.id, id_, fact.citation, why)


def unknown_marks(
    marked: Iterable[Fact], facts: Collection[str], opinions: Collection[str]
) -> Iterator[tuple[Fact, str, str]]:
    """`(+o-…)` and `(ends f-…)` whose id none of these facts or opinions has, and why that is no
    use."""
    for fact in marked:
        for mark in fact.marks:
            if not any(opinion_id.startswith(mark.opinion_id) for opinion_id in opinions):
                yield fact, mark.opinion_id, "the line is marked for an opinion that is not there"
        for ended in fact.ends:
            if ended not in facts:
                yield fact, ended, "the line is marked to end a fact that is not there"


_LINK = re.compile(
    r"\]\((?:<(?P<angled>[^<>\n]+)>|(?P<plain>[^\s()<>]+))"
    r"(?:\s+(?P<quote>[\"'])[^\"'\n]{0,300}(?P=quote))?\s*\)"
)
_WIKILINK = re.compile(WIKILINK)
_CITATION = re.compile(
    r"(?<![\w/(\[.-])(?P<path>(?:memory|bank)/[^\s()\[\]#`'\"]+\.md)#L(?P<line>\d+)"
)
_FRAGMENT = re.compile(r"\AL(?P<start>\d+)(?:-L?(?P<end>\d+))?\Z")
_SCHEME = re.compile(r"\A(?:[a-z][a-z0-9+.-]*:|//|#)", re.IGNORECASE)
LineCount = Callable[[str], int | None]
"""Workspace path → how many lines its file has; `None` where there is none."""


def dangling_links(
    pages: Mapping[str, str], *, lines_of: LineCount, is_known: Callable[[str], bool]
) -> Iterator[RotFinding]:
    """The findings of some pages (path → text); `is_known` says whether a wikilink's name leads
    anywhere."""
    for path, text in pages.items():
        fences = FenceScanner()
        for number, line in enumerate(split_lines(text), start=1):
            if not fences.feed(line):
                for shown, reason in _of_line(path, line, lines_of, is_known):
                    place = Citation(path, number, number)
                    yield RotFinding(RotKind.DANGLING, "", shown, place, reason)


def _of_line(
    page: str, line: str, lines_of: LineCount, is_known: Callable[[str], bool]
) -> Iterator[tuple[str, str]]:
    bare = _without_code(line)
    for link in _LINK.finditer(bare):
        target = link["angled"] or link["plain"]
        reason = None if _SCHEME.match(target) else _target_problem(page, target, lines_of)
        if reason:
            yield target, reason
    for wikilink in _WIKILINK.finditer(bare):
        name = link_title(wikilink["title"])
        if is_day_link(name):
            continue
        if not is_known(name) and lines_of(_in_folder(page, f"{name}.md") or "") is None:
            yield wikilink.group(), "no entity and no page has this name"
    for cited in _CITATION.finditer(line):
        reason = _line_problem(cited["path"], int(cited["line"]), lines_of)
        if reason:
            yield cited.group(), reason


def _without_code(line: str) -> str:
    for start, end, _ in code_spans(line):
        line = f"{line[:start]}{' ' * (end - start)}{line[end:]}"
    return line


def _target_problem(page: str, target: str, lines_of: LineCount) -> str | None:
    path, _, fragment = target.partition("#")
    inside = _in_folder(page, unquote(path))
    if inside is None or not inside.lower().endswith(".md"):
        return None
    lines = _FRAGMENT.match(fragment)
    return _line_problem(inside, int(lines["end"] or lines["start"]) if lines else 0, lines_of)


def _in_folder(page: str, path: str) -> str | None:
    """A path relative to a page as one of the workspace; `None` where it leads out of it."""
    found = normpath(join(dirname(page), path))
    return None if path.startswith("/") or found.startswith("..") else found


def _line_problem(path: str, line: int, lines_of: LineCount) -> str | None:
    count = lines_of(path)
    if count is None:
        return "there is no such file"
    return f"the file has only {count} lines" if line > count else None
