"""A sentence read for stance: its segments, cue by cue, and the comparisons it draws.

The reading knows no opinion yet: it says what words stand where, what each cue does to them, and
which stretches move nothing (questions, hypotheses, known past states, other people's views).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from lorebank.language.folding import fold
from lorebank.records import dataclass
from lorebank.reflect.detection import detect
from lorebank.reflect.lexicon import Lexicon, lexicon
from lorebank.reflect.polarity import Item, sign_of
from lorebank.reflect.tokens import tokens_of

_SENTENCE = re.compile(r"[^.!?;。！？；\n]+(?:\.(?=\w)[^.!?;。！？；\n]+)*[.!?;。！？；]*")
_TITLE = re.compile(r"\b(Dr|Dra|Mr|Mrs|Ms|Prof|Sr|Sra|Mme|Hr|St)\.")
_ASIDE = re.compile(
    r"\([^()]*\)|（[^（）]*）|\"[^\"]*\"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|「[^「」]*」"
)
_DENIAL = frozenset({"negate", "change"})
_DEEDS = frozenset({"adopt", "do", "drop"})
_SAID_OF = frozenset({"good", "bad", "like", "dislike", "say", "adopt"})
"""The cues of words that name one side of a comparison only where nothing else does."""
_NOTHING = (" any", "nothing", "nichts", "nada", "rien", "niente")
_CLAUSE = re.compile(r"[;；：]|:(?!\d)|—|\s[-–]\s|(?<=[.!?])\s|[。！？]")
_PIECE = re.compile(r"[,:，：、()（）\"“”«»]|\s[-–—]+\s|—")


@dataclass(frozen=True, slots=True)
class Words:
    """Stems, with the near clusters, the sides of opposite pairs and the slots they belong to."""

    stems: frozenset[str]
    """Those of the words, and of what they are kinds of."""
    own: frozenset[str]
    """Those of the words alone."""
    near: frozenset[tuple[str, int]]
    """(stem, cluster of nearly one meaning)."""
    sides: frozenset[tuple[int, int]]
    slots: frozenset[tuple[str, int]]
    """(stem, slot)."""

    @classmethod
    def of(cls, stems: Iterable[str], lexicon: Lexicon) -> Words:
        own = frozenset(stems)
        all_names = lexicon.with_kinds(own)
        return cls(
            all_names,
            own,
            frozenset(
                (stem, cluster) for stem in all_names for cluster in lexicon.near.get(stem, ())
            ),
            frozenset().union(*(lexicon.opposites.get(stem, ()) for stem in all_names)),
            frozenset((stem, slot) for stem in all_names for slot in lexicon.slots.get(stem, ())),
        )


@dataclass(frozen=True, slots=True)
class Segment:
    """A clause, about: the stretch between two commas or joining words."""

    items: tuple[Item, ...]
    sentence: int
    holder_first: bool
    """Whether the holder's name stands in it, not as a possessor."""
    words: Words
    cues: frozenset[str]
    sign: int
    """+1 or −1, as it speaks of its object; 0 where it does neither."""
    basis: str
    """The class of cue that gives the sign."""
    noun_first: bool
    """Whether what describes a thing may follow it (`té verde`)."""

    def has(self, *cues: str) -> bool:
        return any(cue in self.cues for cue in cues)


