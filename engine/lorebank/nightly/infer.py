"""Inferring retain lines from prose: sentences that state something worth keeping, in their words.

Precision over recall: a sentence must open with who it is about (a known name, or the author) and
say by a known phrase what sort it is; questions, what is only likely, what points at another
sentence and what stands in quotes are left alone. Nothing is added to the words of the line but
its kind and the marks of its names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from lorebank.dates.times import times_of
from lorebank.domain import Citation, Fact, FactKind, Mention
from lorebank.language.folding import fold, slugify
from lorebank.language.words import words
from lorebank.markdown.document import Document, Node
from lorebank.markdown.facts import fact_id
from lorebank.markdown.mentions import find_mentions
from lorebank.markdown.plain import plain_text
from lorebank.nightly.infer_lexicon import Phrases, no_names, phrase_books
from lorebank.records import dataclass
from lorebank.supersede.properties import read_slots
from lorebank.supersede.property_words import lexicon as slot_lexicon

LONGEST = 320
FEWEST_WORDS = 4
_EVENT_DAYS = 31
_ADVERB = 8
"""Letters that may stand between a subject and the words that fix a property."""
_OF_PERSONS = frozenset({"residence", "employer", "occupation", "spouse", "birthplace", "manager"})
_OPENS = r"[\"“„«‹(\[]*"
_SENTENCE_END = re.compile(
    rf"(?<=[.!?…])[\"”“»›)\]*_]*\s+(?={_OPENS}(?:[A-ZÀ-Þ0-9¿¡@*_`\[]|[^\x00-\u024f\s]))|(?<=[。！？])[”」』]?"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Za-zÄÖÜ]|[Dd]r|[Mm]rs?|[Ss]ra?|[Ss]t|[Nn]r|[Nn]o|[Bb]zw|[Uu]sw|[Ee]tc|[Cc]a|[Vv]s|"
    r"[Zz]\.\s?[Bb]|[Ee]\.g|[Ii]\.e|[Pp]rof|[Ff]eat|approx|inkl|incl|ggf))\.\Z"
)
_ORDINAL = re.compile(
    r"(?:^|[–—-]|\b(?:am|der|die|das|de[mns]|zu[mr]|im|vom|bis|ab|seit|beim|und|oder|jede\w?|"
    r"(?:mein|dein|sein|ihr|unser|ein)\w*)\s)\s*\d{1,2}\.\Z",
    re.IGNORECASE,
)
"""`am 28. August`; a number after any other word, as in `on May 28. Then …`, ends its sentence."""
_CHECKBOX = re.compile(r"\[[ xX]\]\s")
_QUOTED = re.compile(r"[\"“”„«»‹›「」『』]|(?<!\w)'|\*\*?\"")
_HAN = re.compile(r"[\u3400-\u9fff]")
_NAME = re.compile(r"[^\W\d_][\w'’.&+-]*(?:[ -][^\W\d_][\w'’.&+-]*){0,3}")
_UNKNOWN = re.compile(r"(?P<name>[A-ZÀ-Þ][a-zß-ÿ]+(?:[ -][A-ZÀ-Þ][a-zß-ÿ]+)?)\s+(?=[a-zß-ÿ])")
_WHOLE_RULES = {
    "correction": FactKind.WORLD,
    "rule": FactKind.WORLD,
    "decision": FactKind.WORLD,
    "remember": FactKind.WORLD,
    "we_decided": FactKind.EXPERIENCE,
    "i_prefer": FactKind.OPINION,
}
_SUBJECT_RULES = {"prefers": FactKind.OPINION, "decides": FactKind.WORLD}
_REASONS = {
    "correction": "a correction",
    "rule": "a standing rule",
    "decision": "a decision",
    "remember": "asked to be remembered",
    "we_decided": "a decision",
    "i_prefer": "a preference",
    "prefers": "a preference",
    "decides": "a decision",
    "happens": "a dated event",
    "state": "states who or what it is",
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of prose with its place."""

    text: str
    """Plain text."""
    citation: Citation
    names: tuple[str, ...] = ()
    """Those that are marked in it as mentions."""


@dataclass(frozen=True, slots=True)
class Inferred:
    """A fact that a sentence states."""

    fact: Fact
    sentence: Sentence
    reason: str
    """`a decision`, `a preference`, …"""


