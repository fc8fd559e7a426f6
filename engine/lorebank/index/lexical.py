"""Full-text search over items and chunks: FTS5 with BM25 over weighted columns.

BM25 is a sum over the words of a question, and FTS5 spends its time in the rows that a word stands
in. So each word is scored once, alone, and a question adds up what is known of its words. The sums
are FTS5's own to the last bit, as it adds in the same order.

A process that asks few questions adds in plain Python, since it would be over before numpy was
imported; one that goes on asking adds with numpy, in the same order to the same bits.

Terms are joined by OR and always quoted: raw text in MATCH is a query language of its own and
raises on much of what people type. The column weights were chosen by measurement on dated chat
logs: the item's own words and its entities lead, neighbours and heading give context.

Where SQLite was built without FTS5, nothing is found by words, and nothing fails.

Unknown words are read as the name they were meant for, careful rather than clever: the first letter
is right; there is one slip (a letter wrong, missing, too many, or two exchanged) in a word of four
to seven letters, two in a longer one; more than the ending differs; and only one name is that near.
A word the index knows is never touched.
"""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from heapq import nlargest
from typing import NamedTuple

import apsw

from lorebank.database.connection import Connection, Memo, has_full_text, select
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
            known[_ALL] = int(self.connection.execute("SELECT count(*) FROM items").get)
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


ITEM_COLUMNS = {"text": 1.0, "around": 0.3, "entities": 1.0, "day": 0.5, "title": 0.5}
"""Columns of `items_fts` and their BM25 weights."""
CONTEXT = "around day title"  # those that hold what stands beside an item, and not its own words
_BM25 = f"-bm25(items_fts, {', '.join(map(str, ITEM_COLUMNS.values()))})"
CAPACITY = 1_000_000
"""Rows kept, of all words together, at 17 bytes each; with more, all are read again."""
FEW = 16  # questions that are answered before numpy is worth its import


class Held(NamedTuple):
    """Which words a row holds: bit n stands for the word at place n."""

    own: int  # in the columns that are the row's own
    around: int  # only in those that are not


class _Posting(NamedTuple):
    """The rows that hold a word, in order, and its BM25 in each, positive."""

    rows: array[int]
    own: bytes  # for each row 1 where a column of its own holds the word, else 0
    scores: array[float]  # empty where nobody asked for them


class Postings:
    """The words of the items with what each is worth, as far as questions asked for them."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary, self.connection = vocabulary, vocabulary.connection
        self._known: Memo[str, _Posting] = Memo(self.connection)
        self._asked = 0

    def best(
        self, queries: Sequence[str], limit: int, within: Collection[int] | None = None
    ) -> list[tuple[int, float]]:
        """`(row, BM25)` of the `limit` best rows that hold any of these, ties by row.

        `queries` are MATCH expressions of one quoted word or phrase each. Only rows `within` count,
        where it is given.
        """
        self._asked += 1
        known = self._known.current()
        postings = [self._posting(known, query, scored=True) for query in queries]
        if within is None and self._asked > FEW:
            return _best_by_numpy([posting for posting in postings if posting.rows], limit)
        return _best(postings, limit, within)

    def held(self, queries: Sequence[str], rows: Collection[int]) -> dict[int, Held]:
        """Row → which of these it holds."""
        known = self._known.current()
        postings = [self._posting(known, query) for query in queries]
        own, around = (_held_by_numpy if self._asked > FEW else _held)(postings, list(rows))
        made = cache(Held)  # most hold them in one of a few ways
        return dict(zip(rows, map(made, own, around), strict=True))

    def _posting(self, known: dict[str, _Posting], query: str, *, scored: bool = False) -> _Posting:
        found = known.get(query)
        if found is None or (scored and len(found.scores) < len(found.rows)):
            if sum(len(each.rows) for each in known.values()) > CAPACITY:
                known.clear()
            rows = self._matching(_BM25 if scored else "0.0", query)
            own = {row for row, _ in self._matching("0.0", f"- {{{CONTEXT}}} : {query}")}
            found = known[query] = _Posting(
                array("q", [row for row, _ in rows]),
                bytes([row in own for row, _ in rows]),
                array("d", [score for _, score in rows] if scored else []),
            )
        return found

    def _matching(self, value: str, query: str) -> list[tuple[int, float]]:
        """`(row, value)` of the rows that match, in order."""
        return select(
            self.connection,
            f"SELECT rowid, {value} FROM items_fts WHERE items_fts MATCH ? ORDER BY rowid",
            (query,),
        )


def _best(
    postings: Sequence[_Posting], limit: int, within: Collection[int] | None
) -> list[tuple[int, float]]:
    sums: dict[int, float] = {}
    for posting in postings:
        if not sums:
            sums = dict(zip(posting.rows, posting.scores, strict=True))
            continue
        known = sums.get
        for row, score in zip(posting.rows, posting.scores, strict=True):
            sums[row] = known(row, 0.0) + score
    if within is not None:
        sums = {row: sums[row] for row in within if row in sums}
    if len(sums) > limit:
        least = nlargest(limit, sums.values())[-1]
        sums = {row: score for row, score in sums.items() if score >= least}
    return sorted(sums.items(), key=lambda found: (-found[1], found[0]))[:limit]


def _best_by_numpy(postings: Sequence[_Posting], limit: int) -> list[tuple[int, float]]:
    """The same of postings that are not empty."""
    import numpy as np

    if not postings:
        return []
    held = np.concatenate([np.frombuffer(posting.rows, np.int64) for posting in postings])
    sums = np.bincount(held, np.concatenate([np.frombuffer(each.scores) for each in postings]))
    rows = (sums != 0).nonzero()[0]  # of truths, a sixth of the time that numbers take
    scores = sums[rows]
    if len(rows) > limit:
        good = scores >= np.partition(scores, -limit)[-limit]
        rows, scores = rows[good], scores[good]
    order = np.lexsort((rows, -scores))[:limit]
    return list(zip(rows[order].tolist(), scores[order].tolist(), strict=True))


def _held(postings: Sequence[_Posting], rows: Sequence[int]) -> Sequence[list[int]]:
    own, around = [0] * len(rows), [0] * len(rows)
    for bit, (holding, is_own, _) in enumerate(postings):
        for place, row in enumerate(rows if holding else ()):
            found = bisect(holding, row) - 1  # the last one where it stands before the first
            if holding[found] == row:
                (own if is_own[found] else around)[place] |= 1 << bit
    return own, around


def _held_by_numpy(postings: Sequence[_Posting], rows: Sequence[int]) -> Sequence[list[int]]:
    """The same of at most `MAX_TERMS`."""
    import numpy as np

    wanted = np.array(rows, np.int64)
    own, around = np.zeros_like(wanted), np.zeros_like(wanted)
    for bit, posting in enumerate(postings):
        if posting.rows:
            holding = np.frombuffer(posting.rows, np.int64)
            found = holding.searchsorted(wanted, "right") - 1
            is_held, is_own = (holding[found] == wanted, np.frombuffer(posting.own, bool)[found])
            own |= (is_held & is_own) << bit
            around |= (is_held & ~is_own) << bit
    return own.tolist(), around.tolist()


_CHUNK_WEIGHTS = {"chunks_fts": (1.0, 1.5, 2.0), "session_chunks_fts": (1.0,)}
"""BM25 weights of text, heading and title; a file's name says more than its body."""
MAX_TERMS = 48  # of a question; more make it slower and find nothing new


