"""The cue words of each language, read from `stance_data/<language>.toml`.

A language is a file. It lists cue classes as comma-separated phrases (`*` at a word's end for any
ending, `love~` for any form of a word: see `phrases`) and comparison frames with `{a}` (preferred)
and `{b}` (left); `forms` has a row of irregular forms a line, `fillers` the words that may stand
inside any phrase, `proper` what is a name inside a sentence (`in Go`). Then what it knows of
objects: clusters of words of one meaning (`same`) and of nearly one (`near`), pairs of opposite
clusters, slots, whose members exclude each other where only one can hold, kinds (`tea: sencha
earl_grey`: who names sencha names tea, not the other way round), parts (`长会: 长 会议`, a word
that names two things) and measures (`two hours` says `long`). An object of several words is written
with `_`, one of several Han characters as it is; each is read as one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from typing import Any

from lorebank.language.folding import fold
from lorebank.records import dataclass
from lorebank.reflect.lexicon_file import (
    Frame,
    clusters,
    frames,
    inverted,
    kinds,
    measures,
    members,
    object_words,
    parts_of,
    sides,
)
from lorebank.reflect.phrases import Forms, PhraseBook
from lorebank.reflect.tokens import (
    joined,
    phrases,
    stem_of,
    tokens_of,
    without_ending,
)

CUES = (
    *(
        "negate",
        "like",
        "dislike",
        "good",
        "bad",
        "adopt",
        "do",
        "repeat",
        "drop",
        "norm",
        "exclusive",
        "change",
    ),
    *(
        "hypothetical",
        "past",
        "ask",
        "say",
        "quote",
        "others",
        "neutral",
        "function",
        "weak",
        "joins",
        "reason",
        "lacking",
        "bound",
        "prep",
        "excess",
        "scene",
        "via",
        "about",
        "sake",
        "part",
        "bid",
        "every",
        "own",
        "other",
    ),
)
"""The cue classes a language file may list; what is missing is empty.

`reason` are the joining words that begin a reason or circumstance, `lacking` the negations that are
prepositions (`without`), `bound` those that bound a time (`before ten`), `prep` those of place and
means (`on WhatsApp`), `excess` the words that turn the next one into a complaint (`too short`),
`scene` the amounts, days and places that tell nothing of what a line is about (`a cup of`).
`adopt` are the deeds that need an object (`bought`), `do` those that name what is done themselves
(`cooked`), and `via` those whose object follows a preposition (`rewrote the parser in Rust`).
`about` are the prepositions of what is only a subject (`a book about trains`), `sake` those of whom
a thing is done for, `part` those of what a thing is made of. `bid` are the verbs that tell somebody
to do a thing, `every` the words that mean all of a kind, `own` those of who has a thing, `other`
those of one in its place (`another dentist`).
"""
_THING = "thing"
"""The class of an object of several words."""
_HEAD = 5
"""The letters a known word has to have to be read out of the beginning of a compound."""
_OWN_NUMBERS = 10_000
"""Clusters, pairs and slots are numbered apart in each language: none is shared by two."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What one language says about stance."""

    code: str
    unspaced: bool
    negation_after: bool
    """Whether a negation may follow the verb it denies (`mag keinen Kaffee`)."""
    concord: bool
    """Whether two negations deny no less than one (`no quiere nada`)."""
    suffixes: tuple[str, ...]
    frames: tuple[Frame, ...]
    same: Mapping[str, str]
    """Stem → the stem that stands for all of one meaning."""
    near: Mapping[str, frozenset[int]]
    """Stem → the clusters of nearly one meaning it belongs to."""
    opposites: Mapping[str, frozenset[tuple[int, int]]]
    """Stem → (pair, side); a stem of the other side of a pair is its opposite."""
    slots: Mapping[str, frozenset[int]]
    kinds: Mapping[str, frozenset[str]]
    """Stem → the stems of what it is a kind of."""
    parts: Mapping[str, tuple[str, ...]]
    """Stem of a word that names several things at once → theirs."""
    brief: str
    """The measure that a thing which is soon ended has."""
    paired: frozenset[str]
    """Words that deny only after one of `partners` (`ne … plus`)."""
    partners: frozenset[str]
    noun_first: bool
    articles: frozenset[str]
    """What makes a deed a thing (`the cooking`, `la cocina`)."""
    infinitives: tuple[str, ...]
    """The endings with which it stays a deed all the same (`a cozinhar`)."""
    gerund: str
    """The ending with which it is a thing where it opens a line (`Gardening is fun`)."""
    capital_nouns: bool
    """Whether every noun has a capital, so that one says nothing of a name."""
    proper: tuple[tuple[re.Pattern[str], str], ...]
    """What is a name inside a sentence, though a common word without its capital (`in Go`)."""
    measures: tuple[tuple[re.Pattern[str], str], ...]
    """Phrases of extent, over folded text, and the word that says the same."""
    _heads: Mapping[str, str]
    """Where words are joined to one: what it may begin with → the stem of that word."""
    _tails: Mapping[str, str]
    """Where words are joined to one: how it may end → the stem of that ending."""
    _book: PhraseBook

    def cues_at(self, tokens: Sequence[str], start: int) -> tuple[int, frozenset[str]]:
        """The length and the classes of the longest phrase that begins at a token; (1, ∅) if none.

        >>> lexicon("en").cues_at(["no", "longer", "likes"], 0)[0]
        2
        """
        return self._book.cues_at(tokens, start)

    def stem(self, token: str) -> str:
        """A word without its endings, one stem for all words of one meaning."""
        return self.same.get(plain := stem_of(token, self.suffixes), plain)

    def thing_at(self, tokens: Sequence[str], cues: frozenset[str]) -> tuple[str, frozenset[str]]:
        """The stem of the object that a phrase names, empty for none, and its other cues."""
        if _THING not in cues:
            return "", cues
        return self.stem(joined(tokens, unspaced=self.unspaced)), cues - {_THING}

    def with_kinds(self, stems: Iterable[str]) -> frozenset[str]:
        """The stems and those of what they are kinds of."""
        own = set(stems)
        for stem in tuple(own):
            own |= self.kinds.get(stem, frozenset())
        return frozenset(own)

    def with_proper_names(self, sentence: str) -> str:
        """The sentence with each such name by the word that stands for it."""
        for pattern, name in self.proper:
            sentence = pattern.sub(name, sentence)
        return sentence

    def is_deed(self, token: str) -> bool:
        """Whether a word ends as the name of a deed does (`reading`, `leer`)."""
        endings = self.infinitives + ((self.gerund,) if self.gerund else ())
        return bool(endings) and token.endswith(endings)

    def inside(self, token: str) -> tuple[str, ...]:
        """The stems of the known words a compound ends and begins with (`Theaterabend`)."""
        if not self._tails:
            return ()
        plain = without_ending(token, self.suffixes)
        ends = (self._tails.get(plain[at:]) for at in range(3, len(plain) - 2))
        begins = (self._heads.get(token[:at]) for at in range(len(token) - 3, _HEAD - 1, -1))
        found = (next((stem for stem in part if stem), "") for part in (ends, begins))
        return tuple(stem for stem in found if stem)


