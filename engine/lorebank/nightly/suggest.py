"""Suggesting retain lines for logs that have no retain section: the files, and what was decided."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from types import MappingProxyType

from lorebank.domain import Citation, Entity, Fact, Ground, Proposal, ProposalAction
from lorebank.language.folding import fold, slugify
from lorebank.language.secrets import redact
from lorebank.markdown.document import Document, read_document
from lorebank.markdown.fact_format import format_fact
from lorebank.markdown.plain import escape_inline, plain_text
from lorebank.markdown.proposal_pages import (
    LOG_PROPOSALS,
    ProposalRuling,
    decided,
    fits_on_page,
    parse_proposals,
)
from lorebank.markdown.sections import retain_sections
from lorebank.markdown.source import decode
from lorebank.nightly.infer import Inferred, Sentence, infer_facts, sentences
from lorebank.nightly.infer_written import ProseReader, ReadFact
from lorebank.pages.core_memory import proposal_id
from lorebank.records import dataclass
from lorebank.settings.tables import Config
from lorebank.workspace.files import SourceFile, read_bytes, walk
from lorebank.workspace.layout import FileRole

MOST = 50
"""Open suggestions, from the newest logs; older logs follow when these are decided."""


def suggest_lines(
    root: Path,
    config: Config,
    facts: Callable[[], Iterable[Fact]],
    entities: Mapping[str, Entity],
    rulings: Sequence[ProposalRuling],
    headings: Sequence[str],
    *,
    everywhere: bool,
    reader: ProseReader | None = None,
    quarantined: Mapping[str, Sequence[tuple[int, int]]] = MappingProxyType({}),
) -> tuple[Proposal, ...]:
    """The retain lines to propose, by log, the newest log first.

    What `reader`, a chat model, makes of a log goes before what the rules find in the same
    sentences.

    Without `everywhere` only logs that have open suggestions are looked at: those are kept while
    the sentence they cite stands. With it, logs without a retain section are as well. Lines in
    quarantine (path → first and last line) suggest nothing. All `facts` are asked for only then.
    """
    begun = _begun(root)
    if not begun and not everywhere:
        return ()
    names = _names(entities)
    known = {(fact.recorded, fold(fact.content)) for fact in facts()}
    found: list[Proposal] = []
    for source in _logs(root, config):
        if source.path not in begun and not everywhere:
            continue
        document = _read(root, source)
        if document is None or source.recorded is None:
            continue
        if source.path not in begun and retain_sections(document, headings=headings):
            continue
        suspect = quarantined.get(source.path, ())
        read: tuple[ReadFact, ...] = ()
        if reader is not None:
            prose = tuple(s for s in sentences(document) if not _lies_in(s.citation, suspect))
            read = reader.read(source.path, prose, source.recorded, names)
        told = {sentence.citation for each in read for sentence in each.sentences}
        inferred = infer_facts(document, source.recorded, names)
        by_rule = [
            each
            for each in inferred
            if each.sentence.citation not in told and not _lies_in(each.sentence.citation, suspect)
        ]
        suggestions = [*map(_read_fact, read), *map(_by_rule, by_rule)]
        found += _proposals(suggestions, source.path, source.recorded, known, rulings)
        if len(found) >= MOST:
            break
    return tuple(found[:MOST])


def _lies_in(place: Citation, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(place.start_line <= end and place.end_line >= start for start, end in ranges)


def says(text: str, sentence: str) -> bool:
    """Whether a file still says a sentence."""
    return any(each.text == sentence for each in sentences(read_document(text, "")))


def _begun(root: Path) -> frozenset[str]:
    """The logs with open suggestions."""
    try:
        text, _ = decode((root / LOG_PROPOSALS).read_bytes(), LOG_PROPOSALS)
    except OSError:
        return frozenset()
    return frozenset(p.target for p in parse_proposals(text, LOG_PROPOSALS)[0])


def _logs(root: Path, config: Config) -> Iterator[SourceFile]:
    dated = [
        source
        for source in walk(root, config).files
        if source.recorded and source.role in (FileRole.LOG, FileRole.NOTE)
    ]
    yield from sorted(dated, key=lambda s: (-(s.recorded or date.min).toordinal(), s.path))


def _read(root: Path, source: SourceFile) -> Document | None:
    try:
        text, _ = decode(read_bytes(root, source), source.path)
    except OSError:
        return None
    return read_document(redact(text).text, source.path)


def _names(entities: Mapping[str, Entity]) -> dict[str, str]:
    """Every slug an entity goes by → its display name."""
    return {
        slugify(name): entity.name
        for entity in entities.values()
        for name in (entity.slug, entity.name, *entity.aliases)
    }


@dataclass(frozen=True, slots=True)
class _Suggestion:
    fact: Fact
    sentences: tuple[Sentence, ...]
    why: str
    words: tuple[str, ...] = ()
    """What tells it from other suggestions of the same sentences."""


def _by_rule(inferred: Inferred) -> _Suggestion:
    reason = inferred.reason
    why = f"Reads as {reason}." if reason.startswith("a ") else f"{reason}."
    return _Suggestion(inferred.fact, (inferred.sentence,), why[:1].upper() + why[1:])


def _read_fact(read: ReadFact) -> _Suggestion:
    why = f"Read by {escape_inline(read.model)}; its words stand in the lines below."
    return _Suggestion(read.fact, read.sentences, why, (read.fact.content,))


def _proposals(
    suggestions: Iterable[_Suggestion],
    path: str,
    day: date,
    known: set[tuple[date | None, str]],
    rulings: Sequence[ProposalRuling],
) -> Iterator[Proposal]:
    for each in suggestions:
        line = format_fact(each.fact)
        said = (plain_text(sentence.text) for sentence in each.sentences)
        id = proposal_id("retain", path, *said, *each.words)
        if (day, fold(each.fact.content)) in known or not fits_on_page(line):
            continue
        if decided(rulings, id, ()):
            continue
        yield Proposal(
            id=id,
            action=ProposalAction.RETAIN,
            target=path,
            old="",
            new=line,
            why=each.why,
            grounds=tuple(Ground(s.citation, s.text, day) for s in each.sentences),
        )
