"""Reading slots: which property of whom a sentence fixes, and which it brings to an end.

A sentence is read in three ways, the surest first: a known relation ("lives in …", "reports to …"),
a definite attribute ("the capital of X is …", "X's landlord is …"), an end or a swap ("no longer
works at …", "switched from … to …"). What is only likely, hypothetical or past gives no slot: a
missed replacement leaves two lines to read, a wrong one hides a true line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from lorebank.language.folding import fold
from lorebank.records import dataclass
from lorebank.supersede.property_words import Lexicon, Relation, clause_of, lexicon
from lorebank.supersede.values import SlotKind

_PIECES = re.compile(
    r"(?<![A-Z][a-z])(?<![A-Z][a-z][a-z])(?<!\d)[.!]\s+(?=[^\W\da-z_])|[;。！]|\s[–—]\s"
)
_COMMA = re.compile(r"[,:，]\s")
_OF_ITSELF = re.compile(r"^[是为]\s?.+[,，]$")
"""A first predicate of the subject itself, before a second one: `是负责人，住在…`."""
_AND = re.compile(r"\b(?:and|und|et|y|e)\s")
_OPENING = re.compile(
    r"^(?:correction|update|korrektur|correccion|correcao|correzione|更正)\s*:\s*"
)
_WORD = re.compile(r"[\w'+#.&/@°€$£%:-]*[\w+#€$£%]")
_DIGITS_APART = re.compile(r"(?<=\d)[ .,\u202f\u00a0](?=\d{3}\b)")
_POSSESSOR = re.compile(r"^(?P<who>.+?)(?:'s|(?<=s)') (?P<what>.+)$")
_QUESTION = re.compile(r"[?？]\s*$")
_SUBJECT_WORDS = 8
_LONGEST_ATTRIBUTE = 14
_LONGEST = 600
_MOST_PIECES = 4
_BEFORE_A_MEASURE = 2


@dataclass(frozen=True, slots=True)
class Slot:
    """One property of one thing, as one sentence has it."""

    subject: str
    """Slug of the mention that it is about; empty where only the text says."""
    about: str
    """What of the subject, or what where there is none: `brother`, `capital of peru`; folded."""
    relation: str
    value: str
    """Folded words."""
    kind: SlotKind


def read_slots(
    content: str, *, subjects: Sequence[str] = (), names: Sequence[str] = (), bounded: bool = False
) -> tuple[Slot, ...]:
    """The slots of a sentence, in the order of their reading, each once.

    `subjects` are the slugs of the mentions before the colon (the first is who it is about),
    `names` those as written. `bounded`: the sentence names a time with an end, so that it says
    nothing of what holds after it.
    """
    words = lexicon()
    subject = subjects[0] if subjects else ""
    own = frozenset(word for name in names for word in _WORD.findall(fold(name)))
    reader = _Reader(words, subject, own, content, bounded)
    found: list[Slot] = []
    if not _QUESTION.search(content):
        for place, piece in enumerate(_pieces(content)):
            if not words.is_unsure(piece):
                found += reader.read(piece, first=place == 0)
    return tuple(dict.fromkeys(found))


def ends_value(ended: str, value: str) -> bool:
    """Whether what is over takes the value with it: `hooli` does `hooli berlin`, `berlin` does
    `berlin-mitte`; never reversed."""
    said = {part for word in value.split() for part in (word, *word.split("-"))}
    return set(ended.split()) - lexicon().company <= said


@dataclass(frozen=True, slots=True)
class _Reader:
    lexicon: Lexicon
    subject: str
    own: frozenset[str]
    """The words of the subject's names."""
    content: str

    bounded: bool

    def read(self, piece: str, *, first: bool) -> list[Slot]:
        """The slots of one piece of a sentence; in a later one, attributes of the subject only."""
        ended = list(self._ends(piece))
        over = {(slot.relation, slot.value) for slot in ended}
        held = [s for s in self._relations(piece) if (s.relation, s.value) not in over]
        if (first or self.subject) and not ended and not held and not self.bounded:
            held = list(self._attribute(piece))
        return ended + held

    def _relations(self, piece: str) -> Iterator[Slot]:
        for relation in self.lexicon.relations:
            held = () if self.bounded and not relation.timeless else relation.state
            for pattern in (*held, *relation.change):
                if (match := pattern.search(piece)) and (slot := self._slot(relation, match)):
                    yield slot

    def _slot(self, relation: Relation, match: re.Match[str]) -> Slot | None:
        groups = match.groupdict()
        value = self.lexicon.value_of(match["v"])
        about = self._about(match.string[: match.start()], groups.get("q"))
        if not value or about is None or not self._looks_like(relation.value, value):
            return None
        if not relation.may_be(match["v"]):
            return None
        if relation.narrowed:
            narrowed = self.lexicon.narrowed(match["v"])
            if narrowed is None:
                return None
            value, which = narrowed
            about = f"{about} {which}".strip()
        if not self.subject and not about:
            return None
        beside = (
            relation.several  # "from Vim to Emacs": only Vim is over
            or (relation.told and not self.lexicon.new.search(match.string))
        )
        kind = SlotKind.SEVERAL if beside else SlotKind.HOLDS
        return Slot(self.subject, about, relation.name, value, kind)

    def _ends(self, sentence: str) -> Iterator[Slot]:
        """What the sentence says is over; with `switched from A to B`, B holds in its place."""
        for pattern in self.lexicon.swap:
            match = pattern.search(sentence)
            if match is None or not self._is_plain(match.groupdict().get("q")):
                continue  # "switched the blog from A to B"
            old = self.lexicon.value_of(match["a"])
            if old and self.subject:
                yield Slot(self.subject, "", "*", old, SlotKind.ENDS)
        if not self.subject:
            return
        for relation in self.lexicon.relations:
            for pattern in (*relation.end, *relation.change):
                if slot := self._ended(relation, pattern, sentence):
                    yield slot
        bare = self.lexicon.without_negation(sentence)
        if bare is not None:
            for relation in self.lexicon.relations:
                for state in relation.state:
                    if slot := self._negated(relation, state, bare):
                        yield slot

    def _is_plain(self, words: str | None) -> bool:
        plain = self.lexicon.plain | self.lexicon.over
        return plain.issuperset((words or "").split())

    def _ended(self, relation: Relation, pattern: re.Pattern[str], sentence: str) -> Slot | None:
        """What "left …" and "moved from … to …" bring to an end."""
        match = pattern.search(sentence)
        if match is None or self._about(sentence[: match.start()], None) != "":
            return None  # "the left ear"
        groups = match.groupdict()
        old = groups.get("a") if pattern in relation.change else groups["v"]
        value = self.lexicon.value_of(old) if old else ""
        if not value or not self._looks_like(relation.value, value):
            return None
        if relation.several and self.lexicon.sometimes.search(clause_of(match["v"])):
            return None  # "stopped using Notion for recipes"
        return Slot(self.subject, "", relation.name, value, SlotKind.ENDS)

    def _negated(self, relation: Relation, pattern: re.Pattern[str], bare: str) -> Slot | None:
        """What is over in a sentence that read `bare` before its "no longer" was taken out."""
        match = pattern.search(bare)
        if match is None:
            return None
        value = self.lexicon.value_of(match["v"])
        about = self._about(bare[: match.start()], None)
        if not value or about is None:
            return None
        if relation.several and self.lexicon.sometimes.search(clause_of(match["v"])):
            return None
        return Slot(self.subject, about, relation.name, value, SlotKind.ENDS)

    def _attribute(self, sentence: str) -> Iterator[Slot]:
        """`the A of X is V`, `X's A is V`: one value, where A is not a thing one has several of."""
        for pattern in self.lexicon.cjk_attributes:
            if match := pattern.search(sentence):
                if not any(match["p"].endswith(noun) for noun in self.lexicon.several):
                    yield Slot(self.subject, match["p"], "is", match["v"].strip(), SlotKind.HOLDS)
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
                yield Slot(self.subject, about, "is", value, SlotKind.HOLDS)
        elif form and match["v"].split()[0] not in self.lexicon.indefinite:
            if form == "name" and match["is"] in self.lexicon.common_nouns:
                return
            # "is on Monday" and "is in Berlin" are two properties of one meeting, "is 3 hours" and
            # "is 120 euros" of one flight.
            place = match["prep"] if form != "date" else None
            unit = _unit(value) if form == "number" else None
            relation = " ".join(part for part in ("is", place, form, unit) if part)
            yield Slot(self.subject, about, relation, value, SlotKind.HOLDS)

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
        noun = self._noun(words, possessor)
        if not words or noun in self.lexicon.several or noun.rstrip("s") in self.lexicon.several:
            return None
        kept = [w.removesuffix("'s").rstrip("'") for w in words]
        kept = [w for w in kept if w not in self.own and w not in self.lexicon.plain]
        while kept and kept[-1] in self.lexicon.of:  # "CEO of Acme" under @Acme
            kept.pop()
        least = 1 if self.subject else 2  # "the deadline" is another one in every log
        return " ".join(kept) if len(kept) >= least else None

    def _noun(self, words: Sequence[str], possessor: re.Match[str] | None) -> str:
        """The head: the last word before an `of`, or the last of what is possessed."""
        if possessor is not None:
            words = _WORD.findall(possessor["what"])
        for place, word in enumerate(words):
            if word in self.lexicon.of and place:
                return words[place - 1]
        return words[-1] if words else ""

    def _about(self, before: str, qualifier: str | None) -> str | None:
        """What a relation is about beyond the subject itself; `None` where it cannot be told."""
        before = _OPENING.sub("", before)
        if self.subject and _OF_ITSELF.match(before):
            return ""
        clause = _AND.split(before)[-1]
        parts = _COMMA.split(clause)
        # After a comma that closes an apposition the whole clause tells: "X, Jordi's girl, was …".
        words = _WORD.findall(parts[-1] or " ".join(parts)) + _WORD.findall(qualifier or "")
        words = [self._bare(word) for word in words]
        kept = [w for w in words if self._tells(w)]
        if self.own & set(words) and not self._is_possessor(words):
            # "Runa's younger brother Jordi lives in …" under @Jordi is about Jordi himself.
            return ""
        return " ".join(kept) if len(kept) <= _SUBJECT_WORDS else None

    def _tells(self, word: str) -> bool:
        lexicon = self.lexicon
        if word in lexicon.plain or word in lexicon.dates or word in self.own:
            return False
        return not (word.isdigit() and len(word) == 4) and word not in ("im", "am", "en")

    def _bare(self, word: str) -> str:
        """A word of unspaced script without the subject's own name and plain words."""
        if word.isascii():
            return word
        for part in sorted((*self.own, *self.lexicon.plain), key=len, reverse=True):
            if not part.isascii() and word != part:
                word = word.replace(part, "") or part
        return word

    def _is_possessor(self, words: Sequence[str]) -> bool:
        """Whether the subject only owns what is spoken of: `Peter's brother`, `hija de Jordi`."""
        if words[-1] in self.own and (len(words) < 2 or words[-2] not in self.lexicon.of):
            return False
        owned = any(word.endswith(("'s", "s'")) for word in words)
        pairs = pairwise(words)
        return owned or any(one in self.lexicon.of and other in self.own for one, other in pairs)

    def _looks_like(self, wanted: str, value: str) -> bool:
        form = self._form(value)
        if wanted == "any":
            return True
        if wanted == "number":
            return any(letter.isdigit() for letter in value)
        if wanted == "date":
            return form in ("date", "number")
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


def _pieces(content: str) -> list[str]:
    """The sentences and main clauses of a text, folded."""
    pieces = _PIECES.split(" ".join(content[:_LONGEST].split()))[:_MOST_PIECES]
    return [_DIGITS_APART.sub("", _OPENING.sub("", fold(piece).strip())) for piece in pieces]