def best_items(
    postings: Postings, terms: Sequence[str], limit: int, within: str | None = None
) -> dict[int, float]:
    """Items that hold any of the terms (words or phrases) and their BM25, the more, the better;
    best first, ties by row number.

    `within` is a JSON list of item numbers to stay inside of. A term that stands in more than half
    of the items is worth nothing to BM25; items that hold only such terms are looked for only where
    there are no others.
    """
    quoted = _quoted(postings.connection, terms)
    counts, total = postings.vocabulary.frequencies(list(quoted)), postings.vocabulary.total
    telling = [match for term, match in quoted.items() if 2 * counts[term] <= total]
    inside = None if within is None else json.loads(within)
    best = postings.best(telling, limit, inside)
    if len(best) < limit and len(telling) < len(quoted):
        best = postings.best(list(quoted.values()), limit, inside)
    return dict(best)


def terms_held(postings: Postings, terms: Sequence[str], items: Collection[int]) -> dict[int, Held]:
    """Item → which of the terms it holds, by their places, itself or only its neighbours."""
    return postings.held(list(_quoted(postings.connection, terms).values()), items)


def match_chunks(
    connection: Connection,
    terms: Sequence[str],
    limit: int,
    *,
    table: str = "chunks_fts",
    within: str | None = None,
) -> dict[int, int]:
    """Chunk → how many of the terms it holds, for the best by BM25; ties by row number.

    `within` is a JSON list of chunks to stay inside of.
    """
    quoted = _quoted(connection, terms).values()
    if not quoted:
        return {}
    weights = ", ".join(map(str, _CHUNK_WEIGHTS[table]))
    inside = " AND +rowid IN (SELECT value FROM json_each(?2))" if within is not None else ""
    # Not `ORDER BY rank`: FTS5 would score every row before it looks whether it is inside.
    best = select(
        connection,
        f"SELECT rowid, bm25({table}, {weights}) FROM {table} WHERE {table} MATCH ?1{inside}"
        f" ORDER BY 2, 1 LIMIT {int(limit)}",
        (" OR ".join(quoted), within) if inside else (" OR ".join(quoted),),
    )
    rows = json.dumps([row for row, _ in best])
    holding = (
        f"SELECT rowid FROM {table} WHERE {table} MATCH ?"
        " AND +rowid IN (SELECT value FROM json_each(?))"
    )
    held = Counter(row for term in quoted for (row,) in select(connection, holding, (term, rows)))
    return {row: held[row] for row, _ in best}


def any_of(terms: Sequence[str]) -> str:
    """A MATCH expression for what holds any of these words or phrases; "" for none."""
    return " OR ".join(quoted for term in terms if (quoted := _quote(term)))


def _quoted(connection: Connection, terms: Sequence[str]) -> dict[str, str]:
    """Term → MATCH expression, for those that FTS5 can look for."""
    asked = terms[:MAX_TERMS] if has_full_text(connection) else ()
    return {term: quoted for term in asked if (quoted := _quote(term))}


def _quote(term: str) -> str:
    prepared = searchable(term).replace("\0", " ").replace('"', " ").strip()
    return f'"{prepared}"' if any(letter.isalnum() for letter in prepared) else ""
