"""Which property of whom a sentence fixes, of those that have one value at a time.

A sentence is read in two ways, the surer first: a known relation ("lives in …", "reports to …") and
a definite attribute ("the capital of X is …", "X's landlord is …"), by the patterns and words of
`relations.toml`. What is only likely, hypothetical or past fixes nothing: a missed replacement
leaves two lines to read, a wrong one hides a true line.
"""

from __future__ import annotations

import re
import re._parser as _parser  # type: ignore[import-not-found]
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from lorebank.language.folding import fold
from lorebank.records import Record
from lorebank.supersede.endings import day_names

_PIECES = re.compile(
    r"(?<![A-Z][a-z])(?<![A-Z][a-z][a-z])(?<!\d)[.!]\s+(?=[^\W\da-z_])|[;。！]|\s[–—]\s"
)
_COMMA = re.compile(r"[,:，]\s")
_WORD = re.compile(r"[\w'+#.&/@°€$£%:-]*[\w+#€$£%]")
_VALUE_WORD = re.compile(r"[^\s\"“”«»„'()\[\]]+(?:'[^\s\"“”«»„()\[\]]+)?")
_DIGITS_APART = re.compile(r"(?<=\d)[ .,\u202f\u00a0](?=\d{3}\b)")
_POSSESSOR = re.compile(r"^(?P<who>.+?)(?:'s|(?<=s)') (?P<what>.+)$")
_QUESTION = re.compile(r"[?？]\s*$")
_CLAUSE_END = re.compile(r"[,，、;:(（]\s|[,(（]|(?<=\w{3})[.!](?:\s|$)|[。！?？]")
_SUBJECT_WORDS = 8
_LONGEST_ATTRIBUTE = 14
_VALUE_WORDS = 8
_LONGEST = 600
_MOST_PIECES = 4
_BEFORE_A_MEASURE = 2
_REPEATS = (_parser.MAX_REPEAT, _parser.MIN_REPEAT)


class Slot(Record):
    """One property of one thing, as one sentence has it."""

    subject: str
    """Slug of the mention that it is about; empty where only the text says."""
    about: str
    """What of the subject, or what where there is none: `brother`, `capital of peru`; folded."""
    relation: str
    value: str
    """Folded words."""
    old: str = ""
    """The value that this one replaces, where the sentence says which: "moved from … to …"."""
    since: str = ""
    """The day that its clause names, where that lies ahead: it holds from then on."""


class Relation:
    """A property and the sentences that state it: an entry of `relations.toml`."""

    def __init__(self, entry: Mapping[str, Any]) -> None:
        self.name: str = entry["name"]
        self.value: str = entry["value"]
        self.timeless: bool = entry.get("timeless", False)
        self.never = re.compile(entry["never"]) if "never" in entry else None


class _Statements:
    """The patterns of relations. Each is tried where one of the strings stands of which a match
    must hold one: all of these are found in one pass, and few sentences hold any."""

    def __init__(self, entries: Sequence[Mapping[str, Any]]) -> None:
        import ahocorasick  # an extension module, not needed to import this one

        self._patterns = [
            (relation, re.compile(pattern), kind == "change")
            for entry in entries
            for relation in [Relation(entry)]
            for kind in ("state", "change")
            for pattern in entry.get(kind, ())
        ]
        held: defaultdict[str, list[int]] = defaultdict(list)
        for place, (_, pattern, _) in enumerate(self._patterns):
            for literal in literals(pattern.pattern):
                held[literal].append(place)
        self._always = held.pop("", [])
        self._finder = ahocorasick.Automaton()
        for literal, places in held.items():
            self._finder.add_word(literal, places)
        self._finder.make_automaton()

    def found(self, piece: str) -> Iterator[tuple[Relation, re.Match[str], bool]]:
        """The matches in a piece, in the order of the table; each with whether it is a change."""
        places = set(self._always).union(*(places for _, places in self._finder.iter(piece)))
        for place in sorted(places):
            relation, pattern, is_change = self._patterns[place]
            if match := pattern.search(piece):
                yield relation, match, is_change


