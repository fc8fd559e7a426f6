"""Suggesting retain lines for the prose of logs: the files, and what was decided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lorebank.domain.facts import Citation, Fact, FactKind
from lorebank.domain.judgments import Ground, Proposal, ProposalAction
from lorebank.generation.judging import facts_in_prose
from lorebank.generation.kept import ModelInRun, digest
from lorebank.generation.writing import CitedLine, Dropped, Writer
from lorebank.language.folding import fold, slugify
from lorebank.language.secrets import redact
from lorebank.language.words import words
from lorebank.markdown.document import read_document
from lorebank.markdown.fact_format import format_fact
from lorebank.markdown.plain import escape_inline, plain_text
from lorebank.markdown.proposal_pages import (
    LOG_PROPOSALS,
    ProposalRuling,
    decided,
    fits_on_page,
    parse_proposals,
)
from lorebank.markdown.source import decode
from lorebank.nightly.infer import Sentence, infer_facts, sentences, stated_fact
from lorebank.pages.core_memory import proposal_id
from lorebank.pages.edits import read_text
from lorebank.pages.facts import BankContent
from lorebank.records import Record
from lorebank.settings.tables import Config
from lorebank.workspace.files import read_bytes, walk
from lorebank.workspace.layout import FileRole

MOST = 50
"""Open suggestions, from the newest logs; older logs follow when these are decided."""
_AT_ONCE = 60
"""Sentences in one question to the model: a long day's log, and a short answer."""
_AUTHOR = frozenset(
    {"i", "me", "we", "us", "ich", "wir", "yo", "nosotros", "eu", "je", "nous", "io", "noi", "ik"}
    | {"wij", "我", "我们", "writer"}
)


def suggest_lines(
    root: Path,
    config: Config,
    content: BankContent,
    rulings: Sequence[ProposalRuling],
    *,
    everywhere: bool,
    model: ModelInRun,
    quarantined: Mapping[str, Sequence[tuple[int, int]]] = MappingProxyType({}),
) -> tuple[Proposal, ...]:
    """The retain lines to propose, by log, the newest log first.

    What `model` makes of a log goes before what the rules find in the same
    sentences.

    Without `everywhere` only logs that have open suggestions are looked at: those are kept while
    the sentence they cite stands. Facts, what says in prose what a fact of the same log says, and
    lines in quarantine (path → first and last line) suggest nothing.
    """
    open_ones, _ = parse_proposals(read_text(root, LOG_PROPOSALS), LOG_PROPOSALS)
    begun = {proposal.target for proposal in open_ones}
    if not begun and not everywhere:
        return ()
    names = {
        slugify(name): entity.name
        for entity in content.entities.values()
        for name in (entity.slug, entity.name, *entity.aliases)
    }
    known = {(fact.recorded, fold(fact.content)) for fact in content.facts}
    retained: dict[str, list[Fact]] = defaultdict(list)
    for fact in content.facts:
        retained[fact.citation.path].append(fact)
    logs = [s for s in walk(root, config).files if s.role in (FileRole.LOG, FileRole.NOTE)]
    found: list[Proposal] = []
    for source in sorted(logs, key=lambda s: (-(s.recorded or date.min).toordinal(), s.path)):
        if source.recorded is None or (source.path not in begun and not everywhere):
            continue
        try:
            text, _ = decode(read_bytes(root, source), source.path)
        except OSError:
            continue
        document = read_document(redact(text).text, source.path)
        facts = retained.get(source.path, ())
        lines = ((fact.citation.start_line, fact.citation.end_line) for fact in facts)
        suspect = (*quarantined.get(source.path, ()), *lines)
        day = source.recorded
        prose = tuple(s for s in sentences(document) if not _lies_in(s.citation, suspect))
        suggestions = list(_read_by(model, source.path, prose, day, names))
        told = {sentence.citation for each in suggestions for sentence in each.sentences}
        suggestions += (
            _Suggestion(each.fact, (each.sentence,), _why(each.reason))
            for each in infer_facts(document, day, names)
            if each.sentence.citation not in told
            and not _lies_in(each.sentence.citation, suspect)
            and not any(_says_again(each.fact, fact) for fact in facts)
        )
        found += _proposals(suggestions, source.path, day, known, rulings)
        if len(found) >= MOST:
            break
    return tuple(found[:MOST])


def _says_again(inferred: Fact, retained: Fact) -> bool:
    """Whether more than half of what is inferred stands in a line that was retained."""
    said = frozenset(words(inferred.content))
    return 2 * len(said.intersection(words(retained.content))) > len(said)


def _lies_in(place: Citation, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(place.start_line <= end and place.end_line >= start for start, end in ranges)


def says(text: str, sentence: str) -> bool:
    """Whether a file still says a sentence."""
    return any(each.text == sentence for each in sentences(read_document(text, "")))


class _Suggestion(Record):
    fact: Fact
    sentences: tuple[Sentence, ...]
    why: str
    words: tuple[str, ...] = ()
    """What tells it from other suggestions of the same sentences."""


def _why(reason: str) -> str:
    why = f"Reads as {reason}." if reason.startswith("a ") else f"{reason}."
    return why[:1].upper() + why[1:]


def _read_by(
    model: ModelInRun,
    path: str,
    prose: Sequence[Sentence],
    day: date,
    names: Mapping[str, str],
) -> Iterator[_Suggestion]:
    """What a chat model reads out of a log's sentences; a log is sent once."""
    letters = {kind.letter: kind for kind in FactKind}
    for start in range(0, len(prose), _AT_ONCE):
        some = prose[start : start + _AT_ONCE]
        lines = [CitedLine(sentence.text, (day,)) for sentence in some]

        def read(
            writer: Writer, lines: Sequence[CitedLine] = lines
        ) -> tuple[Mapping[str, Any], Sequence[Dropped]]:
            kept, dropped = facts_in_prose(writer, lines, day)
            rows = [[each.kind.letter, each.about, each.text, list(each.lines)] for each in kept]
            return {"model": writer.model, "facts": rows}, dropped

        answer = model.ask(path, digest("infer", day, [s.text for s in some]), read) or {}
        for letter, about, text, numbers in answer.get("facts", ()):
            cited = tuple(some[number] for number in numbers)
            subject = "" if fold(about) in _AUTHOR else about
            fact = stated_fact(letters[letter], text, subject, cited, day, names)
            why = f"Read by {escape_inline(answer['model'])}; its words stand in the lines below."
            yield _Suggestion(fact, cited, why, (fact.content,))


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
