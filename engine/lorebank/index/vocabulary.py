"""How often words stand in the items: counted when first asked for, kept until somebody writes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field

import apsw

from lorebank.database.connection import Connection, generation, has_full_text
from lorebank.index.items import item_count
from lorebank.language.words import searchable
from lorebank.records import dataclass

_SHORTEST_PART, _SHORTEST_INSIDE = 4, 6
"""Letters of a word that may begin another, and that may stand in the middle of one: shorter ones
do so by chance (`rent` in `parents`)."""
_MOST = 8
"""A part of more words than these tells none of them."""
TOKENIZER = ("porter", ["unicode61", "remove_diacritics", "2"])


@dataclass(slots=True)
class Vocabulary:
    """Counts over the items of one connection; FTS5 walks a word's whole list for each."""

    connection: Connection
    _generation: tuple[int, int] | None = None
    _total: int = 0
    _counts: dict[str, int] = field(default_factory=dict)
    _words: str | None = None
    """Every word, a line each; read when a question holds one that stands nowhere."""

    @property
    def total(self) -> int:
        """How many items there are."""
        self._follow()
        return self._total

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """For each term, in how many items it stands; a phrase counts as its rarest word."""
        self._follow()
        for term in terms:
            if term not in self._counts:
                found = map(self._count, stems(self.connection, term))
                self._counts[term] = min(found, default=0)
        return {term: self._counts[term] for term in terms}

    def holding(self, word: str) -> list[str]:
        """The words that begin with this one, else those that hold it: `brücke` → `hängebrücke`.

        For a word that stands nowhere; as FTS5 stores them, the shortest first, few or none.
        """
        self._follow()
        found = stems(self.connection, word)
        if len(found) != 1 or len(found[0]) < _SHORTEST_PART:
            return []
        if self._words is None:
            rows = self.connection.execute("SELECT term FROM temp.items_words")
            self._words = "\n".join(["", *(term for (term,) in rows), ""])
        inside = r"\w*" if len(found[0]) >= _SHORTEST_INSIDE else ""
        part = re.escape(found[0])
        longer = re.findall(rf"\n({part}\w*)(?=\n)", self._words) or (
            re.findall(rf"\n({inside}{part}\w*)(?=\n)", self._words) if inside else []
        )
        return sorted(longer, key=lambda each: (len(each), each)) if len(longer) <= _MOST else []

    def _count(self, stem: str) -> int:
        return int(
            self.connection.execute(
                "SELECT coalesce(max(doc), 0) FROM temp.items_words WHERE term = ?", (stem,)
            ).get
        )

    def _follow(self) -> None:
        current = generation(self.connection)
        if current != self._generation:
            self._generation = current
            self._total = item_count(self.connection)
            self._words = None
            self._counts.clear()


def index_words(connection: Connection) -> None:
    """Make the vocabulary of `items_fts` readable as `temp.items_words`; once a connection."""
    if not has_full_text(connection):
        connection.execute("CREATE TEMP TABLE IF NOT EXISTS items_words (term, doc, cnt)")
        return
    connection.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.items_words"
        " USING fts5vocab('main', 'items_fts', 'row')"
    )


def stems(connection: Connection, text: str) -> list[str]:
    """The tokens of a text as FTS5 stores them, in order: folded and stemmed; none without it."""
    if not has_full_text(connection):
        return []
    tokenizer = connection.fts5_tokenizer(*TOKENIZER)
    prepared = searchable(text).replace("\0", " ").encode("utf-8", "replace")
    tokens = tokenizer(prepared, apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False)
    return [str(token) for group in tokens for token in group]