class Lexicon:
    """All that reading properties knows of languages, compiled from `relations.toml`."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        attribute, words = data["attribute"], data["words"]
        of = "|".join(attribute["of"])
        self._statements = _Statements(data["relation"])
        self.copula = re.compile(
            rf"^(?P<p>.+?) (?P<is>{'|'.join(attribute['copula'])})"
            rf"(?: (?:{'|'.join(words['adverbs'])}))?"
            rf"(?: (?P<prep>{'|'.join(attribute['prepositions'])}) )?(?:^| |(?<= ))(?P<v>.+)$"
        )
        self.cjk_attributes = _compiled(attribute["cjk"])
        self.single = (
            ("any", re.compile(rf"^(?:{'|'.join(attribute['favourite'])})")),
            *(
                (form, re.compile(rf"\b(?:{'|'.join(nouns)})(?: (?:{of})\b.*)?$"))
                for form, nouns in attribute["single"].items()
            ),
        )
        self.of, self.definite = frozenset(attribute["of"]), frozenset(attribute["definite"])
        self.indefinite, self.several = frozenset(attribute["a"]), frozenset(attribute["several"])
        self.common_nouns = frozenset(attribute["common_nouns"])
        self.plain, self.stop = frozenset(words["plain"]), frozenset(words["stop"])
        self.articles, self.at_a_time = frozenset(words["articles"]), frozenset(words["at_a_time"])
        self.joined = re.compile(rf"\b(?:{'|'.join(words['and'])})\s")
        self.opening = re.compile(rf"^(?:{'|'.join(words['openings'])})\s*:\s*")
        self.dates = day_names()
        self.denied, self.unsure = _any_of(words["denied"]), _any_of(words["unsure"])

    def statements(self, piece: str) -> Iterator[tuple[Relation, re.Match[str], bool]]:
        """What a piece states, in the order of the table, and whether as something new."""
        return self._statements.found(piece)

    def value_of(self, text: str) -> str:
        """The words of a value: up to the end of its clause, without articles."""
        words: list[str] = []
        for word in _VALUE_WORD.findall(_clause_of(text)):
            if word in self.stop and words:
                break
            if len(words) > 1 and words[-1] in self.at_a_time and self._names_time(word):
                words.pop()  # "Lisbon in May"
                break
            words.append(word.rstrip(".!"))
        kept = [
            word for word in words if word not in self.articles and word not in self.stop
        ] or words
        return " ".join(kept[:_VALUE_WORDS])

    def single_form(self, attribute: str) -> str | None:
        """What the value of an attribute of which there is one looks like; else `None`."""
        return next((form for form, nouns in self.single if nouns.search(attribute)), None)

    def _names_time(self, word: str) -> bool:
        return word in self.dates or (word.isdigit() and len(word) in (1, 2, 4))


def read_slots(
    content: str,
    *,
    subjects: Sequence[str] = (),
    names: Sequence[str] = (),
    bounded: bool = False,
    begun: Callable[[str], tuple[str, str]] = lambda clause: (clause, ""),
) -> tuple[Slot, ...]:
    """The slots of a sentence, in the order of their reading, each once.

    `subjects` are the slugs of the mentions before the colon (the first is who it is about),
    `names` those as written. `bounded`: the sentence names a time with an end, so that it says
    nothing of what holds after it. `begun` takes the words
    `from 1 December` out of a clause and returns the day ahead that it names, or ``""``.
    """
    words = lexicon()
    subject = subjects[0] if subjects else ""
    own = frozenset(word for name in names for word in _WORD.findall(fold(name)))
    reader = _Reader(words, subject, own, content, bounded)
    found: list[Slot] = []
    if not _QUESTION.search(content):
        for place, (piece, since) in enumerate(_pieces(content, begun)):
            if words.denied.search(piece):
                piece = " ".join(p for p in words.joined.split(piece) if not words.denied.search(p))
            if not words.unsure.search(piece):
                for slot in reader.read(piece, first=place == 0):
                    found.append(slot if reader.is_date(slot) else replace(slot, since=since))
    return tuple(dict.fromkeys(found))


class _Reader(Record):
    lexicon: Lexicon
    subject: str
    own: frozenset[str]
    """The words of the subject's names."""
    content: str
    bounded: bool

    def read(self, piece: str, *, first: bool) -> list[Slot]:
        """The slots of one piece of a sentence; in a later one, attributes of the subject only."""
        held = list(self._relations(piece))
        if (first or self.subject) and not held and not self.bounded:
            held = list(self._attribute(piece))
        return held

    def is_date(self, slot: Slot) -> bool:
        """Whether the value itself is a day: `the deadline is 3 December`."""
        return self._form(slot.value) == "date"

    def _relations(self, piece: str) -> Iterator[Slot]:
        for relation, match, is_change in self.lexicon.statements(piece):
            holds = is_change or relation.timeless or not self.bounded
            if holds and (slot := self._slot(relation, match)):
                yield slot

    def _slot(self, relation: Relation, match: re.Match[str]) -> Slot | None:
        groups = match.groupdict()
        value = self.lexicon.value_of(match["v"])
        about = self._about(match.string[: match.start()], groups.get("q"))
        if not value or about is None or not (self.subject or about):
            return None
        if not self._looks_like(relation.value, value):
            return None
        if relation.never and relation.never.search(_clause_of(match["v"])):
            return None
        old = self.lexicon.value_of(groups.get("a") or "")
        return Slot(self.subject, about, relation.name, value, old)

    def _attribute(self, sentence: str) -> Iterator[Slot]:
        """`the A of X is V`, `X's A is V`: one value, where A is not a thing one has several of."""
        for pattern in self.lexicon.cjk_attributes:
            if match := pattern.search(sentence):
                if not any(match["p"].endswith(noun) for noun in self.lexicon.several):
                    yield Slot(self.subject, match["p"], "is", match["v"].strip())
                return
        match = self.lexicon.copula.search(sentence)
        if match is None:
            return
        about = self._attribute_name(match["p"].strip())
        value = self.lexicon.value_of(match["v"])
        if not about or not value:
            return
        form = self._form(value)
        if wanted := self.lexicon.single_form(about):
            # "his boss is on leave", "the password is on the fridge" say no value.
            if self._looks_like(wanted, value) and (form or not match["prep"]):
                yield Slot(self.subject, about, "is", value)
        elif form and match["v"].split()[0] not in self.lexicon.indefinite:
            if form == "name" and match["is"] in self.lexicon.common_nouns:
                return
            # "is on Monday" and "is in Berlin" are two properties of one meeting, "is 3 hours" and
            # "is 120 euros" of one flight.
            place = match["prep"] if form != "date" else None
            unit = _unit(value) if form == "number" else None
            relation = " ".join(part for part in ("is", place, form, unit) if part)
            yield Slot(self.subject, about, relation, value)

    def _attribute_name(self, text: str) -> str | None:
        """The noun phrase before the copula, where it names one definite attribute."""
        words = _WORD.findall(text)
        if not words or len(words) > _LONGEST_ATTRIBUTE:
            return None
        possessor = _POSSESSOR.match(text)
        named = self.subject and self.lexicon.single_form(text)
        if words[0] in self.lexicon.definite:
            words = words[1:]
        elif possessor is None and not named:
            return None
        noun = self._noun(words)
        if not words or noun in self.lexicon.several or noun.rstrip("s") in self.lexicon.several:
            return None
        kept = [w.removesuffix("'s").rstrip("'") for w in words]
        kept = [w for w in kept if w not in self.own and w not in self.lexicon.plain]
        while kept and kept[-1] in self.lexicon.of:  # "CEO of Acme" under @Acme
            kept.pop()
        least = 1 if self.subject else 2  # "the deadline" is another one in every log
        return " ".join(kept) if len(kept) >= least else None

    def _noun(self, words: Sequence[str]) -> str:
        """The head: the last word before an `of`, else of all."""
        for place, word in enumerate(words):
            if word in self.lexicon.of and place:
                return words[place - 1]
        return words[-1] if words else ""

    def _about(self, before: str, qualifier: str | None) -> str | None:
        """What a relation is about beyond the subject itself; `None` where that is unclear."""
        before = self.lexicon.opening.sub("", before)
        clause = self.lexicon.joined.split(before)[-1]
        parts = _COMMA.split(clause)
        # After a comma that closes an apposition the whole clause counts: "X, Jordi's girl, was …".
        words = _WORD.findall(parts[-1] or " ".join(parts)) + _WORD.findall(qualifier or "")
        kept = [w for w in words if self._tells(w)]
        return " ".join(kept) if len(kept) <= _SUBJECT_WORDS else None

    def _tells(self, word: str) -> bool:
        lexicon = self.lexicon
        if word in lexicon.plain or word in lexicon.dates or word in self.own:
            return False
        return not (word.isdigit() and len(word) == 4) and word not in ("im", "am", "en")

    def _looks_like(self, wanted: str, value: str) -> bool:
        form = self._form(value)
        if wanted == "any":
            return True
        if wanted == "number":
            return any(letter.isdigit() for letter in value)
        if wanted == "measure":
            begin = " ".join(value.split()[:_BEFORE_A_MEASURE])  # "due on the 1st" is none
            return self._form(begin) in ("date", "number") or not value.isascii()
        return form in ("name", "number") or not value.isascii()

    def _form(self, value: str) -> str:
        """`date`, `number`, `name`, or empty for words that could be anything."""
        words = value.split()
        if any(word in self.lexicon.dates for word in words):
            return "date"
        if any(letter.isdigit() for word in words for letter in word):
            return "number"
        first = next((w for w in words if w not in self.lexicon.definite), "")
        return "name" if first and _is_capitalised(first, self.content) else ""


