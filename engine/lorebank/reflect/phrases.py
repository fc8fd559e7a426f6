"""Cue phrases: how a language file writes them, and where in a line they stand.

A phrase is words. `love~` is any form of a word, by its stem or by a row of `forms`; `like*` any
ending; `in|for` one of several; `?` any one word; ` .. ` a few words, before the word that closes
the phrase. Between its words the fillers of the language may stand (`has *completely* lost *all
his* interest in`), so a phrase is written without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lorebank.language.folding import fold
from lorebank.records import dataclass
from lorebank.reflect.tokens import phrase_tokens, phrases, stem_of, tokens_of

_ANY_WORD = "?"
_GAP = " .. "
_REACH = 5
"""Within how many words after its opening a phrase with a gap has to close."""
_FILLERS = 3
"""How many fillers may stand between two words of a phrase."""
_PREFIX = 3


class Forms:
    """The word that stands for all forms of one: `went` is a form of `go`, `liked` of `like`."""

    def __init__(
        self, table: str, suffixes: Sequence[str], participle: str = "", closed: str = ""
    ) -> None:
        """`table` has a row of irregular forms a line; `participle` is what one may begin with.

        `closed` are words that are forms of nothing but what the table says.
        """
        self._suffixes = tuple(suffixes)
        self._participle = participle
        self._irregular: dict[str, str] = {}
        for row in table.splitlines():
            lemma, *others = fold(row).split() or [""]
            self._irregular.update(dict.fromkeys((lemma, *others), lemma))
        self._closed = frozenset(phrases(closed))
        self._keys: dict[str, frozenset[str]] = {}

    def keys(self, token: str) -> frozenset[str]:
        """What a token may be a form of."""
        found = self._keys.get(token)
        if found is None:
            if len(self._keys) >= _MOST_WORDS:
                self._keys.clear()
            found = self._keys[token] = frozenset(self._of(token))
        return found

    def key(self, word: str) -> str:
        """What stands for the word that a phrase names."""
        return self._irregular.get(word) or f"{stem_of(word, self._suffixes)}~"

    def _of(self, token: str) -> Iterable[str]:
        if token in self._closed and token not in self._irregular:
            return
        yield self.key(token)
        begun = self._participle
        if begun and token.startswith(begun) and len(token) > len(begun) + 3:
            yield self.key(token.removeprefix(begun))


_MOST_WORDS = 50_000


@dataclass(frozen=True, slots=True)
class _Want:
    """What one word of a phrase may be."""

    exact: frozenset[str]
    starts: tuple[str, ...]
    forms: frozenset[str]
    anything: bool

    @classmethod
    def of(cls, words: tuple[str, ...], forms: Forms) -> _Want:
        return cls(
            frozenset(w for w in words if w[-1:] not in "*~"),
            tuple(w[:-1] for w in words if w.endswith("*")),
            frozenset(forms.key(w[:-1]) for w in words if w.endswith("~")),
            _ANY_WORD in words,
        )

    def fits(self, token: str, forms: Forms) -> bool:
        return (
            self.anything
            or token in self.exact
            or (bool(self.starts) and token.startswith(self.starts))
            or (bool(self.forms) and not self.forms.isdisjoint(forms.keys(token)))
        )


@dataclass(frozen=True, slots=True)
class Phrase:
    """One phrase and the class of cue it is."""

    wants: tuple[_Want, ...]
    cue: str
    closed_by: _Want | None = None
    """What ends the phrase some words later (`sent .. back`), no part of its length."""

    def end(self, tokens: Sequence[str], start: int, fillers: frozenset[str], forms: Forms) -> int:
        """Where the phrase that begins at a token ends; 0 where none does."""
        at = start
        for number, want in enumerate(self.wants):
            if number:
                stop = min(at + _FILLERS, len(tokens) - 1)
                while at < stop and tokens[at] in fillers and not want.fits(tokens[at], forms):
                    at += 1
            if at >= len(tokens) or not want.fits(tokens[at], forms):
                return 0
            at += 1
        closing = self.closed_by
        if closing is None or any(closing.fits(t, forms) for t in tokens[at : at + _REACH]):
            return at
        return 0


_Entry = tuple[Phrase, frozenset[str] | None]
"""A phrase, and the words that may follow its first one; `None` for any."""


class PhraseBook:
    """The phrases of a language, found by how they begin."""

    def __init__(self, forms: Forms, fillers: str) -> None:
        self._forms = forms
        self._fillers = frozenset(word for text in phrases(fillers) for word in phrase_tokens(text))
        self._wants: dict[tuple[str, ...], _Want] = {}
        self._exact: dict[str, list[_Entry]] = {}
        self._starts: dict[str, list[_Entry]] = {}
        self._inflected: dict[str, list[_Entry]] = {}

    def add(self, text: str, cue: str) -> None:
        """A phrase as a language file writes it."""
        opening, _, closing = text.partition(_GAP)
        wants = tuple(map(self._want, _words(opening)))
        closed_by = self._want(_words(closing)[0]) if closing else None
        self._file(Phrase(wants, cue, closed_by))

    def add_words(self, tokens: Sequence[str], cue: str) -> None:
        """A phrase of words taken as they are, `*` after one for any ending."""
        self._file(Phrase(tuple(self._want((token,)) for token in tokens), cue))

    def _want(self, alternatives: tuple[str, ...]) -> _Want:
        """One for all phrases with these words: most stand in several."""
        found = self._wants.get(alternatives)
        if found is None:
            found = self._wants[alternatives] = _Want.of(alternatives, self._forms)
        return found

    def _file(self, phrase: Phrase) -> None:
        first = phrase.wants[0]
        entry = (phrase, self._seconds(phrase))
        for word in first.exact:
            self._exact.setdefault(word, []).append(entry)
        for word in first.starts:
            self._starts.setdefault(word[:_PREFIX], []).append(entry)
        for word in first.forms:
            self._inflected.setdefault(word, []).append(entry)

    def _seconds(self, phrase: Phrase) -> frozenset[str] | None:
        """The words that may follow the first one; `None` for any."""
        second = phrase.wants[1] if len(phrase.wants) > 1 else None
        if second is None or second.anything or second.starts or second.forms:
            return None
        return second.exact | self._fillers

    def cues_at(self, tokens: Sequence[str], start: int) -> tuple[int, frozenset[str]]:
        """The length and the classes of the longest phrase that begins at a token; (1, ∅) if none.

        Of those that end at one place all count, but for a closed phrase over a plain one.
        """
        token = tokens[start]
        found = [*self._exact.get(token, ()), *self._starts.get(token[:_PREFIX], ())]
        for key in self._forms.keys(token) if self._inflected else ():
            found += self._inflected.get(key, ())
        following = tokens[start + 1] if start + 1 < len(tokens) else ""
        best = (0, False)
        cues: set[str] = set()
        for phrase, seconds in found:
            if seconds is not None and following not in seconds:
                continue
            end = phrase.end(tokens, start, self._fillers, self._forms)
            size = (end, phrase.closed_by is not None)
            if end and size >= best:
                if size > best:
                    best = size
                    cues.clear()
                cues.add(phrase.cue)
        return (best[0] - start, frozenset(cues)) if cues else (1, frozenset())


def _words(text: str) -> list[tuple[str, ...]]:
    """Each word's alternatives; a word that is cut in two (`n't`, Han) is two."""
    out: list[tuple[str, ...]] = []
    for part in text.split():
        if "|" in part:
            out.append(tuple(_one(word) for word in part.split("|")))
            continue
        marked = part[-1] if part[-1] in "*~" else ""
        word = part.rstrip("*~")
        if word.isascii() and word.isalpha() and word.islower():  # as nearly all: nothing to cut
            out.append((word + marked,))
            continue
        found = [folded for _, folded in tokens_of(word)] or [fold(part)]
        out += [(word,) for word in found[:-1]]
        out.append((found[-1] + marked,))
    return out


def _one(word: str) -> str:
    marked = word[-1] if word[-1:] in ("*", "~") else ""
    return fold(word.rstrip("*~")) + marked