def languages() -> tuple[str, ...]:
    """The codes of the languages there are files for, `en` first."""
    return tuple(sorted(language_files(), key=lambda code: (code != "en", code)))


@lru_cache(maxsize=32)
def lexicon(code: str) -> Lexicon:
    """The lexicon of a language; `KeyError` where there is no file for it."""
    table = language_table(code)
    base = _OWN_NUMBERS * languages().index(code)
    suffixes = tuple(sorted(phrases(table.get("suffixes", "")), key=lambda s: (-len(s), s)))
    unspaced = bool(table.get("unspaced", False))
    forms = Forms(
        str(table.get("forms", "")),
        suffixes,
        str(table.get("participle", "")),
        fold(str(table.get("function", ""))),
    )
    book = PhraseBook(forms, str(table.get("fillers", "")))
    for cue in CUES:
        for text in phrases(table.get(cue, "")):
            book.add(text, cue)
    objects = object_words(table)
    parts = parts_of(str(table.get("parts", "")))
    for word in objects:
        tokens = tuple(folded for _, folded in tokens_of(word.replace("_", " ")))
        if len(tokens) > 1:
            if not unspaced:
                tokens = (*tokens[:-1], f"{tokens[-1]}*")
            book.add_words(tokens, _THING)
    same = {
        stem_of(word, suffixes): stem_of(cluster[0], suffixes)
        for cluster in clusters(table.get("same", ""))
        for word in cluster
    }

    def canonical(word: str) -> str:
        plain = stem_of(word, suffixes)
        return same.get(plain, plain)

    return Lexicon(
        code,
        unspaced,
        bool(table.get("negation_after", False)),
        bool(table.get("concord", False)),
        suffixes,
        frames(table, unspaced=unspaced),
        same,
        members(table.get("near", ""), canonical, base),
        sides(table.get("opposite", ""), canonical, base),
        members(table.get("slots", ""), canonical, base),
        kinds(f"{table.get('kinds', '')}\n{inverted(parts)}", canonical),
        {canonical(w): tuple(canonical(part) for part in own) for w, own in parts.items()},
        fold(str(table.get("brief", ""))),
        frozenset(phrases(table.get("paired", ""))),
        frozenset(phrases(table.get("partners", ""))),
        bool(table.get("noun_first", False)),
        frozenset(fold(word) for word in phrases(table.get("articles", ""))),
        tuple(phrases(table.get("infinitives", ""))),
        str(table.get("gerund", "")),
        bool(table.get("capital_nouns", False)),
        tuple(
            (re.compile(rf"(?<=\w ){re.escape(word)}\b"), name)
            for word, name in table.get("proper", {}).items()
        ),
        measures(table.get("measures", {}), unspaced=unspaced),
        {w: canonical(w) for w in objects if len(w) >= _HEAD} if table.get("compounds") else {},
        {without_ending(w, suffixes): canonical(w) for w in objects if len(w) > 3}
        if table.get("compounds")
        else {},
        book,
    )


@lru_cache(maxsize=32)
def language_table(code: str) -> Mapping[str, Any]:
    """A language file as it is written; `KeyError` where there is none."""
    return tomllib.loads(language_files()[code])


@lru_cache(maxsize=1)
def language_files() -> Mapping[str, str]:
    folder = resources.files("lorebank.reflect").joinpath("stance_data")
    return {
        entry.name.removesuffix(".toml"): entry.read_text("utf-8")
        for entry in folder.iterdir()
        if entry.name.endswith(".toml")
    }
