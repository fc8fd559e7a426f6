"""Inferring retain lines from prose: sentences that plainly state something worth keeping.

Precision over recall: its words decide what a sentence states (`language.statements`), and for
an appointment by the day and the hour it names. Whom it is about is the last name, "I" or "we"
before those words; where only "she" stands there, it is whoever the sentence before names. Nothing
is added to the words of the line but its kind and the marks of its names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date

from lorebank.dates.phrases import find_phrases
from lorebank.dates.times import tense_of, times_of
from lorebank.domain.facts import LONGEST_FACT, Citation, Fact, FactKind, Interval, Mention
from lorebank.language.folding import fold, slugify
from lorebank.language.statements import (
    Cue,
    Statement,
    languages_of,
    non_name_words,
    sentence_spans,
)
from lorebank.markdown.document import Document
from lorebank.markdown.facts import new_fact
from lorebank.markdown.mentions import find_mentions
from lorebank.markdown.plain import plain_text
from lorebank.markdown.tasks import find_tasks
from lorebank.names.lexicon import words_of
from lorebank.records import Record
from lorebank.supersede.properties import read_slots

FEWEST_WORDS = 3
_NEAR = 2
"""Words between a subject and what is said of it: `I really do love`."""
_OF_PERSONS = frozenset({"residence", "employer", "occupation", "spouse", "birthplace", "manager"})
_QUOTED = re.compile(r"[\"“”„«»‹›「」『』]|(?<!\w)'(?!\d)|\*\*?\"")
_HAN = re.compile(r"[\u3400-\u9fff]")
_UNKNOWN = re.compile(r"(?P<name>[A-ZÀ-Þ][a-zß-ÿ]+(?:[ -][A-ZÀ-Þ][a-zß-ÿ]+)?)\s+(?=[a-zß-ÿ])")
_MARKS = ",.;:!)]"
_ANY_DAY = date(2000, 1, 1)
_LONGEST_NAME = 4
"""Words."""
_CAPITALISED = re.compile(r"[^\W\d_][\w.&-]*")
_STATED: tuple[tuple[str, FactKind, str], ...] = (
    ("promise", FactKind.EXPERIENCE, "a promise"),
    ("decision", FactKind.EXPERIENCE, "a decision"),
    ("from_now_on", FactKind.WORLD, "a decision"),
    ("appointment", FactKind.WORLD, "an appointment"),
    ("clock", FactKind.WORLD, "an appointment"),
    ("allergy", FactKind.WORLD, "an allergy"),
    ("purchase", FactKind.EXPERIENCE, "a purchase"),
    ("purchase_for_a_sum", FactKind.EXPERIENCE, "a purchase"),
    ("move", FactKind.EXPERIENCE, "a move"),
    ("move_on_a_day", FactKind.EXPERIENCE, "a move"),
    ("prefers", FactKind.OPINION, "a preference"),
)
"""What is looked for, in this order: who promises to buy something has bought nothing. What the
writer did is an experience; what another did, a fact about the world."""
_LABELS = (
    ("correction", "a correction"),
    ("rule", "a standing rule"),
    ("decision_label", "a decision"),
    ("remember", "asked to be remembered"),
)
_KEPT_WHOLE = frozenset({"correction", "rule"})
"""Labels that say what the sentence is; without the others it is the same sentence."""


class Sentence(Record):
    """One sentence of prose with its place."""

    text: str
    """Plain text."""
    citation: Citation
    names: tuple[str, ...] = ()
    """Those that are marked in it as mentions."""


class Inferred(Record):
    fact: Fact
    sentence: Sentence
    reason: str
    """`a decision`, `a preference`, …"""


def sentences(document: Document) -> Iterator[Sentence]:
    """The sentences of paragraphs and list items; headings, code, tables and quotes have none."""
    tasks = [(t.citation.start_line - 1, t.citation.end_line) for t in find_tasks(document)]
    taken = {line for start, end in tasks for line in range(start, end)}
    waiting = list(document.nodes)
    while waiting:
        node = waiting.pop(0)
        if node.kind in ("list", "item"):  # what is noted below a task belongs to it
            waiting[:0] = node.children[: 1 if node.start in taken else None]
        lines = node.text.split("\n") if node.kind == "paragraph" else []
        while lines and node.end - len(lines) in taken:
            del lines[0]
        text, above = "\n".join(lines), node.end - len(lines)
        for start, end in sentence_spans(text):
            said = text[start:end]
            first = above + 1 + text.count("\n", 0, start)
            place = Citation(document.path, first, first + said.rstrip().count("\n"))
            if place.start_line - 1 not in taken and (plain := plain_text(said)):
                yield Sentence(plain, place, tuple(m.name for m, _, _ in find_mentions(said)))


def infer_facts(document: Document, day: date, names: Mapping[str, str]) -> tuple[Inferred, ...]:
    """In order, each once; `names` gives the display name of every known entity by each slug."""
    found: dict[str, Inferred] = {}
    before: list[_Name] = []
    listed = tuple(sentences(document))
    languages = languages_of(" ".join(sentence.text for sentence in listed))
    for sentence in listed:
        known = _names_in(sentence, names)
        inferred = _infer(sentence, day, names, known, before, languages)
        if inferred is not None:
            found.setdefault(inferred.fact.content, inferred)
        before = known
    return tuple(found.values())


def _infer(
    sentence: Sentence,
    day: date,
    names: Mapping[str, str],
    known: Sequence[_Name],
    before: Sequence[_Name],
    languages: Collection[str],
) -> Inferred | None:
    """The fact that a sentence states; `before` are the names of the sentence before it."""
    if not _may_state(sentence.text):
        return None
    said = Statement(sentence.text, languages)
    if said.ends_with("dangling"):
        return None
    if (labelled := _labelled(sentence, said)) is not None:
        kept, reason = labelled
        return _inferred(sentence, FactKind.WORLD, reason, _WRITER, day, names, kept)
    for entry, kind, reason in _STATED:
        cue = said.find(entry)
        if cue is None or not _is_borne_out(entry, cue, said, sentence.text, day):
            continue
        deed = kind is FactKind.EXPERIENCE
        subject = _subject(cue, said, known, before, opens=entry == "prefers", deed=deed)
        if subject is None:
            continue
        if kind is FactKind.EXPERIENCE and subject.name:
            kind = FactKind.WORLD
        return _inferred(sentence, kind, reason, subject, day, names)
    return _property(sentence, said, known, day, names)


def _labelled(sentence: Sentence, said: Statement) -> tuple[str, str] | None:
    """What to keep of a sentence that says itself what it is, and what that is."""
    for entry, reason in _LABELS:
        if said.is_labelled(entry):
            _, _, rest = sentence.text.replace("：", ":").partition(":")
            kept = sentence.text if entry in _KEPT_WHOLE else rest.strip()
            return (kept, reason) if _may_state(rest) and not said.says_anywhere("unsure") else None
    cue = said.find("remember_that")
    if cue is None or cue.start:
        return None
    return " ".join(said.words[said.word_at(cue.end) + 1 :]), "asked to be remembered"


def _may_state(text: str) -> bool:
    if len(text) > LONGEST_FACT or "?" in text or text.endswith(("？", ":", "：")):
        return False
    if _QUOTED.search(text):
        return False
    if _HAN.search(text):
        return len(_HAN.findall(text)) >= 2 * FEWEST_WORDS
    return len(text.split()) >= FEWEST_WORDS


def _is_borne_out(entry: str, cue: Cue, said: Statement, text: str, day: date) -> bool:
    """Whether the sentence holds what a cue of that kind needs beside it."""
    times = times_of(text, day)
    match entry:
        case "appointment" | "clock":
            return any(_is_to_come(time, day, text) for time in times)
        case "purchase_for_a_sum":
            return said.says("money", cue.language)
        case "move_on_a_day":
            return bool(times)
        case "move":  # "moved to Thursday" moves an appointment
            behind = text.split()[
                said.word_at(cue.end) + (said.folded[cue.end : cue.end + 1] == " ") :
            ]
            return not any(p.start == 0 for p in find_phrases(" ".join(behind), day))
    return True


def _is_to_come(time: Interval, day: date, text: str) -> bool:
    """Whether it is a single day ahead, or today and still to come."""
    if time.start is None or time.start != time.end or time.start < day:
        return False
    return time.start > day or tense_of(text) == "future"


class _Name(Record):
    name: str
    word: int
    end: int
    """The place behind it in the sentence."""
    owns: bool = False
    """Whether it is written as the owner of what follows: `Peter's`."""


_WRITER = _Name("", 0, 0)


def _names_in(sentence: Sentence, names: Mapping[str, str]) -> list[_Name]:
    """The known and marked names of a sentence, in order."""
    text = sentence.text.replace("’", "'")
    if _HAN.match(text):
        sizes = (size for size in range(8, 1, -1) if slugify(text[:size]) in names)
        return [_Name(text[:size], 0, size) for size in sizes][:1]
    found: list[_Name] = []
    for match in _CAPITALISED.finditer(text):
        if not match.group()[0].isupper() or (found and match.start() < found[-1].end):
            continue
        rest = text[match.start() :].split(" ")[:_LONGEST_NAME]
        for size in range(len(rest), 0, -1):
            written = " ".join(rest[:size]).rstrip(_MARKS)
            name = written.removesuffix("'s").removesuffix("'")
            slug = name[:1].isupper() and slugify(name)
            if slug and (slug in names or name in sentence.names):
                start, owns = match.start(), name != written
                end = start + len(name)
                found.append(_Name(name, text.count(" ", 0, start), end, owns))
                break
    return found


def _subject(
    cue: Cue,
    said: Statement,
    known: Sequence[_Name],
    before: Sequence[_Name],
    *,
    opens: bool,
    deed: bool,
) -> _Name | None:
    """Whom the cue is about: the writer where "I" stands in its clause, else the last name or "she"
    up to it; without one, the writer.

    `None` where that is not certain. With `opens`, as of a preference, the subject has to begin the
    sentence, with the cue right behind it; a `deed` is nobody's who is named behind a preposition.
    """
    first, opening = said.word_at(cue.start), _opening(said)
    unknown = _unknown(cue, said)
    if unknown and any(0 <= unknown.word - n.word < len(n.name.split()) for n in known):
        unknown = None  # a part of a name
    if deed:
        # "A Sofia comprou": what opens a sentence as an article is no preposition.
        beside = {number + 1 for number in said.words_of("beside")} - {opening}
        known = [name for name in known if name.word not in beside]
        unknown = None if unknown and unknown.word in beside else unknown
    named = (unknown, *known)
    names = {n.word: n for n in named if n and not (n.owns and n.word + 1 != first)}
    others = said.places("they", cue.end)
    nearest = max((n for n in (*names, *others) if said.starts[n] < cue.end), default=-1)
    if said.has_first_person(cue):
        return None if opens and first > _NEAR + 1 else _WRITER
    if opens and not (nearest == 0 and first <= _NEAR + 1):
        return None
    if nearest in names:
        return names[nearest]
    if nearest in others:
        who = {name.name for name in before}
        return _Name(who.pop(), 0, 0) if len(who) == 1 else None
    did_it = deed and first == 0 and said.puts_subjects_first(cue.language)  # "Promised Ana to …"
    if nearest < 0 and known and not did_it:
        return known[0]
    # "La vecina compró un coche": somebody did it who is not named.
    return None if deed and 0 < opening < first else _WRITER


def _opening(said: Statement) -> int:
    """The number of the first word that may be a name: the one behind an opening article."""
    return int(len(said.words) > 1 and said.word(0) in words_of("articles"))


def _unknown(cue: Cue, said: Statement) -> _Name | None:
    """A word written large that can only be a name: the first where the sentence says that somebody
    else did it (`Lena ist nach …`), else right before a cue, or a few words before it at the
    beginning of the sentence: behind an article (`la Marta`), unless all nouns have capitals."""
    first, opening = said.word_at(cue.start), _opening(said)
    tells = said.says("third", cue.language)
    near = (first - 1, opening) if said.puts_subjects_first(cue.language) else ()
    for number in dict.fromkeys((*((0,) if tells else ()), *near)):
        between = said.words[number + 1 : first]
        is_far = first - number > _NEAR + 1 or not all(word.isalpha() for word in between)
        if is_far and not (tells and number == 0):
            continue
        word = said.words[number] if 0 <= number < first else ""
        name = word.rstrip(_MARKS)
        name = name.removesuffix("'s") if number + 1 == first else name
        name = name.partition("'")[0] if tells else name
        if not _CAPITALISED.fullmatch(name) or not name[0].isupper() or word.endswith((",", ".")):
            continue
        is_day = said.word(number - 1).isdigit() or (tells and any(find_phrases(name, _ANY_DAY)))
        if fold(name) not in non_name_words() and len(name) > 1 and not is_day:
            place = sum(len(each) + 1 for each in said.words[:number])
            return _Name(name, number, place + len(name))
    return None


def _property(
    sentence: Sentence, said: Statement, known: Sequence[_Name], day: date, names: Mapping[str, str]
) -> Inferred | None:
    """What a name that opens the sentence is, or does on a day to come."""
    if said.says_anywhere("unsure", "not", "off"):
        return None
    subject = opening = known[0] if known and known[0].word == 0 else None
    found = None if opening else _UNKNOWN.match(" ".join(said.words))
    if found and not any(fold(word) in non_name_words() for word in found["name"].split()):
        subject = _Name(found["name"], 0, found.end("name"))
    if subject is None:
        return None
    rest = sentence.text[subject.end :]
    if not (rest[:1].isspace() or _HAN.match(rest)):
        return None
    slots = read_slots(rest.strip(), subjects=(slugify(subject.name),), names=(subject.name,))
    # Where only its capital makes a name of the subject, what holds of persons counts.
    if any((opening or s.relation in _OF_PERSONS) and not s.about for s in slots):
        return _inferred(sentence, FactKind.WORLD, "states who or what it is", subject, day, names)
    if opening and any(_is_to_come(time, day, rest) for time in times_of(rest, day)):
        return _inferred(sentence, FactKind.WORLD, "a dated event", subject, day, names)
    return None


def _inferred(
    sentence: Sentence,
    kind: FactKind,
    reason: str,
    subject: _Name,
    day: date,
    names: Mapping[str, str],
    kept: str = "",
) -> Inferred:
    """The fact in the words of the sentence, without the name that opens it."""
    text = kept or sentence.text.replace("’", "'")
    rest = text[subject.end :]
    if subject.word == 0 and subject.end and (rest[:1].isspace() or _HAN.match(rest)):
        text = rest.strip()
    content = text[:1].upper() + text[1:]
    fact = stated_fact(kind, content, subject.name, (sentence,), day, names)
    return Inferred(fact, sentence, reason)


def stated_fact(
    kind: FactKind,
    content: str,
    about: str,
    cited: Sequence[Sentence],
    day: date,
    names: Mapping[str, str],
) -> Fact:
    """`about` is a name or empty; of several sentences the first is the place."""
    marked = tuple(name for sentence in cited for name in sentence.names)
    mentions = [Mention(about, slugify(about), subject=True)] if about else []
    found = _names_in(Sentence(content, cited[0].citation, marked), names)
    mentions += (Mention(known.name, slugify(known.name)) for known in found)
    return new_fact(kind, content, mentions, day, cited[0].citation, raw=cited[0].text)
