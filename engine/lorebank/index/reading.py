"""Reading one file: its bytes → everything that the index keeps of it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import PurePosixPath

from lorebank.dates.phrases import DatesLeft
from lorebank.dates.times import times_of
from lorebank.domain.facts import (
    LONGEST_READ,
    PROMISE,
    Chunk,
    Diagnostic,
    Fact,
    Interval,
    Origin,
    Passage,
    Task,
    TaskState,
)
from lorebank.index.slots import slots_of
from lorebank.index.sync import ReadSettings
from lorebank.language.folding import slugify
from lorebank.language.statements import promise_in
from lorebank.markdown.document import Document, read_document
from lorebank.markdown.entity_page import find_moved
from lorebank.markdown.facts import extract_facts
from lorebank.markdown.front_matter import FrontMatterValue, parse_front_matter
from lorebank.markdown.hidden import redacted_page, without_own_blocks, without_private
from lorebank.markdown.ledger import (
    LedgerEntry,
    LineRuling,
    parse_evidence_lines,
    parse_ledger,
    parse_line_rulings,
)
from lorebank.markdown.mentions import MOST_MENTIONS, find_mentions
from lorebank.markdown.origin import file_origin
from lorebank.markdown.owner_pages import read_context, scope_of
from lorebank.markdown.passages import chunk_document, extract_passages
from lorebank.markdown.properties import (
    block_facts,
    front_matter_tags,
    note_slug,
    property_facts,
    property_tags,
    property_tasks,
)
from lorebank.markdown.source import decode
from lorebank.markdown.tasks import find_tasks
from lorebank.names.entities import MOVED, SPELLING, NameRow
from lorebank.records import Record
from lorebank.supersede.properties import Slot
from lorebank.trust.quarantine import Confirmation, parse_confirmations
from lorebank.workspace.files import SourceFile
from lorebank.workspace.layout import (
    CONFIRMED_PAGE,
    DECISIONS_PAGE,
    EVIDENCE_PAGE,
    FORGOTTEN_PAGE,
    FileRole,
)

LEDGER_PATH = "bank/identity.md"
_ENTITY_FOLDER = "bank/entities/"
_LETTER = re.compile(r"[^\W\d_]")
_MOST_DATES = 8_000  # in the prose of one file; what names more is a list for a program


class ReadFile(Record):
    """What one file holds."""

    source: SourceFile
    hash: str
    title: str
    text: str = ""
    """Searchable text: private parts and managed blocks blanked, lines kept."""
    facts: tuple[Fact, ...] = ()
    slots: tuple[tuple[Slot, ...], ...] = ()
    """What each of the facts fixes."""
    tasks: tuple[Task, ...] = ()
    """Those that a line marks, each an item; and promises, which stand in facts and passages."""
    passages: tuple[tuple[Passage, tuple[Interval, ...]], ...] = ()
    """Each with the times it names."""
    chunks: tuple[Chunk, ...] = ()
    names: tuple[NameRow, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    advice: tuple[Diagnostic, ...] = ()
    """What was understood and is better written otherwise."""
    tags: tuple[str, ...] = ()
    """What the front matter says the whole file is about."""
    context: str = ""
    """What it says of `context_scope` in a sentence."""
    context_scope: str = ""
    origin: Origin = Origin.OWNER
    """Whose word the file is, where no line says less."""
    confirmations: tuple[Confirmation, ...] = ()
    """What the owner confirmed, on the page of confirmations."""
    line_rulings: tuple[LineRuling, ...] = ()
    """What `bank/decisions.md` says of two lines."""


def read_file(
    data: bytes, content_hash: str, source: SourceFile, settings: ReadSettings
) -> ReadFile:
    """Take one file apart. Never raises: what is odd becomes a diagnostic."""
    text, problems = decode(data, source.path)
    is_page = source.role is FileRole.BANK
    text, secrets = redacted_page(text, source.path, without_own_blocks(text) if is_page else None)
    problems = (*problems, *secrets)
    document = read_document(text, source.path)
    if source.role is FileRole.LEDGER:
        return _read_ledger(text, content_hash, source, document, problems)
    front_matter, body, _ = parse_front_matter(without_private(text), source.path)
    origin, odd = file_origin(source.path, front_matter, settings.origins)
    without_facts = (
        source.role is FileRole.DIRECTIVES or str(front_matter.get("facts", "")).lower() == "none"
    )
    extraction = extract_facts(
        document,
        recorded=source.recorded,
        headings=() if without_facts else settings.retain_headings,
        everywhere=is_page,
    )
    tasks = tuple(_due(task, source.recorded) for task in find_tasks(document))
    # A dated note is about its day, and the bank's pages say of whom they are in keys of their own.
    is_about = source.role in (FileRole.NOTE, FileRole.EXTRA) and source.recorded is None
    lines = text.split("\n")
    stated: tuple[Fact, ...] = ()
    if not without_facts and not is_page:
        of_page = property_facts(front_matter, lines[: body - 1], source.path) if is_about else ()
        stated = (*of_page, *block_facts(document, lines, source.recorded))
    shown = list(document.lines)
    places = [fact.citation for fact in stated] + [task.citation for task in tasks]
    taken = [(place.start_line, place.end_line) for place in places]
    if is_about:
        taken.append((1, body - 1))
        of_note = tuple(property_tasks(front_matter, lines[: body - 1], source.path))
        tasks = (*of_note, *tasks)
        public = without_private(text).split("\n")
        for number in (task.citation.start_line - 1 for task in of_note):
            shown[number] = public[number].rstrip("\r")  # what the task says stands there
    passages = extract_passages(document, fact_lines=[*extraction.fact_lines, *taken])
    facts = tuple(_dated(_lowered(fact, origin)) for fact in (*stated, *extraction.facts))
    left = DatesLeft(_MOST_DATES)
    structured = next((n.start for n in document.nodes[-1:] if n.kind == "rest"), len(lines))
    timed = tuple(
        # Dates without a word beside them say nothing of their days.
        (p, times_of(p.text, source.recorded, left=left))
        if p.citation.start_line <= structured and _LETTER.search(p.text)
        else (p, ())
        for p in passages
    )
    context, unread = read_context(front_matter, text, source.path)
    return ReadFile(
        source=source,
        hash=content_hash,
        title=_title(document, source.path),
        text="\n".join(shown).replace("\0", " "),
        facts=facts,
        slots=tuple(slots_of(fact) for fact in facts),
        tasks=(*tasks, *_promises(facts, passages, source.recorded)),
        passages=timed,
        chunks=chunk_document(
            document, target_tokens=settings.chunk_tokens, overlap_tokens=settings.chunk_overlap
        ),
        names=(
            *_page_names(source.path, front_matter),
            *_moved_names(source.path, text),
            *_page_aliases(
                front_matter if is_about else {}, note_slug(front_matter, source.path), 1
            ),
        ),
        diagnostics=(*problems, *odd, *extraction.diagnostics, *unread, *_crowded(document, left)),
        advice=extraction.advice,
        tags=(
            *front_matter_tags(front_matter),
            *(() if source.role is FileRole.BANK else property_tags(front_matter)),
        ),
        context=context,
        context_scope=scope_of(source.path, core=source.role is FileRole.CORE),
        origin=origin,
    )


def _crowded(document: Document, left: DatesLeft) -> Iterator[Diagnostic]:
    """What is longer, or names more people or dates, than is read."""
    if left.count <= 0:
        message = f"holds over {_MOST_DATES} dates or numbers; those behind are read as text alone"
        yield Diagnostic(document.path, 1, "many-dates", message)
    for number, line in enumerate(document.lines, start=1):
        if len(line) > LONGEST_READ:
            message = (
                f"is longer than {LONGEST_READ} characters; those behind are read as text alone"
            )
            yield Diagnostic(document.path, number, "long-line", message)
        marks = line.count("@") + line.count("[[")
        if marks > MOST_MENTIONS and len(find_mentions(line)) == MOST_MENTIONS:
            message = f"names more than {MOST_MENTIONS}; those behind are read as text alone"
            yield Diagnostic(document.path, number, "many-mentions", message)


def _read_ledger(
    text: str,
    content_hash: str,
    source: SourceFile,
    document: Document,
    problems: tuple[Diagnostic, ...],
) -> ReadFile:
    """A ledger holds decisions only: no facts, no passages, nothing to search."""
    names: tuple[NameRow, ...] = ()
    confirmations: tuple[Confirmation, ...] = ()
    rulings_of_lines: tuple[LineRuling, ...] = ()
    if source.path == CONFIRMED_PAGE:
        confirmations, odd = parse_confirmations(text, source.path, document=document)
        problems = (*problems, *odd)
    elif source.path == LEDGER_PATH:
        ledger = parse_ledger(text, source.path, document=document)
        problems = (*problems, *ledger.diagnostics)
        names = tuple(row for entry in ledger.entries for row in ledger_rows(entry))
    elif source.path == EVIDENCE_PAGE:
        problems = (*problems, *parse_evidence_lines(text, source.path, document=document)[1])
    elif source.path == DECISIONS_PAGE:
        rulings_of_lines, odd = parse_line_rulings(text, source.path, document=document)
        problems = (*problems, *odd)
    elif source.path == FORGOTTEN_PAGE:
        from lorebank.markdown.forgotten import parse_forgotten  # few workspaces have the page

        problems = (*problems, *parse_forgotten(text, source.path)[1])
    return ReadFile(
        source,
        content_hash,
        _title(document, source.path),
        diagnostics=problems,
        names=names,
        confirmations=confirmations,
        line_rulings=rulings_of_lines,
    )


def ledger_rows(entry: LedgerEntry) -> Iterator[NameRow]:
    """One row a name: all lead to, or are kept apart from, the last; and one of its spelling."""
    *names, target = entry.names
    line, action = entry.citation.start_line, entry.action.value
    for name in names:
        yield NameRow(line, action, name.slug, target.slug, name.name)
    if not names:
        yield NameRow(line, action, target.slug, "", target.name)
    elif target.slug not in {name.slug for name in names}:
        yield NameRow(line, SPELLING, target.slug, action, target.name)


def _title(document: Document, path: str) -> str:
    """The first heading, else the file's name."""
    heading = next(filter(None, document.headings), "")
    return heading.split(" > ")[0] if heading else PurePosixPath(path).stem


