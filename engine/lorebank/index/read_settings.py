"""The settings that decide what is read out of a file."""

from __future__ import annotations

import zlib

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
        """Eight digits, whatever the settings: a value that fills pages of its own could be damaged
        without SQLite's checks seeing it."""
        return f"{zlib.crc32(repr(self).encode()):08x}"
