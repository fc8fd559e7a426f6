"""How well questions made of a workspace's own sentences lead back to them, beside a grep.

A question is a sentence with parts taken out, in four variants, by what somebody who half remembers
it would type: all but its most telling words, half of its words, only whom it is about and its
commonest words, and the first with a slip of the finger. The sentence itself is never asked whole.
"""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

from lorebank.database.connection import Connection, select
from lorebank.domain.answers import Answer
from lorebank.domain.facts import Citation
from lorebank.domain.reports import BenchReport, BenchRow
from lorebank.index.items import NOTE, load_items
from lorebank.index.lexical import Vocabulary
from lorebank.language.words import content_words, words

VARIANTS = ("cloze", "half", "relation", "typo")
DEPTH = 10
"""How far down an answer is looked at."""
_FEWEST_WORDS, _MOST_WORDS = 4, 14
"""Content words of a sentence: fewer leave nothing to ask with, and nobody types more."""
_DROPPED_SHARE = 3
"""One of this many words is dropped, the most telling first."""
_RELATION_WORDS = 2
"""Common words that are asked together with a name."""
_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_MARKS = re.compile(r"^[\s>*+#|-]+(?:\[.\]\s)?|[*_`~=\[\]]+")
_WRITTEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


class Sentence(NamedTuple):
    """One sentence of the workspace, and the item that says it."""

    text: str
    names: tuple[str, ...]
    """Display names of those it is about, which stand before its colon or in it."""
    source: Citation
    is_fact: bool


class Question(NamedTuple):
    """A question with the one sentence that it was made of."""

    variant: str
    text: str
    gold: Sentence


class Line(NamedTuple):
    """A line that is shown for a question, and what it says."""

    place: Citation
    text: str


def run_bench(
    vocabulary: Vocabulary,
    ask: Callable[[str], Answer],
    *,
    n: int,
    seed: int,
    progress: Callable[[str, int, int], None] | None = None,
) -> BenchReport:
    """Ask for up to `n` sentences of the workspace in every variant; see `BenchReport`."""
    sentences = _sample(vocabulary.connection, n, seed)
    asked_words = dict.fromkeys(word for s in sentences for word in content_words(s.text))
    questions = make_questions(sentences, vocabulary.frequencies(list(asked_words)), seed)
    files = select(vocabulary.connection, "SELECT path, text FROM files ORDER BY path")
    lines = LineSearch((path, text) for path, text in files)
    ranks: dict[tuple[str, str], list[int | None]] = defaultdict(list)
    times: list[float] = []
    used: set[str] = set()
    if questions:
        ask(questions[0].text)  # a first recall may load a model; that is not what is measured
    for done, question in enumerate(questions, start=1):
        started = time.perf_counter()
        answer = ask(question.text)
        times.append((time.perf_counter() - started) * 1000.0)
        used.update(answer.retrievers_used)
        hits = [
            [
                Line(place, f"{' '.join(hit.entities)} {hit.content}")
                for place in (hit.source, *hit.repeats)
            ]
            for hit in answer.hits
        ]
        grepped = [[line] for line in lines.find(question.text, DEPTH)]
        for engine, found in (("lorebank", hits), ("grep", grepped)):
            for variant in (question.variant, "all"):
                ranks[engine, variant].append(_rank(found, question))
        if progress is not None:
            progress("asking", done, len(questions))
    return BenchReport(
        seed=seed,
        facts=sum(sentence.is_fact for sentence in sentences),
        passages=sum(not sentence.is_fact for sentence in sentences),
        lines=len(lines.lines),
        rows=tuple(
            measure(engine, variant, ranks[engine, variant])
            for variant in (*VARIANTS, "all")
            for engine in ("lorebank", "grep")
            if (engine, variant) in ranks
        ),
        p50_ms=round(quantile(times, 0.5), 2),
        p95_ms=round(quantile(times, 0.95), 2),
        retrievers_used=tuple(sorted(used)),
    )


def _sample(connection: Connection, n: int, seed: int) -> list[Sentence]:
    """Up to `n` sentences with words enough, one of an item: of facts first, then of passages."""
    chance = Random(seed)
    rows = select(
        connection,
        "SELECT i.item, i.kind = 'note' FROM items i JOIN files f ON f.file = i.file"
        " ORDER BY f.path, i.ordinal",
    )
    chosen: list[Sentence] = []
    for wanted in (0, 1):
        items = [item for item, is_note in rows if is_note == wanted]
        chance.shuffle(items)
        for start in range(0, len(items), n):
            if len(chosen) >= n:
                break
            for sentences in _sentences(connection, items[start : start + n]):
                enough = [s for s in sentences if len(content_words(s.text)) >= _FEWEST_WORDS]
                chosen += [chance.choice(enough)] if enough else []
    return chosen[:n]


def _sentences(connection: Connection, items: Sequence[int]) -> Iterator[list[Sentence]]:
    """The sentences of each item: a fact is one, a passage as many as it has."""
    loaded = load_items(connection, items)
    for item in (loaded[number] for number in items):
        is_fact = item.kind != NOTE
        yield [
            Sentence(text, item.names, item.citation, is_fact)
            for part in ([item.content] if is_fact else _END.split(item.content))
            if (text := " ".join(_MARKS.sub(" ", part).split()))
        ]


