"""The cue words of each language, read from `stance_data/<language>.toml`.

A language is a file: cue classes as comma-separated phrases (`*` at a word's end for any ending,
`?` for any one word, ` .. ` for a few), comparison frames with `{a}` (preferred) and `{b}` (left), clusters of words
of one meaning and of nearly one, pairs of opposite clusters, slots, whose members exclude each other
where only one can hold, kinds (`tea: sencha earl_grey`: who names sencha names tea, not the other
way round) and measures (`two hours` says `long`). An object of several words, or of several Han
characters, is written with `_` or as it is, and read as one.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from lorebank.language.folding import fold

Canonical = Callable[[str], str]
"""A folded word → the stem that stands for its meaning."""

__all__ = ["CUES", "Lexicon", "detect", "languages", "lexicon", "tokens_of"]

CUES = (
    *(
        "negate",
        "like",
        "dislike",
        "good",
        "bad",
        "adopt",
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
    ),
)
"""The cue classes a language file may list; what is missing is empty.

`reason` are the joining words that begin a reason or circumstance, `lacking` the negations that are
prepositions (`without`), `bound` those that bound a time (`before ten`), `prep` those of place and
means (`on WhatsApp`), `excess` the words that turn the next one into a complaint (`too short`),
`scene` the amounts, days and places that tell nothing of what a line is about (`a cup of`).
"""
_THING = "thing"
"""The class of an object of several words."""

_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_HAN}]|[^\W_{_HAN}]+(?:['+#][^\W_{_HAN}]+)*[+#]*")
_ELIDED = re.compile(r"\A(?:l|d|n|j|m|t|s|c|qu|jusqu|lorsqu|puisqu|un|dell|all|nell)'(?=\w)")
_IS_HAN = re.compile(f"[{_HAN}]")
_KANA = re.compile("[\u3040-\u30ff]")
_ANY_ENDING = re.compile(r"(?<=\w)(?<!\\w)\*")
_PREFIX = 3
_ANY_WORD = "?"
_GAP = " .. "
_REACH = 5
"""Within how many words after its opening a phrase with a gap has to close."""
_OWN_NUMBERS = 10_000
"""Clusters, pairs and slots are numbered apart in each language: none is shared by two."""
_TELLING = (
    "function",
    "negate",
    "like",
    "dislike",
    "good",
    "bad",
    "adopt",
    "drop",
    "say",
    "joins",
    "repeat",
)


@dataclass(frozen=True, slots=True)
class _Phrase:
    tokens: tuple[str, ...]
    cue: str
    closed_by: str = ""
    """The word that ends the phrase some words later (`sent .. back`), not part of its length."""

    def matches(self, tokens: Sequence[str], start: int) -> bool:
        if self.closed_by:
            beyond = start + len(self.tokens)
            if self.closed_by not in tokens[beyond : beyond + _REACH]:
                return False
        if start + len(self.tokens) > len(tokens):
            return False
        return all(_fits(want, tokens[start + i]) for i, want in enumerate(self.tokens))


@dataclass(frozen=True, slots=True)
class Frame:
    """A comparison or a change, as a pattern over folded text."""

    pattern: re.Pattern[str]
    is_change: bool


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What one language says about stance."""

    code: str
    unspaced: bool
    negation_after: bool
    """Whether a negation may follow the verb it denies (`mag keinen Kaffee`)."""
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
    measures: tuple[tuple[re.Pattern[str], str], ...]
    """Phrases of extent, over folded text, and the word that says the same."""
    _tails: Mapping[str, str]
    """Where words are joined to one: how it may end → the stem of that ending."""
    _exact: Mapping[str, tuple[_Phrase, ...]]
    _open: Mapping[str, tuple[_Phrase, ...]]

    def cues_at(self, tokens: Sequence[str], start: int) -> tuple[int, frozenset[str]]:
        """The length and the classes of the longest phrase that begins at a token; (1, ∅) if none.

        >>> lexicon("en").cues_at(["no", "longer", "likes"], 0)[0]
        2
        """
        token = tokens[start]
        found = self._exact.get(token, ()) + self._open.get(token[:_PREFIX], ())
        fits = [phrase for phrase in found if phrase.matches(tokens, start)]
        longest = max((len(phrase.tokens) for phrase in fits), default=1)
        return longest, frozenset(p.cue for p in fits if len(p.tokens) == longest)

    def stem(self, token: str) -> str:
        """A word without its endings, one stem for all words of one meaning."""
        return self.same.get(plain := _stem(token, self.suffixes), plain)

    def thing_at(self, tokens: Sequence[str], cues: frozenset[str]) -> tuple[str, frozenset[str]]:
        """The stem of the object that a phrase names, empty for none, and its other cues."""
        if _THING not in cues:
            return "", cues
        return self.stem(_joined(tokens, unspaced=self.unspaced)), cues - {_THING}

    def with_kinds(self, stems: Iterable[str]) -> frozenset[str]:
        """The stems and those of what they are kinds of."""
        own = set(stems)
        for stem in tuple(own):
            own |= self.kinds.get(stem, frozenset())
        return frozenset(own)

    def tail(self, token: str) -> str:
        """The stem of the known word that a compound ends with (`Wochensitzung`), else empty."""
        if not self._tails:
            return ""
        plain = _without_ending(token, self.suffixes)
        ends = (self._tails.get(plain[at:]) for at in range(3, len(plain) - 2))
        return next((stem for stem in ends if stem), "")


