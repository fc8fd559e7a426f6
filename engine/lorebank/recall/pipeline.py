"""The core that `recall` and chunk search share: candidates of a question, found and judged.

Where the question names a time, what lies in it answers, if it speaks about as well of the subject
as what lies elsewhere; else another time that the phrase may mean, or all there is, and it is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date

from lorebank.index.finding import items_of_interval
from lorebank.index.items import NOTE
from lorebank.language.words import stop_words, words
from lorebank.recall.candidates import Pool, Ranking, Request, gather
from lorebank.recall.events import with_event
from lorebank.recall.ordering import apply_decay, is_box
from lorebank.recall.resolve import date_reading_notes, readings, resolve
from lorebank.recall.scoring import (
    DEFAULT_WEIGHTS,
    NONE,
    SIGNS,
    STRONG,
    WEAK,
    Signs,
    Weights,
    evidence_level,
    score,
    signs_of,
    subject_of,
)
from lorebank.recall.understand import terms_of
from lorebank.records import Record

Rerank = Callable[[str, Sequence[str]], Iterable[float]]
_AS_GOOD = 0.6
"""What lies in the time asked for answers if it speaks at least so well of the subject."""
_RELEVANT, _RELEVANT_BY_WORDS = 0.2, 0.05
"""The list ends at hits that are a fifth as likely right as the best one, without vectors a
twentieth, ... Of ten lines on two workspaces by other hands 7.4 are shown, 9.2 with a twentieth,
and of 172 right lines among ten 171; with .3 it is 169, and PrefEval's R@10 falls. Words alone tell
less: with a fifth four right lines are lost on our three fixtures."""
_SHARES = 0.25
"""... and hold less than a quarter of the words."""
_ANSWERS_TOO = 0.4
"""Lines this likely right, beside the best, are counted or put in order of days where the question
asks how often, or for the newest or oldest."""
_HOLDS_TOO = 0.75
"""Of the words, by rarity, of the line that holds most of them. By hand, as `_ANSWERS_TOO`."""
_COVERED = SIGNS.index("covered")
_NONSENSE = 0.1
"""The nearest line to strings of random letters scores .04 to .12 on two workspaces. Without the
look at stop words one right answer of 53, and one of 505, to questions by other hands was lost."""
_DEFAULT_TEXT_WEIGHT, _DEFAULT_VECTOR_WEIGHT = 0.3, 0.7
"""Those of the published memory search."""


class RankOptions(Record):
    """How candidates are judged: the settings that recall and search share."""

    weights: Weights = DEFAULT_WEIGHTS
    half_life_days: float | None = None
    """Temporal decay; `None`: off."""
    mmr_lambda: float | None = None
    """Maximal marginal relevance; `None`: off."""
    rerank: Rerank | None = None
    """Scores of texts for a question, by a cross-encoder; `None`: off."""
    rerank_candidates: int = 0
    min_score: float = 0.0


def weighted(text_weight: float, vector_weight: float) -> Weights:
    """The weights with words and meaning counting more or less, as the settings say; with those
    of the source (.3 and .7) as they were fitted."""
    text, vector = text_weight / _DEFAULT_TEXT_WEIGHT, vector_weight / _DEFAULT_VECTOR_WEIGHT
    fitted = DEFAULT_WEIGHTS
    return replace(
        fitted,
        covered=fitted.covered * text,
        around=fitted.around * text,
        meaning=fitted.meaning * vector,
    )


class Found(Record):
    """The candidates of a question, judged."""

    pool: Pool
    signs: Signs
    scores: Mapping[int, float]
    """What orders them: how likely each answers, less what decay takes."""
    chances: Mapping[int, float]
    """How likely each answers, however old it is: what tells how good the answer is, and where it
    ends."""
    inside: frozenset[int] | None = None
    """What lies in the time of the question, where only that was looked at."""
    notes: Sequence[str] = ()
    asked: Request | None = None
    """The question as it was asked, where a part of the notes was looked at."""
    time_filter_dropped: bool = False
    """Whether nothing in the time asked for answers, so that all else was searched."""

    @property
    def best(self) -> float:
        """How likely the likeliest answers."""
        return max(self.chances.values(), default=0.0)

    @property
    def order(self) -> list[int]:
        """Best first; of what is as good, by BM25, then facts, prose and check lists, each as they
        stand. Where the newest or the oldest is asked for, what answers about as well as the best
        is put in order of days."""
        items, scores, words_of = self.pool.items, self.scores, self.pool.lists["lexical"]
        order = sorted(scores, key=lambda n: (items[n].kind == NOTE, is_box(items[n].content), n))
        order.sort(key=lambda n: (scores[n], words_of.get(n, 0.0)), reverse=True)
        asked = self.pool.request.understood.order
        if asked not in ("newest", "oldest"):
            return order
        answering = self.answering
        dated = [n for n in order if n in answering and items[n].recorded]
        dated.sort(key=lambda n: items[n].recorded or date.min, reverse=asked == "newest")
        return list(dict.fromkeys([*dated, *order]))

    @property
    def answering(self) -> frozenset[int]:
        """What answers about as well as the best; where the first is asked for or all are counted,
        only what holds about as many of the words: "since when is the rent 950" is not answered by
        what it was before, nor "how often did Nora sail" by all else that she did."""
        least = self.best * _ANSWERS_TOO
        found = [number for number, chance in self.chances.items() if chance >= least]
        if self.pool.request.understood.order in ("oldest", "count"):
            covered = {n: self.signs[n][_COVERED] if n in self.signs else 0.0 for n in found}
            most = max(covered.values(), default=0.0) * _HOLDS_TOO
            found = [number for number in found if covered[number] >= most]
        return frozenset(found)

    @property
    def level(self) -> str:
        """How well the best answers. Stop words alone are no question, so nothing answers them
        strongly; words that stand nowhere, without one stop word, are none that was asked."""
        level, asked = evidence_level(self.best), self.pool.request.understood
        if asked.entities or asked.query.interval is not None:
            return level
        if level == STRONG and stop_words().issuperset(asked.terms):
            return WEAK
        is_known = any(held.own or held.around for held in self.pool.held.values())
        is_sentence = is_known or not stop_words().isdisjoint(words(asked.plain))
        return NONE if not is_sentence and self.best < _NONSENSE else level

    def relevant(self, order: Sequence[int]) -> list[int]:
        """An order up to where relevance ends; nothing where there is none."""
        if self.level == NONE:
            return []
        share = _RELEVANT if self.pool.nearness else _RELEVANT_BY_WORDS
        least = self.best * share
        sharing = {item for item, signs in self.signs.items() if signs[_COVERED] >= _SHARES}
        return [item for item in order if self.chances[item] >= least or item in sharing]


def find(request: Request, options: RankOptions) -> Found:
    """Find and judge the candidates, and have the best reranked where a model for that is named."""
    found = _find(request, options)
    return found if options.rerank is None else _reranked(found, options.rerank, options)


def _reranked(found: Found, rerank: Rerank, options: RankOptions) -> Found:
    """The best candidates in the reranker's order. It gives the order alone: the scores stay those
    of the ranking, the best of them to the text it puts first, since they are calibrated."""
    head = sorted(found.scores, key=lambda n: (-found.scores[n], n))[: options.rerank_candidates]
    texts = [found.pool.items[number].content for number in head]
    worth = dict(zip(head, rerank(found.pool.request.understood.plain, texts), strict=True))
    order = sorted(head, key=lambda number: -worth[number])
    given = {number: found.scores[n] for number, n in zip(order, head, strict=True)}
    return replace(found, scores={**found.scores, **given})


def _find(request: Request, options: RankOptions) -> Found:
    """If nothing on the subject is in the time asked for, drop that filter and add a note."""
    as_asked, request = request, resolve(with_event(request))
    understood = request.understood
    anywhere = _judged(request, options)
    phrase = understood.phrase
    if phrase is None:
        return anywhere
    ways = readings(request)
    for place, reading in enumerate(ways):
        found = _inside(reading, options, anywhere.pool.lists)
        if _answers(found, anywhere, options.weights):
            return replace(found, notes=date_reading_notes(ways[: place + 1], request))
    if said := tuple(term for term in terms_of(phrase.text) if term not in understood.terms):
        # "Thu" may be what stands at the head of a line as well.
        both = replace(
            understood,
            terms=(*understood.terms, *said),
            subject_terms=(*understood.subject_terms, *said),
        )
        anywhere = _judged(replace(request, understood=both), options)
    note = f"nothing was found in the time of '{phrase.text}'"
    if not anywhere.scores:
        found = replace(anywhere, notes=[note])
    elif not understood.subject_terms and not understood.entities:
        found = replace(anywhere, notes=[note], scores={}, chances={})
    else:
        note = f"nothing on this was found in the time of '{phrase.text}'; showing what there is"
        found = replace(anywhere, notes=[note])
    if as_asked.understood.phrase is not None:
        return replace(found, time_filter_dropped=True)
    plain = resolve(as_asked)  # "after the accident" may just as well be the subject
    return replace(_judged(plain, options), notes=[note])


def _inside(request: Request, options: RankOptions, lists: Mapping[str, Ranking]) -> Found:
    """What lies in the time asked for. What held or was open then may have been written before it:
    open tasks and facts that give the property asked for are taken from the whole (`lists`)."""
    interval = request.understood.query.interval
    assert interval is not None
    start = interval.start
    # What was written before Wednesday cannot tell what is new since then: it was a plan.
    is_until_now = start is not None and start < request.now and interval.end == request.now
    within = items_of_interval(
        request.connection,
        interval,
        within=request.within,
        written_from=start if is_until_now else None,
    )
    narrowed = replace(request, within=within)
    judged = _judged(narrowed, options, slot=lists["slot"], tasks=lists["tasks"])
    return replace(judged, inside=narrowed.allowed, asked=request)


def _answers(inside: Found, anywhere: Found, weights: Weights) -> bool:
    """Whether what lies in the time asked for speaks of the subject about as well as what does not;
    always, where nothing else is asked for."""
    if not inside.scores:
        return False
    understood = inside.pool.request.understood
    if not understood.subject_terms and not understood.entities:
        return True
    if inside.pool.lists["slot"] or inside.pool.lists["tasks"]:
        return True
    return subject_of(inside.signs, weights) >= _AS_GOOD * subject_of(anywhere.signs, weights)


def _judged(request: Request, options: RankOptions, **given: Ranking) -> Found:
    pool = gather(request, **given)
    signs = signs_of(pool)
    chances = scores = score(pool, signs, options.weights)
    if options.half_life_days is not None:
        scores = apply_decay(chances, pool.items, request.now, options.half_life_days)
    asked_for = pool.lists["tasks"]
    return Found(pool, signs, {**scores, **asked_for}, {**chances, **asked_for})