def _unit(value: str) -> str:
    """The words of `12 square metres` beside the number; empty for a name such as `oak-1`."""
    if not value[:1].isdigit():
        return ""
    return " ".join(w for w in value.split() if not any(map(str.isdigit, w)))


def _is_capitalised(word: str, content: str) -> bool:
    return any(
        fold(written).startswith(word) and written[:1].isupper()
        for written in re.findall(r"[^\W_][\w'’.+#-]*", content)[:60]
    )


def _pieces(content: str, begun: Callable[[str], tuple[str, str]]) -> list[tuple[str, str]]:
    """The sentences and main clauses of a text, folded, each with the day from which it holds."""
    pieces = map(begun, _PIECES.split(" ".join(content[:_LONGEST].split()))[:_MOST_PIECES])
    return [
        (_DIGITS_APART.sub("", lexicon().opening.sub("", fold(piece).strip())), since)
        for piece, since in pieces
    ]


def _clause_of(text: str) -> str:
    return _CLAUSE_END.split(text.strip(), maxsplit=1)[0]


@cache
def lexicon() -> Lexicon:
    return Lexicon(tomllib.loads(Path(__file__).with_name("relations.toml").read_text("utf-8")))


def literals(pattern: str) -> frozenset[str]:
    """Strings of which what matches holds one; the empty one where none is certain. No flags but
    those of groups are looked at.

    >>> sorted(literals(r"\\b(?:lives?|is based)(?: now)? in (?P<v>.+)"))
    ['is based', 'live']
    """
    return _literals(_parser.parse(pattern))


def _literals(parsed: Iterable[tuple[Any, Any]]) -> frozenset[str]:
    """Of the sets that a sequence must hold one of each of, that of the longest strings."""
    found = [frozenset({""})]
    run = ""
    for kind, argument in parsed:
        if kind is _parser.LITERAL:
            run += chr(argument)
            found.append(frozenset({run}))
            continue
        run = ""
        if kind is _parser.SUBPATTERN and not argument[1]:
            found.append(_literals(argument[-1]))
        elif kind is _parser.BRANCH:
            found.append(frozenset().union(*map(_literals, argument[1])))
        elif kind in _REPEATS and argument[0]:
            found.append(_literals(argument[2]))
    return max(found, key=lambda strings: min(map(len, strings)))


def _compiled(patterns: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in patterns)


def _any_of(phrases: list[str]) -> re.Pattern[str]:
    spaced = "|".join(phrase for phrase in phrases if phrase.isascii())
    unspaced = "|".join(phrase for phrase in phrases if not phrase.isascii())
    return re.compile(rf"(?<![\w-])(?:{spaced})(?![\w-])" + (f"|{unspaced}" if unspaced else ""))