def languages() -> tuple[str, ...]:
    """The codes of the languages there are files for, `en` first."""
    return tuple(sorted(_files(), key=lambda code: (code != "en", code)))


@lru_cache(maxsize=32)
def lexicon(code: str) -> Lexicon:
    """The lexicon of a language; `KeyError` where there is no file for it."""
    table = tomllib.loads(_files()[code])
    base = _OWN_NUMBERS * languages().index(code)
    suffixes = tuple(sorted(_phrases(table.get("suffixes", "")), key=lambda s: (-len(s), s)))
    unspaced = bool(table.get("unspaced", False))
    exact: dict[str, list[_Phrase]] = {}
    opened: dict[str, list[_Phrase]] = {}
    for cue in CUES:
        for text in _phrases(table.get(cue, "")):
            opening, _, closing = text.partition(_GAP)
            phrase = _Phrase(_phrase_tokens(opening), cue, fold(closing.strip()))
            first = phrase.tokens[0]
            index, key = (opened, first[:_PREFIX]) if first.endswith("*") else (exact, first)
            index.setdefault(key.rstrip("*"), []).append(phrase)
    objects = _object_words(table)
    parts = _parts(str(table.get("parts", "")))
    for word in objects:
        tokens = tuple(folded for _, folded in tokens_of(word.replace("_", " ")))
        if len(tokens) > 1:
            if not unspaced:
                tokens = (*tokens[:-1], f"{tokens[-1]}*")
            exact.setdefault(tokens[0], []).append(_Phrase(tokens, _THING))
    same = {
        _stem(word, suffixes): _stem(cluster[0], suffixes)
        for cluster in _clusters(table.get("same", ""))
        for word in cluster
    }

    def canonical(word: str) -> str:
        plain = _stem(word, suffixes)
        return same.get(plain, plain)

    return Lexicon(
        code,
        unspaced,
        bool(table.get("negation_after", False)),
        suffixes,
        _frames(table, unspaced=unspaced),
        same,
        _members(table.get("near", ""), canonical, base),
        _sides(table.get("opposite", ""), canonical, base),
        _members(table.get("slots", ""), canonical, base),
        _kinds(f"{table.get('kinds', '')}\n{_inverted(parts)}", canonical),
        {canonical(w): tuple(canonical(part) for part in own) for w, own in parts.items()},
        fold(str(table.get("brief", ""))),
        frozenset(_phrases(table.get("paired", ""))),
        frozenset(_phrases(table.get("partners", ""))),
        bool(table.get("noun_first", False)),
        _measures(table.get("measures", {}), unspaced=unspaced),
        {_without_ending(w, suffixes): canonical(w) for w in objects if len(w) > 3}
        if table.get("compounds")
        else {},
        {key: tuple(value) for key, value in exact.items()},
        {key: tuple(value) for key, value in opened.items()},
    )