def _lowered(fact: Fact, origin: Origin) -> Fact:
    """The fact as no more trusted than the file it stands in."""
    lowered = fact.origin.least_trusted(origin)
    return fact if lowered is fact.origin else replace(fact, origin=lowered)


def _dated(fact: Fact) -> Fact:
    times = times_of(fact.content, fact.recorded)
    return replace(fact, occurred=times[0], times=times) if times else fact


def _due(task: Task, recorded: date | None) -> Task:
    """The task with the day that its words name: of an open one the next such day, not the last,
    and none that was over when it was written, unless it says by when: `the rent from October`."""
    if task.due is not None:
        return task
    is_open = task.state is TaskState.OPEN
    times = times_of(task.text, recorded, tense="future" if is_open else None)
    if is_open and recorded:
        times = tuple(t for t in times if t.start is None or t.end is None or t.end >= recorded)
    return replace(task, due=times[0]) if times else task


def _promises(
    facts: Iterable[Fact], passages: Iterable[Passage], recorded: date | None
) -> Iterator[Task]:
    """What is promised in facts and prose; open until a newer line moves it."""
    texts = [(fact.content, fact.citation) for fact in facts]
    texts += [(passage.text, passage.citation) for passage in passages]
    for text, place in texts:
        if promise := promise_in(text):
            yield _due(Task(promise, TaskState.OPEN, place, kind=PROMISE), recorded)


