"""The settings that decide what is read out of a file."""

from __future__ import annotations

from zlib import crc32

from lorebank.records import dataclass


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """The settings that change what is read out of a file; a change re-reads every file."""

    retain_headings: tuple[str, ...]
    chunk_tokens: int
    chunk_overlap: int
    plain_mentions: bool = True
    """Whether known names are found in running text."""
    not_mentions: tuple[str, ...] = ()
    """Names that are not looked for there."""
    origins: tuple[tuple[str, str], ...] = ()
    """`(folder or file, origin)`: whose word what lies there is."""

    def fingerprint(self) -> str:
        said = repr(
            (
                self.retain_headings,
                self.chunk_tokens,
                self.chunk_overlap,
                self.plain_mentions,
                self.not_mentions,
                self.origins,
            )
        )
        # Short, since a long value would stand in a page of its own, where no check of SQLite sees
        # damage.
        return f"{len(said)} {crc32(said.encode()):08x}"