def tokens_of(text: str) -> list[tuple[str, str]]:
    """(as written, folded) for each word; each Han character is a word."""
    out: list[tuple[str, str]] = []
    for match in _TOKEN.finditer(text.replace("’", "'")):
        written = match.group()
        folded = _ELIDED.sub("", fold(written))
        if folded.endswith("'s"):
            folded = folded[:-2]
        if written[:2].lower() == "n'":
            out.append(("n", "n"))
        if folded:
            out.append((written, folded))
    return out


def detect(text: str, beside: str = "") -> str | None:
    """The language with the most function and cue words in a text; `en` where none has any.

    What stands `beside` it counts half: a few words may be of several languages. `None` for a
    script no file covers.
    """
    script = _script(text)
    if script is not None:
        return script if script in _files() else None
    counts = _counts(text)
    near = _counts(beside) if beside and _script(beside) is None else Counter()
    if not counts and not near:
        return "en"
    return max(languages(), key=lambda code: counts[code] + near[code] / 2)


def _script(text: str) -> str | None:
    if _KANA.search(text):
        return "ja"
    return "zh" if _IS_HAN.search(text) else None


@lru_cache(maxsize=16384)
def _counts(text: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    known = _language_words()
    for _, token in tokens_of(text):
        counts.update(known.get(token, ()))
    return counts


@lru_cache(maxsize=1)
def _files() -> Mapping[str, str]:
    folder = resources.files("lorebank.reflect").joinpath("stance_data")
    return {
        entry.name.removesuffix(".toml"): entry.read_text("utf-8")
        for entry in folder.iterdir()
        if entry.name.endswith(".toml")
    }


@lru_cache(maxsize=1)
def _language_words() -> Mapping[str, tuple[str, ...]]:
    words: dict[str, list[str]] = {}
    for code in languages():
        table = tomllib.loads(_files()[code])
        own: set[str] = set()
        for cue in _TELLING:
            for phrase in _phrases(table.get(cue, "")):
                tokens = _phrase_tokens(phrase)
                if cue in ("function", "negate") or len(tokens) == 1:
                    own.update(token for token in tokens if not token.endswith("*"))
        for word in own:
            words.setdefault(word, []).append(code)
    return {word: tuple(codes) for word, codes in words.items()}


def _phrases(text: str) -> list[str]:
    parts = (" ".join(part.split()) for part in re.split(r"[,，、]", text))
    return [part for part in parts if part]


def _phrase_tokens(text: str) -> tuple[str, ...]:
    tokens: list[str] = []
    for part in text.split():
        found = [folded for _, folded in tokens_of(part.rstrip("*"))] or [fold(part)]
        if part.endswith("*"):
            found[-1] += "*"
        tokens += found
    return tuple(tokens)


def _fits(want: str, token: str) -> bool:
    if want == _ANY_WORD:
        return True
    return token.startswith(want[:-1]) if want.endswith("*") else token == want


def _stem(token: str, suffixes: Iterable[str]) -> str:
    return _without_ending(token, suffixes)[:8]


def _without_ending(token: str, suffixes: Iterable[str]) -> str:
    if len(token) < 4:
        return token
    for suffix in suffixes:
        if token.endswith(suffix) and len(token) - len(suffix) >= 3:
            token = token[: -len(suffix)]
            if suffix == "s" and "y" in suffixes and len(token) > 3:
                token = token.removesuffix("y")
            break
    if len(token) > 3 and token[-1] == token[-2] and token[-1] not in "aeiouls":
        token = token[:-1]
    return token


def _joined(tokens: Sequence[str], *, unspaced: bool) -> str:
    return ("" if unspaced else "_").join(tokens)


def _object_words(table: Mapping[str, object]) -> frozenset[str]:
    """All words of the clusters, pairs, slots and kinds, folded."""
    text = " ".join(str(table.get(key, "")) for key in ("same", "near", "opposite", "slots", "kinds", "parts"))
    return frozenset(fold(word) for word in re.split(r"[\s;/:]+", text) if word)


def _clusters(text: str) -> list[list[str]]:
    groups = ([fold(word) for word in part.split()] for part in text.split(";"))
    return [group for group in groups if group]


def _frames(table: Mapping[str, object], *, unspaced: bool) -> tuple[Frame, ...]:
    stops = _phrases(str(table.get("stops", "")))
    return tuple(
        Frame(_frame(line, stops, unspaced=unspaced), is_change)
        for key, is_change in (("switch", True), ("compare", False))
        for line in str(table.get(key, "")).splitlines()
        if line.strip()
    )


def _frame(line: str, stops: Sequence[str], *, unspaced: bool) -> re.Pattern[str]:
    text = _ANY_ENDING.sub(r"\\w*", fold(line.strip()))
    part = r"[^,;.!?，。；！？]+?"
    text = text.replace("{a}", f"(?P<a>{part})").replace("{b}", f"(?P<b>{part})")
    if unspaced:
        return re.compile(text.replace(" ", r"\s*") + r"(?=了|的|吧|$|[,;.!?，。；！？])")
    ends = "|".join(re.escape(fold(stop)) for stop in stops)
    end = rf"(?=\s*$|\s*[,;.!?]|\s+(?:{ends})\b)" if ends else r"(?=\s*$|\s*[,;.!?])"
    return re.compile(r"(?<!\w)" + text.replace(" ", r"\s+") + end)


def _sides(text: str, canonical: Canonical, base: int) -> Mapping[str, frozenset[tuple[int, int]]]:
    found: dict[str, set[tuple[int, int]]] = {}
    for number, pair in enumerate(text.split(";"), base):
        for side, words in enumerate(pair.split("/")):
            for word in words.split():
                found.setdefault(canonical(fold(word)), set()).add((number, side))
    return {word: frozenset(sides) for word, sides in found.items()}


def _members(text: str, canonical: Canonical, base: int) -> Mapping[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, group in enumerate(text.split(";"), base):
        for word in group.split():
            found.setdefault(canonical(fold(word)), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


def _kinds(text: str, canonical: Canonical) -> Mapping[str, frozenset[str]]:
    """Each word's kinds, and theirs: a poodle is a dog, and so a pet."""
    direct: dict[str, set[str]] = {}
    for line in text.splitlines():
        head, _, members = line.partition(":")
        for word in members.split():
            direct.setdefault(canonical(fold(word)), set()).add(canonical(fold(head.strip())))
    return {
        stem: frozenset(heads).union(*(direct.get(head, ()) for head in heads)) - {stem}
        for stem, heads in direct.items()
    }


def _measures(
    table: Mapping[str, str], *, unspaced: bool
) -> tuple[tuple[re.Pattern[str], str], ...]:
    edges = ("", "") if unspaced else (r"(?<!\w)", r"(?!\w)")
    return tuple(
        (re.compile(f"{edges[0]}(?:{fold(pattern)}){edges[1]}"), fold(word))
        for word, pattern in table.items()
    )


def _parts(text: str) -> dict[str, tuple[str, ...]]:
    split = (line.partition(":") for line in text.splitlines() if line.strip())
    return {fold(word.strip()): tuple(fold(rest).split()) for word, _, rest in split}


def _inverted(parts: Mapping[str, tuple[str, ...]]) -> str:
    return "\n".join(f"{part}: {word}" for word, own in parts.items() for part in own)