@dataclass(frozen=True, slots=True)
class Comparison:
    """`preferred` over `left`, or in its place."""

    preferred: Words
    left: Words
    is_change: bool
    sentence: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A text cut up for judging."""

    segments: tuple[Segment, ...]
    comparisons: tuple[Comparison, ...]
    lexicon: Lexicon | None
    quoted: bool
    """Whether it reports the view of somebody who is not the holder."""

    @property
    def is_change(self) -> bool:
        """Whether it says that something is otherwise than before."""
        changes = any(comparison.is_change for comparison in self.comparisons)
        return changes or any(segment.has("change") for segment in self.segments)


def clauses(statement: str) -> list[str]:
    """A compound statement cut at `;` `:` `—` and sentence ends, without brackets and quotations.

    >>> clauses('Prefers tea (green); coffee is "tar".')
    ['Prefers tea', 'coffee is .']
    """
    plain = _ASIDE.sub(" ", _TITLE.sub(r"\1", statement))
    parts = (" ".join(part.split()) for part in _CLAUSE.split(plain))
    return [part for part in parts if any(c.isalnum() for c in part)]


@lru_cache(maxsize=2048)
def read(
    text: str, names: tuple[str, ...] = (), *, claim: bool = False, language: str | None = None
) -> Reading:
    """Read a text; `names` are the holder's slugs, taken out of it.

    `language` is the code of the file to read it by, where it is known.

    As a `claim` (an opinion's own statement) nothing is passed over; otherwise sentences that ask,
    suppose, quote or tell of a known past are left out.
    """
    code = language or detect(text)
    if code is None:
        return Reading((), (), None, False)
    words = lexicon(code)
    segments: list[Segment] = []
    comparisons: list[Comparison] = []
    quoted = False
    for number, match in enumerate(_SENTENCE.finditer(_TITLE.sub(r"\1", text))):
        sentence = words.with_proper_names(match.group())
        own = _segments(sentence, number, names, words)
        if not claim and _moves_nothing(sentence, own):
            continue
        if not claim and any(s.has("quote") or _is_told_by_a_name(s) for s in own):
            quoted = True
            continue
        compared = _comparisons(sentence, number, names, words)
        kept = [s for s in own if claim or compared or not s.has("past")]
        segments += kept
        comparisons += compared
    return Reading(tuple(segments), tuple(comparisons), words, quoted)


def _is_told_by_a_name(segment: Segment) -> bool:
    """Whether a stretch only names who said the rest (`…, says Ben`)."""
    said = [item for item in segment.items if "function" not in item.cues]
    return (
        len(said) == 2
        and not segment.holder_first
        and "say" in said[0].cues
        and said[1].capital
        and not said[1].cues
        and not said[0].first
    )


def _moves_nothing(sentence: str, segments: Sequence[Segment]) -> bool:
    if sentence.rstrip("\"'”») ").endswith(("?", "？")):
        return True
    return any(segment.has("hypothetical", "ask") for segment in segments)


def _segments(sentence: str, number: int, names: tuple[str, ...], words: Lexicon) -> list[Segment]:
    name_words = {part for name in names for part in name.split("-")}
    out: list[Segment] = []
    first = True
    reason = False
    for piece in _pieces(_without_names(sentence, names), words):
        pairs = tokens_of(piece)
        folded = [token for _, token in pairs]
        run: list[Item] = []
        holder = False
        position = begin = 0
        while position < len(pairs):
            written, token = pairs[position]
            length, cues = words.cues_at(folded, position)
            if token in words.paired and words.partners.isdisjoint(folded[:position]):
                cues -= {"negate"}
            if length > 1 and not name_words.isdisjoint(folded[position : position + length]):
                length, cues = 1, frozenset()
            if token in name_words and length == 1:
                owns = written.endswith(("'s", "'"))
                holder = holder or not owns
                if run and not owns and "like" in run[-1].cues:
                    run[-1] = replace(run[-1], cues=run[-1].cues - {"like"})
                position += 1
                first = False
                continue
            if length > 1 and not cues - _DENIAL:
                longer, others = words.cues_at(folded, position + length - 1)
                if longer > 1 and others & {"like", "dislike"}:
                    length, cues = length - 1, cues - {"negate"}
            if length > 1 and words.concord and "negate" in words.cues_at([token], 0)[1]:
                cues |= {"denying"} if cues & {"like", "dislike"} else frozenset()
            if len(token) == 1 and token.isascii() and not written.isascii():
                cues -= {"joins"}
            if "joins" in cues and run:
                run += _extents(folded[begin:position], words)
                out.append(_segment(run, number, holder, words, reason=reason))
                run, holder, begin = [], False, position
                reason = "reason" in cues
                if cues & {"like", "dislike"}:
                    run.append(_item(folded[position : position + 1], cues, written, first, words))
            elif "reason" in cues:
                reason = True
            elif "joins" not in cues:
                if length == 1:
                    cues = _as_read(cues, folded, position, written, words, first=first)
                cues = _with_complaint(cues, folded[position + length :], run, words)
                run.append(_item(folded[position : position + length], cues, written, first, words))
            first = False
            position += length
        if run:
            run += _extents(folded[begin:], words)
            out.append(_segment(run, number, holder, words, reason=reason))
            reason = False
    return out


def _as_read(
    cues: frozenset[str],
    folded: Sequence[str],
    position: int,
    written: str,
    words: Lexicon,
    *,
    first: bool,
) -> frozenset[str]:
    """The cues of one word, without those it has not where it is a noun or a name (`in May`)."""
    if "hypothetical" in cues and written[:1].isupper() and not first:
        return cues - {"hypothetical"}
    if cues & _DEEDS and words.capital_nouns:
        return cues - _DEEDS if written[:1].isupper() and not first else cues
    if cues & _DEEDS and not folded[position].endswith(words.infinitives or ("\0",)):
        if first and words.gerund and folded[position].endswith(words.gerund):
            return cues - _DEEDS
        before = folded[max(position - 2, 0) : position]
        if before[-1:] and before[-1] in words.articles:
            return cues - _DEEDS
        if len(before) == 2 and before[0] in words.articles and not words.cues_at(before, 1)[1]:
            return cues - _DEEDS
    return cues


def _pieces(sentence: str, words: Lexicon) -> list[str]:
    """The stretches between commas and the like; `longer, clearer replies` is one."""
    pieces = _PIECE.split(sentence)
    out = pieces[:1]
    for piece in pieces[1:]:
        before = [token for _, token in tokens_of(out[-1])]
        after = [token for _, token in tokens_of(piece)]
        if before and after and _goes_on(before, after, words):
            out[-1] = f"{out[-1]} {piece}"
        else:
            out.append(piece)
    return out


def _goes_on(before: Sequence[str], after: Sequence[str], words: Lexicon) -> bool:
    """Whether one quality ends a stretch and another begins the next, with a noun to follow."""
    if words.noun_first or words.unspaced or words.stem(before[-1]) not in words.opposites:
        return False
    length, cues = words.cues_at(after, 0)
    opens = 1 if "function" in cues and length == 1 else 0
    goes_on = opens == 1 or words.stem(after[0]) in words.opposites or len(after) == 2
    return len(after) > opens + 1 and goes_on and not (cues - {"function", "good", "bad"})


def _segment(
    items: Sequence[Item], sentence: int, holder: bool, words: Lexicon, *, reason: bool
) -> Segment:
    sign, basis = sign_of(items, negation_after=words.negation_after, concord=words.concord)
    return Segment(
        tuple(items),
        sentence,
        holder,
        _words_of(items, words),
        frozenset().union(*_cues_of(items), ("reason",) if reason else ()),
        sign,
        basis,
        words.noun_first,
    )


def _words_of(items: Sequence[Item], words: Lexicon) -> Words:
    inside = (word for item in items if item.stem for word in words.inside(item.token))
    return Words.of(filter(None, (*(item.stem for item in items), *inside)), words)


def _cues_of(items: Sequence[Item]) -> Iterator[frozenset[str]]:
    """The cues of each word; between two others `before` and the like bound, and tell no past."""
    for position, item in enumerate(items):
        inside = 0 < position < len(items) - 1
        yield item.cues - {"past"} if inside and "bound" in item.cues else item.cues


def _item(
    tokens: Sequence[str], cues: frozenset[str], written: str, first: bool, words: Lexicon
) -> Item:
    thing, cues = words.thing_at(tokens, cues)
    silent = "function" in cues or len(tokens) > 1 or "negate" in cues
    stem = thing or ("" if silent else words.stem(tokens[0]))
    inside = () if silent else words.inside(tokens[0])
    names = words.with_kinds(filter(None, (stem, *inside)))
    near = frozenset().union(*(words.near.get(name, ()) for name in names))
    sides = frozenset().union(*(words.opposites.get(name, ()) for name in names))
    slots = frozenset().union(*(words.slots.get(name, ()) for name in names))
    owner = written[:1].isupper() and written.replace("’", "'").endswith(("'s", "s'"))
    return Item(
        stem,
        cues,
        tokens[0],
        written[:1].isupper(),
        first,
        near,
        tokens[0] in words.articles,
        words.capital_nouns,
        owner,
        names,
        sides,
        slots,
    )


def _extents(folded: Sequence[str], words: Lexicon) -> list[Item]:
    """An item for each extent that some words measure: `two hours` is long."""
    stretch = ("" if words.unspaced else " ").join(folded)
    said = dict.fromkeys(word for pattern, word in words.measures if pattern.search(stretch))
    return [
        _named(word, frozenset({"weak", "brief"} if word == words.brief else {"weak"}), words)
        for word in said
    ]


def _named(word: str, cues: frozenset[str], words: Lexicon) -> Item:
    return _item([word], cues, word, False, words)


def _with_complaint(
    cues: frozenset[str], following: Sequence[str], run: Sequence[Item], words: Lexicon
) -> frozenset[str]:
    """Turns `too` into a dislike where it stands with a word of extent or a bad one."""
    if "excess" not in cues or any("negate" in item.cues for item in run[-1:]):
        return cues
    beside = list(following[:1])
    beside += [item.token for item in run[-1:] if words.noun_first]
    if any(words.stem(word) in words.opposites for word in beside):
        return (cues - {"function"}) | {"dislike"}
    return cues


def _without_names(sentence: str, names: tuple[str, ...]) -> str:
    for name in names:
        if name and not name.isascii():
            sentence = sentence.replace(name, " ")
    return sentence


def _comparisons(
    sentence: str, number: int, names: tuple[str, ...], words: Lexicon
) -> list[Comparison]:
    text = fold(_without_names(sentence, names)).rstrip(" .!;。！；")
    for name in names:
        shown = re.escape(name).replace(r"\-", r"[\s_-]")
        text = re.sub(rf"(?<![a-z0-9]){shown}(?![a-z0-9])(?:'s)?\s*", "", text)
    for frame in words.frames:
        match = frame.pattern.search(text)
        if match is not None and not match["a"].endswith(_NOTHING):
            preferred, left = _stems(match["a"], words), _stems(match["b"], words)
            if preferred and (preferred <= left or left <= preferred):
                preferred = _stems(match["a"], words, weak=True)
                left = _stems(match["b"], words, weak=True)
            if _is_denied(text[: match.start()], words):
                preferred, left = left, preferred
            if preferred and left and preferred != left:
                return [
                    Comparison(
                        Words.of(preferred - left, words),
                        Words.of(left - preferred, words),
                        frame.is_change,
                        number,
                    )
                ]
    return []


def _is_denied(before: str, words: Lexicon) -> bool:
    """Whether the last words before a comparison deny it."""
    folded = [token for _, token in tokens_of(before.rpartition(",")[2])]
    cues = (words.cues_at(folded, at) for at in range(max(0, len(folded) - 2), len(folded)))
    return any("negate" in found for _, found in cues)


def _stems(text: str, words: Lexicon, *, weak: bool = False) -> frozenset[str]:
    """The stems of one side of a comparison; words of little weight only where they tell it."""
    silent = {"function", "negate", "change", "repeat"} | (set() if weak else {"weak"})
    folded = [token for _, token in tokens_of(text)]
    kept: set[str] = set()
    praise: set[str] = set()
    position = 0
    while position < len(folded):
        length, cues = words.cues_at(folded, position)
        thing, cues = words.thing_at(folded[position : position + length], cues)
        if thing:
            kept.add(thing)
        elif length == 1 and not cues & silent:
            named = {words.stem(folded[position]), *words.inside(folded[position])} - {""}
            (praise if cues & _SAID_OF else kept).update(named)
        position += length
    return frozenset(kept or praise)