def make_questions(
    sentences: Sequence[Sentence], frequencies: Mapping[str, int], seed: int
) -> list[Question]:
    """The questions of some sentences; the same for the same seed and sentences.

    `frequencies` gives in how many items a folded word stands: the rarest are the most telling.
    """
    questions: list[Question] = []
    for place, sentence in enumerate(sentences):
        chance = Random(f"{seed}:{place}:{sentence.text}")
        said = content_words(sentence.text)[:_MOST_WORDS]
        by_rarity = sorted(said, key=lambda word: (frequencies.get(word, 0), word))
        telling = by_rarity[: max(1, len(said) // _DROPPED_SHARE)]
        half = chance.sample(sorted(said), max(1, len(said) // 2))
        kept = _as_written(sentence.text, [word for word in said if word not in telling])
        asked = {
            "cloze": kept,
            "half": _as_written(sentence.text, [word for word in said if word in half]),
            "typo": _with_slip(kept, chance),
        }
        if sentence.names:
            common = by_rarity[-_RELATION_WORDS:]
            asked["relation"] = _as_written(sentence.text, [w for w in said if w in common])
        questions += [
            Question(variant, " ".join([*sentence.names, *asked[variant]]), sentence)
            for variant in VARIANTS
            if variant in asked
        ]
    return questions


def _as_written(text: str, kept: Sequence[str]) -> list[str]:
    """The kept words as the text writes them; folded where they cannot be told apart in it."""
    written: dict[str, str] = {}
    for match in _WRITTEN.finditer(text):
        folded = words(match.group())
        if len(folded) == 1:
            written.setdefault(folded[0], match.group())
    return [written.get(word, word) for word in kept]


def _with_slip(asked: Sequence[str], chance: Random) -> list[str]:
    """Two neighbouring letters of the longest word exchanged, never its first."""
    place = max(range(len(asked)), key=lambda index: (len(asked[index]), -index), default=0)
    word = asked[place] if asked else ""
    swaps = [i for i in range(1, len(word) - 1) if word[i] != word[i + 1]]
    if not swaps:
        return list(asked)
    at = chance.choice(swaps)
    slipped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return [*asked[:place], slipped, *asked[place + 1 :]]


def _rank(found: Sequence[Sequence[Line]], question: Question) -> int | None:
    """The place, from 1, of the first hit that is at the lines of the sentence or says it too: in
    the same words, or in the same file with all that the question has of its words, since a day is
    often told in prose and noted as a fact."""
    gold = question.gold
    said = _spoken(gold.text)
    asked = set(words(question.text)) & {*words(gold.text), *words(" ".join(gold.names))}

    def is_right(line: Line) -> bool:
        if _overlap(line.place, gold.source) or said in _spoken(line.text):
            return True
        return line.place.path == gold.source.path and asked.issubset(words(line.text))

    return next((rank for rank, each in enumerate(found, 1) if any(map(is_right, each))), None)


def _spoken(text: str) -> str:
    return f" {' '.join(words(text))} "


def _overlap(one: Citation, other: Citation) -> bool:
    return (
        one.path == other.path
        and one.start_line <= other.end_line
        and other.start_line <= one.end_line
    )


class LineSearch:
    """The baseline: lines ranked by how many of the words they hold, as a patient grep would;
    whole words, upper and lower case alike."""

    def __init__(self, files: Iterable[tuple[str, str]]) -> None:
        """`files` are paths with what may be searched of each."""
        self.lines: list[Line] = []
        self._holding: dict[str, list[int]] = defaultdict(list)
        for path, text in files:
            for number, line in enumerate(text.split("\n"), start=1):
                for word in set(words(line)):
                    self._holding[word].append(len(self.lines))
                self.lines.append(Line(Citation(path, number, number), line))

    def find(self, question: str, k: int) -> Sequence[Line]:
        """The `k` lines that hold the most words of a question; ties in the order of the files."""
        held: Counter[int] = Counter()
        for word in content_words(question):
            held.update(self._holding.get(word, ()))
        best = sorted(held.items(), key=lambda entry: (-entry[1], entry[0]))[:k]
        return [self.lines[line] for line, _ in best]


def measure(engine: str, variant: str, ranks: Sequence[int | None]) -> BenchRow:
    """The row of some questions; a rank counts from 1, `None` where it was not found."""
    found = [rank for rank in ranks if rank is not None and rank <= DEPTH]
    asked = max(1, len(ranks))
    return BenchRow(
        engine=engine,
        variant=variant,
        questions=len(ranks),
        recall_at_1=sum(rank <= 1 for rank in found) / asked,
        recall_at_5=sum(rank <= 5 for rank in found) / asked,
        recall_at_10=len(found) / asked,
        mrr=sum(1.0 / rank for rank in found) / asked,
    )


def quantile(values: Sequence[float], share: float) -> float:
    """The value that `share` of them do not exceed; 0 for none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0