def sentences(document: Document) -> Iterator[Sentence]:
    """The sentences of paragraphs and list items; headings, code, tables and quotes have none."""
    for node in document.nodes:
        yield from _sentences(node, document.path)


def _sentences(node: Node, path: str) -> Iterator[Sentence]:
    if node.kind == "paragraph":
        yield from _of_paragraph(node, path)
    elif node.kind == "item":
        first = node.children[0].text if node.children else ""
        if not _CHECKBOX.match(first):
            for child in node.children:
                yield from _sentences(child, path)
    elif node.kind == "list":
        for child in node.children:
            yield from _sentences(child, path)


def _of_paragraph(node: Node, path: str) -> Iterator[Sentence]:
    text = node.text
    for start, end in _spans(text):
        said = text[start:end]
        first = node.start + 1 + text.count("\n", 0, start)
        place = Citation(path, first, first + said.rstrip().count("\n"))
        names = tuple(mention.name for mention, _, _ in find_mentions(said))
        plain = plain_text(said)
        if plain:
            yield Sentence(plain, place, names)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for found in _SENTENCE_END.finditer(text):
        open_brackets = text.count("(", start, found.start()) - text.count(")", start, found.end())
        if open_brackets > 0 or _ABBREVIATION.search(text, start, found.start()):
            continue
        if _ORDINAL.search(text[start : found.start()]):
            continue
        yield start, found.end()
        start = found.end()
    if text[start:].strip():
        yield start, len(text)


def infer_facts(document: Document, day: date, names: Mapping[str, str]) -> tuple[Inferred, ...]:
    """The facts that the prose of a day's log states, in order, each once.

    `names` gives the display name of every known entity by each of its slugs.
    """
    found = (infer_fact(sentence, day, names) for sentence in sentences(document))
    by_content = {each.fact.content: each for each in reversed([f for f in found if f])}
    return tuple(reversed(by_content.values()))


def infer_fact(sentence: Sentence, day: date, names: Mapping[str, str]) -> Inferred | None:
    """The fact that a sentence states, or `None`."""
    text = sentence.text.replace("’", "'")
    if not _may_state(text):
        return None
    subject, rest = _opening_name(text, sentence.names, names)
    is_known = bool(subject)
    if not subject:
        subject, rest = _opening_unknown(text)
    for phrases in phrase_books():
        found = _whole(text, phrases) or _of_subject(subject, rest, phrases)
        if found is None or (found[0] == "happens" and not (is_known and _names_days(rest, day))):
            continue
        rule, said = found
        if phrases.unsure.search(said) or phrases.dangling.search(said):
            return None
        return _inferred(sentence, rule, said, subject, day, names)
    if subject and _fixes_slot(subject, rest, is_known=is_known) and not _is_unsure(text):
        return _inferred(sentence, "state", rest, subject, day, names)
    return None


def _is_unsure(text: str) -> bool:
    return any(p.unsure.search(text) or p.dangling.search(text) for p in phrase_books())


def _may_state(text: str) -> bool:
    if len(text) > LONGEST or text.endswith(("?", "？", ":", "：")) or "?" in text:
        return False
    if _QUOTED.search(text):
        return False
    enough = 8 if _HAN.search(text) else FEWEST_WORDS
    size = len(_HAN.findall(text)) if _HAN.search(text) else len(text.split())
    return size >= enough


def _whole(text: str, phrases: Phrases) -> tuple[str, str] | None:
    """The rule that a sentence falls under from its start, and the part to keep."""
    for rule, pattern in phrases.whole.items():
        if (match := pattern.match(text)) is None:
            continue
        kept = next((part for part in match.groupdict().values() if part), text)
        if len(words(kept)) >= FEWEST_WORDS - 1:
            return rule, kept
    return None


def _of_subject(subject: str, rest: str, phrases: Phrases) -> tuple[str, str] | None:
    if not subject:
        return None
    for rule, pattern in phrases.after_subject.items():
        if pattern.match(rest):
            return rule, rest
    return None