def _page_names(path: str, front_matter: Mapping[str, FrontMatterValue]) -> tuple[NameRow, ...]:
    """What an entity page says about names: its own, its aliases, its type."""
    if not path.startswith(_ENTITY_FOLDER):
        return ()
    name = str(
        front_matter.get("entity")
        or front_matter.get("title")
        or PurePosixPath(path).stem.replace("-", " ")
    )
    slug = slugify(str(front_matter.get("entity") or "")) or slugify(PurePosixPath(path).stem)
    kind = front_matter.get("type")
    page = NameRow(1, "page", slug, slug, name, str(kind) if kind else None)
    return (page, *_page_aliases(front_matter, slug, 1))


def _page_aliases(
    front_matter: Mapping[str, FrontMatterValue], slug: str, line: int
) -> Iterator[NameRow]:
    aliases = front_matter.get("aliases") or front_matter.get("alias") or ()
    listed = [aliases] if isinstance(aliases, str) else list(aliases)
    for alias in listed:
        if slugify(alias):
            yield NameRow(line, "alias", slugify(alias), slug, alias)


def _moved_names(path: str, text: str) -> Iterator[NameRow]:
    """The pages that moved into this one; their aliases hold as before."""
    if not path.startswith(_ENTITY_FOLDER):
        return
    for moved in find_moved(text):
        front_matter, _, _ = parse_front_matter(moved.text, moved.path)
        for page in _page_names(moved.path, front_matter)[:1]:
            yield NameRow(moved.line, MOVED, page.slug, moved.path, page.name, page.type)
            yield from _page_aliases(front_matter, page.slug, moved.line)
