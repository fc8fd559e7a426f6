"""One reflect run: read, plan, show as a patch, write page by page, keep a journal.

Every page is written atomically and only if it still is what was read. A run that is killed leaves
whole pages; the next one writes the rest. A night without news writes nothing, no journal either.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path, PurePosixPath

from lorebank.config import Config
from lorebank.domain import Diagnostic, OpenPair, Opinion, ReflectReport
from lorebank.index.connection import Connection
from lorebank.index.entities import display_names, list_entities
from lorebank.index.items import all_facts
from lorebank.index.opinions import load_opinions
from lorebank.index.slots import superseded_facts
from lorebank.markdown.facts import RETAIN_HEADINGS
from lorebank.markdown.opinion_page import OPINIONS_PATH, parse_opinion_page
from lorebank.markdown.proposal_pages import PROPOSAL_PAGES
from lorebank.reflect.by_hand import dated, read_entries
from lorebank.reflect.edits import PageEdit
from lorebank.reflect.journal import Moved, journal_path, write_journal_text
from lorebank.reflect.materialise import opinions_under, with_trend
from lorebank.reflect.pages import (
    EXPERIENCE_PATH,
    WORLD_PATH,
    BankContent,
    newest_day,
    page_paths,
    plan_pages,
)
from lorebank.reflect.proposals import Proposing, plan_proposal_edits, read_core_memory
from lorebank.reflect.relocation import relocate
from lorebank.reflect.standing import (
    Ask,
    StandingAnswers,
    ask_standing,
    plan_answers,
    write_answers,
)
from lorebank.reflect.suggest import suggest_lines
from lorebank.reflect.unsure_queue import unsure_queue
from lorebank.reflect.writing import Writer
from lorebank.workspace.atomic import write_atomic
from lorebank.workspace.diff import unified

__all__ = ["reflect_workspace"]

UNSURE_NAMED = 5
"""Pairs of the unsure queue that a journal names."""
MAX_ROUNDS = 5
"""Line numbers settle in two or three rounds."""

_CONFIDENCE = re.compile(r"· confidence \*\*([0-9.]+)\*\*")
_UTF8_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class _Page:
    """A page as it was read."""

    data: bytes
    text: str
    mark: bytes
    """The byte order mark that it begins with, or nothing."""


def reflect_workspace(
    connection: Connection,
    root: Path,
    config: Config,
    *,
    today: date,
    since: date | None = None,
    until: date | None = None,
    dry_run: bool = False,
    infer: bool = False,
    ask: Ask | None = None,
    writer: Writer | None = None,
) -> ReflectReport:
    """Bring the bank's pages up to date; the caller holds the workspace's lock and has synced.

    `since`: only entities with facts recorded from that day on. `until`: facts recorded later are
    left out, and the pages are those of that day. `infer`: suggest retain lines for logs without
    a retain section. `ask` answers the standing questions, `writer` puts the answers in words.
    """
    content = _content(connection, root, config, today, until)
    answers = ask_standing(root, content, ask, connection if until is None else None)
    headings = (*RETAIN_HEADINGS, *config.retain.headings)
    proposing = _proposing(root, config, content, headings, infer=infer)
    pages, problems = _read_pages(root, content, answers.paths)
    old = {path: page.text for path, page in pages.items()}
    answers = write_answers(answers, content, old, writer)
    skipped = {problem.path for problem in problems}
    only = _touched(content, since)
    content, edits = _settled_plan(content, proposing, answers, old, only, headings)
    edits = [edit for edit in edits if edit.path not in skipped]
    moved = _moved(old.get(OPINIONS_PATH, ""), content.opinions)
    journal = journal_path(today) if edits else None
    if journal is not None and _is_linked(root, journal):
        message = "is reached by a symbolic link; no journal was written"
        problems = (*problems, Diagnostic(journal, 0, "page-skipped", message))
        journal = None
    if edits and not dry_run:
        _write(root, edits, pages)
        if journal is not None:
            unsure = unsure_queue(connection, limit=UNSURE_NAMED).pairs
            _write_journal(root, today, edits, moved, unsure)
    return ReflectReport(
        changed=tuple(edit.path for edit in edits),
        patch="".join(unified(edit.old, edit.new, edit.path) for edit in edits),
        journal=journal,
        dry_run=dry_run,
        facts_read=len(content.facts),
        opinions_moved=tuple((m.opinion.id, m.opinion.statement, m.before, m.after) for m in moved),
        problems=(
            *problems,
            *proposing.problems,
            *answers.problems,
            *(d for edit in edits for d in edit.diagnostics),
        ),
    )


def _settled_plan(
    content: BankContent,
    proposing: Proposing,
    answers: StandingAnswers,
    old: Mapping[str, str | None],
    only: set[str] | None,
    headings: Sequence[str],
) -> tuple[BankContent, list[PageEdit]]:
    """The edits, with citations that hold after they are written."""
    for _ in range(MAX_ROUNDS):
        edits = [
            *plan_pages(content, old, only=only),
            *plan_proposal_edits(content, proposing, old),
            *plan_answers(content, answers, old),
        ]
        moved = relocate(content, edits, headings=headings)
        if moved is content:
            break
        content = moved
    return content, sorted(edits, key=lambda edit: edit.path)


def _content(
    connection: Connection, root: Path, config: Config, today: date, until: date | None
) -> BankContent:
    facts = all_facts(connection)
    if until is not None:
        facts = tuple(f for f in facts if f.recorded is None or f.recorded <= until)
    entries = read_entries(root)
    by_hand = dated(entries, facts, today)
    opinions = (
        load_opinions(connection)
        if until is None and by_hand == entries
        else opinions_under(connection, root, config.reflect, as_of=until, entries=by_hand)
    )
    names = display_names(connection, {slug for o in opinions for slug in o.entities})
    # Trends are told for the newest day recorded, not for today: no news, no change.
    newest = newest_day(facts)
    return BankContent(
        facts=facts,
        opinions=tuple(
            replace(
                with_trend(opinion, newest) if newest else opinion,
                entities=tuple(names.get(slug, slug) for slug in opinion.entities),
            )
            for opinion in opinions
        ),
        entries=by_hand,
        entities={entity.slug: entity for entity in list_entities(connection)},
        superseded=superseded_facts(connection, as_of=until),
    )


def _proposing(
    root: Path, config: Config, content: BankContent, headings: Sequence[str], *, infer: bool
) -> Proposing:
    core, problems = read_core_memory(root, config.reflect.core_token_budget)
    suggested = suggest_lines(
        root, config, content.facts, content.entities, core.rulings, headings, everywhere=infer
    )
    return Proposing(core, suggested, problems)


def _touched(content: BankContent, since: date | None) -> set[str] | None:
    if since is None:
        return None
    recent = (f for f in content.facts if f.recorded is not None and f.recorded >= since)
    return {slug for fact in recent for slug in fact.slugs}


def _read_pages(
    root: Path, content: BankContent, standing: Sequence[str]
) -> tuple[dict[str, _Page], tuple[Diagnostic, ...]]:
    """The pages that may change, by path, and those that cannot be read as text."""
    pages: dict[str, _Page] = {}
    problems: list[Diagnostic] = []
    digests = (WORLD_PATH, EXPERIENCE_PATH, OPINIONS_PATH)
    paths = [*digests, *PROPOSAL_PAGES, *page_paths(content).values(), *standing]
    for path in sorted(set(paths)):
        file = root / path
        if _is_linked(root, path):
            message = "is reached by a symbolic link; left alone"
            problems.append(Diagnostic(path, 0, "page-skipped", message))
            continue
        try:
            data = file.read_bytes()
        except FileNotFoundError:
            continue
        mark = _UTF8_MARK if data.startswith(_UTF8_MARK) else b""
        try:
            pages[path] = _Page(data, data[len(mark) :].decode("utf-8"), mark)
        except UnicodeDecodeError as problem:
            message = f"invalid UTF-8 at byte {problem.start}; the page was left alone"
            problems.append(Diagnostic(path, 0, "page-skipped", message))
    return pages, tuple(problems)


def _is_linked(root: Path, path: str) -> bool:
    """Whether the page, or a folder on the way to it, is a link: it may lead anywhere."""
    steps = [PurePosixPath(path), *PurePosixPath(path).parents]
    return any((root / step).is_symlink() for step in steps[:-1])


def _write(root: Path, edits: Sequence[PageEdit], pages: Mapping[str, _Page]) -> None:
    for edit in edits:
        page = pages.get(edit.path)
        file = root / edit.path
        if edit.new is None:
            file.unlink(missing_ok=True)
            continue
        data = (page.mark if page else b"") + edit.new.encode("utf-8")
        write_atomic(file, data, expected=page.data if page else None)


def _write_journal(
    root: Path,
    today: date,
    edits: Sequence[PageEdit],
    moved: Sequence[Moved],
    unsure: Sequence[OpenPair],
) -> None:
    file = root / journal_path(today)
    before = file.read_bytes() if file.exists() else None
    text = write_journal_text(
        before.decode("utf-8", "replace") if before else None, today, edits, moved, unsure
    )
    write_atomic(file, text.encode("utf-8"), expected=before)


def _moved(page: str, opinions: Sequence[Opinion]) -> tuple[Moved, ...]:
    """Opinions whose confidence is not what the page says, new ones included."""
    told = _told_confidences(page)
    return tuple(
        Moved(opinion, told.get(opinion.id), round(opinion.confidence, 2))
        for opinion in sorted(opinions, key=lambda o: o.id)
        if told.get(opinion.id) != round(opinion.confidence, 2)
    )


def _told_confidences(page: str) -> dict[str, float]:
    entries, _ = parse_opinion_page(page)
    lines = page.split("\n")
    told: dict[str, float] = {}
    for entry in entries:
        body = "\n".join(lines[entry.line : entry.line + 8])
        found = _CONFIDENCE.search(body)
        if found and not entry.deleted:
            told[entry.id] = float(found[1])
    return told
