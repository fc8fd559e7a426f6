"""Reading one file: its bytes → everything the index keeps of it. Pure, and outside transactions."""

from __future__ import annotations

from dataclasses import dataclass

from lorebank.dates.occurred import occurred_interval
from lorebank.domain import Chunk, Diagnostic, Fact, Interval, Passage
from lorebank.index.entities import NameRow
from lorebank.markdown.chunks import chunk_document
from lorebank.markdown.document import read_document
from lorebank.markdown.facts import extract_facts
from lorebank.markdown.passages import extract_passages
from lorebank.markdown.source import decode
from lorebank.workspace.files import SourceFile

__all__ = ["ReadFile", "ReadSettings", "read_file"]

LEDGER_PATH = "bank/identity.md"
_ENTITY_FOLDER = "bank/entities/"


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """The settings that change what is read out of a file; a change re-reads every file."""

    retain_headings: tuple[str, ...]
    chunk_tokens: int
    chunk_overlap: int

    def fingerprint(self) -> str:
        return repr((self.retain_headings, self.chunk_tokens, self.chunk_overlap))


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What one file holds."""

    source: SourceFile
    hash: str
    title: str
    text: str
    """Searchable text: private parts and managed blocks blanked, lines kept."""
    facts: tuple[Fact, ...]
    passages: tuple[tuple[Passage, Interval | None], ...]
    """Each with the time it names."""
    chunks: tuple[Chunk, ...]
    names: tuple[NameRow, ...]
    diagnostics: tuple[Diagnostic, ...]


def read_file(
    data: bytes, content_hash: str, source: SourceFile, settings: ReadSettings
) -> ReadFile:
    """Take one file apart. Never raises: what is odd becomes a diagnostic."""
    text, problems = decode(data, source.path)
    document = read_document(text, source.path)
    if source.role == "ledger":
        names, more = _ledger_names(document)
        return _ledger(source, content_hash, document, names, (*problems, *more))
    extraction = extract_facts(
        document,
        recorded=source.recorded,
        headings=settings.retain_headings,
        everywhere=source.role == "bank",
    )
    passages = extract_passages(document, fact_lines=extraction.fact_lines)
    return ReadFile(
        source=source,
        hash=content_hash,
        title=_title(document, source.path),
        text=document.searchable.replace("\0", " "),
        facts=tuple(_dated(fact) for fact in extraction.facts),
        passages=tuple((p, occurred_interval(p.text, source.recorded)) for p in passages),
        chunks=chunk_document(
            document,
            target_tokens=settings.chunk_tokens,
            overlap_tokens=settings.chunk_overlap,
        ),
        names=_page_names(document, source.path),
        diagnostics=(*problems, *document.diagnostics, *extraction.diagnostics),
    )
