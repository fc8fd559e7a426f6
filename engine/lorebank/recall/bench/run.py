"""One run: a sample of sentences, their questions, recall beside grep, the measures."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from random import Random

from lorebank.database.connection import Connection
from lorebank.domain import Answer, BenchReport, Citation
from lorebank.index.sentences import Sentence, all_lines, askable_items, load_sentences
from lorebank.index.vocabulary import Vocabulary
from lorebank.recall.bench.cloze import (
    FEWEST_WORDS,
    VARIANTS,
    make_questions,
    question_words,
)
from lorebank.recall.bench.grep import LineSearch
from lorebank.recall.bench.measures import DEPTH, measure, quantile

Ask = Callable[[str], Answer]
Progress = Callable[[str, int, int], None]
_ALL = "all"


def run_bench(
    vocabulary: Vocabulary, ask: Ask, *, n: int, seed: int, progress: Progress | None = None
) -> BenchReport:
    """Ask for up to `n` sentences of the workspace in every variant; see `BenchReport`."""
    sentences = _sample(vocabulary.connection, n, seed)
    asked_words = list(dict.fromkeys(word for s in sentences for word in question_words(s)))
    questions = make_questions(sentences, vocabulary.frequencies(asked_words), seed)
    lines = LineSearch(all_lines(vocabulary.connection))
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
        places = [[hit.source, *hit.repeats] for hit in answer.hits]
        grepped = [[place] for place in lines.find(question.text, DEPTH)]
        for engine, found in (("lorebank", places), ("grep", grepped)):
            rank = _rank(found, question.gold)
            ranks[engine, question.variant].append(rank)
            ranks[engine, _ALL].append(rank)
        if progress is not None:
            progress("asking", done, len(questions))
    return BenchReport(
        seed=seed,
        facts=sum(sentence.is_fact for sentence in sentences),
        passages=sum(not sentence.is_fact for sentence in sentences),
        lines=len(lines.places),
        rows=tuple(
            measure(engine, variant, ranks[engine, variant])
            for variant in (*VARIANTS, _ALL)
            for engine in ("lorebank", "grep")
            if (engine, variant) in ranks
        ),
        p50_ms=round(quantile(times, 0.5), 2),
        p95_ms=round(quantile(times, 0.95), 2),
        retrievers_used=tuple(sorted(used)),
    )


def _sample(connection: Connection, n: int, seed: int) -> list[Sentence]:
    """Up to `n` sentences: facts first, then one of each passage; the same for the same seed."""
    chance = Random(seed)
    chosen: list[Sentence] = []
    for items in askable_items(connection):
        chance.shuffle(items)
        for start in range(0, len(items), max(1, n)):
            if len(chosen) >= n:
                break
            part = items[start : start + max(1, n)]
            loaded = load_sentences(connection, part)
            chosen += _askable([loaded[item] for item in part if item in loaded], chance)
    return chosen[:n]


def _askable(sentences: Iterable[Sequence[Sentence]], chance: Random) -> list[Sentence]:
    """One sentence of each item that has words enough."""
    enough = ([s for s in each if len(question_words(s)) >= FEWEST_WORDS] for each in sentences)
    return [chance.choice(each) for each in enough if each]


def _rank(found: Sequence[Sequence[Citation]], gold: Sentence) -> int | None:
    """The place of the first hit that overlaps the lines of the sentence, from 1."""
    for rank, places in enumerate(found, start=1):
        if any(_overlap(place, gold.source) for place in places):
            return rank
    return None


def _overlap(one: Citation, other: Citation) -> bool:
    return (
        one.path == other.path
        and one.start_line <= other.end_line
        and other.start_line <= one.end_line
    )