def _names_days(text: str, day: date) -> bool:
    """Whether a text names a day, or a few."""
    found = next(iter(times_of(text, day)), None)
    if found is None or found.start is None or found.end is None:
        return False
    return (found.end - found.start).days <= _EVENT_DAYS


def _fixes_slot(subject: str, rest: str, *, is_known: bool) -> bool:
    """Whether what is said of a subject begins with fixing a property; of persons, where only its
    capital makes a name of the subject."""
    relations = [r for r in slot_lexicon().relations if is_known or r.name in _OF_PERSONS]
    if not any(
        (match := pattern.search(fold(rest))) is not None and match.start() <= _ADVERB
        for relation in relations
        for pattern in (*relation.state, *relation.change)
    ):
        return False
    known = {relation.name for relation in relations}
    slots = read_slots(rest, subjects=(slugify(subject),), names=(subject,))
    return any(slot.relation in known and not slot.about for slot in slots)


def _opening_name(text: str, marked: Sequence[str], names: Mapping[str, str]) -> tuple[str, str]:
    """The known name that a sentence opens with, and what is said of it; empty where none."""
    found = _NAME.match(text)
    if found is None:
        return "", text
    if _HAN.match(text):
        return _opening_han(text, names)
    tokens = found.group().split(" ")
    for size in range(min(len(tokens), 4), 0, -1):
        name = " ".join(tokens[:size])
        if name.endswith(("'s", "'", ".")) or not _is_name(name, marked, names):
            continue
        rest = text[len(name) :]
        if rest[:1].isspace():
            return name, rest.strip()
    return "", text


def _opening_unknown(text: str) -> tuple[str, str]:
    """A first word that looks like a name, with a second one written large, and the rest."""
    found = _UNKNOWN.match(text)
    if found is None or any(fold(word) in no_names() for word in found["name"].split()):
        return "", text
    return found["name"], text[found.end() :]


def _opening_han(text: str, names: Mapping[str, str]) -> tuple[str, str]:
    for size in range(8, 1, -1):
        if slugify(text[:size]) in names:
            return text[:size], text[size:]
    return "", text


def _is_name(name: str, marked: Sequence[str], names: Mapping[str, str]) -> bool:
    slug = slugify(name)
    return bool(slug) and name[:1].isupper() and (slug in names or name in marked)


def _inferred(
    sentence: Sentence,
    rule: str,
    said: str,
    subject: str,
    day: date,
    names: Mapping[str, str],
) -> Inferred:
    kind = _WHOLE_RULES.get(rule) or _SUBJECT_RULES.get(rule, FactKind.WORLD)
    about = subject if rule not in _WHOLE_RULES else ""
    content = said[:1].upper() + said[1:] if said[:1].isascii() else said
    return Inferred(
        stated_fact(kind, content, about, (sentence,), day, names), sentence, _REASONS[rule]
    )


def stated_fact(
    kind: FactKind,
    content: str,
    about: str,
    cited: Sequence[Sentence],
    day: date,
    names: Mapping[str, str],
) -> Fact:
    """The fact that sentences of a day's log state, with the known names in it as mentions.

    `about` is the name it is about, or empty; of several sentences the first is the place.
    """
    marked = [name for sentence in cited for name in sentence.names]
    first = [Mention(about, slugify(about), subject=True)] if about else []
    mentions = (*first, *_inside(content, marked, names, about))
    slugs = tuple(dict.fromkeys(mention.slug for mention in mentions))
    return Fact(
        id=fact_id(kind, day, slugs, content),
        kind=kind,
        content=content,
        raw=cited[0].text,
        citation=cited[0].citation,
        mentions=mentions,
        recorded=day,
    )


def _inside(
    content: str, marked: Sequence[str], names: Mapping[str, str], about: str
) -> Iterator[Mention]:
    """Known names further on in the text, as they are written there."""
    seen = {slugify(about)}
    for found in re.finditer(r"[^\W\d_][\w-]*(?: [A-ZÀ-Þ][\w-]*){0,2}", content):
        tokens = found.group().split(" ")
        for size in range(len(tokens), 0, -1):
            name = " ".join(tokens[:size]).removesuffix("'s")
            slug = slugify(name)
            if slug not in seen and len(name) > 2 and _is_name(name, marked, names):
                seen.add(slug)
                yield Mention(name, slug)
                break
