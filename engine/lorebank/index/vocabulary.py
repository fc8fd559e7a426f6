"""How often words stand in the items; unknown words read as the name they were meant for.

Careful rather than clever: the first letter is right; there is one slip (a letter wrong, missing,
too many, or two exchanged) in a word of four to seven letters, two in a longer one; more than the
ending differs; and only one name is that near. A word the index knows is never touched.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import apsw

from lorebank.database.connection import Connection, Memo, has_full_text, select
from lorebank.index.items import item_count
from lorebank.language.folding import fold
from lorebank.language.words import searchable, words

_ALL = "\0"  # beside the words that are counted: no word
_SHORTEST_PART, _SHORTEST_INSIDE = 4, 6
"""Letters of a word that may begin another, and that may stand in the middle of one: shorter ones
do so by chance (`rent` in `parents`)."""
_MOST = 8  # a fragment that more words hold than this is ignored
TOKENIZER = ("porter", ["unicode61", "remove_diacritics", "2"])


class Vocabulary:
    """Counts over the items of one connection; FTS5 walks a word's whole list for each."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._counts: Memo[str, int] = Memo(connection)
        self._listed: Memo[str, str] = Memo(connection)

    @property
    def total(self) -> int:
        known = self._counts.current()
        if _ALL not in known:
            known[_ALL] = item_count(self.connection)
        return known[_ALL]

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """For each term, in how many items it stands; a phrase counts as its rarest word."""
        counts = self._counts.current()
        query = "SELECT coalesce(max(doc), 0) FROM temp.items_words WHERE term = ?"
        for term in terms:
            if term not in counts:
                found = stems(self.connection, term)
                each = [int(self.connection.execute(query, (stem,)).get) for stem in found]
                counts[term] = min(each, default=0)
        return {term: counts[term] for term in terms}

    def holding(self, word: str) -> list[str]:
        """The words that begin with this one, else those that hold it: `brücke` → `hängebrücke`.

        For a word that stands nowhere; as FTS5 stores them, the shortest first, few or none.
        """
        found = stems(self.connection, word)
        if len(found) != 1 or len(found[0]) < _SHORTEST_PART:
            return []
        listed = self._listed.current()
        if "words" not in listed:
            rows = self.connection.execute("SELECT term FROM temp.items_words")
            listed["words"] = "\n".join(["", *(term for (term,) in rows), ""])
        part = re.escape(found[0])
        longer = re.findall(rf"\n({part}\w*)(?=\n)", listed["words"])
        if not longer and len(found[0]) >= _SHORTEST_INSIDE:
            longer = re.findall(rf"\n(\w*{part}\w*)(?=\n)", listed["words"])
        return sorted(longer, key=lambda each: (len(each), each)) if len(longer) <= _MOST else []


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


_SHORTEST = 4
_LONG = 8


def respell_names(vocabulary: Vocabulary, written: Sequence[str]) -> dict[str, str]:
    """Words as written → the word of an entity's name that each was most likely meant for."""
    asked = [word for word in dict.fromkeys(written) if len(fold(word)) >= _SHORTEST]
    known = vocabulary.frequencies(asked)
    unknown = [word for word in asked if not known[word]]
    names = (
        _name_words(vocabulary.connection, {fold(word)[0] for word in unknown}) if unknown else {}
    )
    found = {word: _nearest(fold(word), names) for word in unknown}
    return {word: names[near] for word, near in found.items() if near is not None}


def _name_words(connection: Connection, letters: set[str]) -> dict[str, str]:
    """Folded word of a name → as written, for those that begin with any of the letters."""
    rows = select(
        connection,
        "SELECT DISTINCT a.name FROM json_each(?) l JOIN aliases a"
        " WHERE substr(a.slug, 1, 1) = l.value OR instr(a.slug, '-' || l.value)"
        " ORDER BY a.name",
        (sorted(letters),),
    )
    written: dict[str, str] = {}
    for (name,) in rows:
        for part in name.split():
            folded = words(part)
            if len(folded) == 1 and len(folded[0]) >= _SHORTEST and folded[0][0] in letters:
                written.setdefault(folded[0], part.strip(".,;:()"))
    return written


def _nearest(word: str, names: Mapping[str, str]) -> str | None:
    """The one name word within reach; `None` where there is none, or more than one."""
    slips = 2 if len(word) >= _LONG else 1
    possible = [name for name in names if name[0] == word[0] and _may_be(word, name, slips)]
    if not possible:
        return None
    from rapidfuzz.distance import OSA  # only for the rare word that is nearly a name

    distances = sorted((OSA.distance(word, name, score_cutoff=slips), name) for name in possible)
    best = [name for distance, name in distances if distance == distances[0][0] <= slips]
    return best[0] if len(best) == 1 else None


def _may_be(word: str, name: str, slips: int) -> bool:
    """Whether the letters, in whatever order, differ by no more than the slips allowed.

    Two names that only end differently are two people: Maria and Mario, Petr and Petra.
    """
    if abs(len(word) - len(name)) > slips or word.startswith(name[:-1]) or name.startswith(word):
        return False
    mine, theirs = Counter(word), Counter(name)
    return max((mine - theirs).total(), (theirs - mine).total()) <= slips
