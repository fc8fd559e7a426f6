"""A small trained head for what the rules of stance cannot read: lines without a cue.

It looks at the vectors that the built-in sentence model gives the opinion and the line, and at what
the rules' reading sees in both (`stance_cues`), and says how likely the line speaks for or against
the opinion. It speaks where the rules are silent and takes back a sign of theirs that it thinks
wrong; it never says the contrary of a sign they give. A verdict is a function of the two texts
alone. Where a vector is missing the rules decide.

The weights (`stance_head.npz`) are made by `tests/benchmarks/train_stance_head.py` from the pairs
under `fixtures/` and fit the vectors of one model only. Inference is numpy, imported when the first
vector is there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from lorebank.domain import Stance
from lorebank.records import dataclass
from lorebank.reflect.stance import Judgement
from lorebank.reflect.stance_cues import cues_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lorebank.reflect.stance_model import VectorsOf

    Floats = NDArray[np.float32]

_SURE = {Stance.FOR: 0.5, Stance.AGAINST: 0.55}
"""The least chance at which the head gives a sign where the rules give none: a wrong `against` is
the worse."""
_SURER_APART = 0.05
"""So much more is asked where the line names next to nothing of what the opinion is about."""
_NAMED, _NAMED_WELL = 0.3, 0.5
_ALIKE, _VERY_ALIKE = 0.3, 0.45
_DOUBTED = 0.3
"""A sign of the rules whose chance is below this is taken back."""
_WEIGHT = 0.6
"""How much a sure line without a cue tells beside a clear cue."""
_NEAR = 0.2
"""The least cosine at which a line that shares no word with an opinion is looked at."""
_MOST_NEAR = 4
"""So many opinions, at most, are looked at for one line that shares no word with them."""
READ_BY_RULES = frozenset(
    {"stated", "restated", "mark", "verdict", "other holder", "nothing asserted", "quoted"}
)
"""What the head has no say in: somebody decided, or nothing of the holder's own is asserted."""


@dataclass(frozen=True, slots=True)
class Chances:
    """How likely a line speaks for an opinion, and against it; the rest is that it does neither."""

    for_it: float
    against: float
    share: float = 1.0
    """0..1: how much of what the opinion is about the line names."""
    cosine: float = 1.0
    """How near the two are in meaning."""

    @property
    def is_apart(self) -> bool:
        """Whether the line names next to nothing of what the opinion is about."""
        return self.share < _NAMED

    def may_sign(self, *, states_another: bool) -> bool:
        """Whether a line of a log is near enough to be asked at all.

        Most lines of a log are of something else, and one that states an opinion is of its own
        subject first: of two opinions of one person neither is to move the other.
        """
        if not states_another:
            return not self.is_apart or self.cosine >= _ALIKE
        names_it = self.share >= _NAMED_WELL and self.cosine >= _ALIKE
        return names_it or self.cosine >= _VERY_ALIKE

    @property
    def leaning(self) -> Stance:
        return Stance.FOR if self.for_it >= self.against else Stance.AGAINST

    @property
    def signed(self) -> float:
        """That it does either."""
        return self.for_it + self.against

    def decide(self, found: Judgement, confidence: float | None = None) -> Judgement:
        """The rules' judgement, filled in or taken back; `confidence` is the line's own."""
        if found.stance is Stance.UNRELATED:
            sure = max(self.for_it, self.against)
            if sure < _SURE[self.leaning] + _SURER_APART * self.is_apart:
                return found
            weight = 1.0 if confidence is None else confidence
            return Judgement(self.leaning, round(_WEIGHT * sure * weight, 3), "meaning")
        chance = self.for_it if found.stance is Stance.FOR else self.against
        return Judgement(Stance.UNRELATED, 0.0, "cues doubted") if chance < _DOUBTED else found


class StanceHead:
    """Judges pairs of texts whose vectors are known."""

    def __init__(self, vectors_of: VectorsOf) -> None:
        self._vectors_of = vectors_of
        self._vectors: dict[str, Floats] = {}

    def look_at(self, texts: Collection[str]) -> set[str]:
        """Take the vectors of these texts, and let go of others; returns those without one."""
        known = self._vectors_of(list(texts))
        self._vectors = {}
        if known:
            import numpy as np

            self._vectors = {t: np.frombuffer(v, dtype=np.float32) for t, v in known.items()}
        return {text for text in texts if text not in known}

    def near(self, statements: Sequence[str], text: str) -> list[int]:
        """The places of the statements that a text comes near to in meaning, nearest first."""
        line = self._vectors.get(text)
        if line is None:
            return []
        scored = [
            (-round(float(vector @ line), 4), place)
            for place, statement in enumerate(statements)
            if (vector := self._vectors.get(statement)) is not None
        ]
        return [place for score, place in sorted(scored) if -score >= _NEAR][:_MOST_NEAR]

    def chances(self, statement: str, holder: str, text: str, found: Judgement) -> Chances | None:
        """What the head makes of a pair; `None` where it has no say or no vector."""
        if found.reason in READ_BY_RULES:
            return None
        opinion, line = self._vectors.get(statement), self._vectors.get(text)
        if opinion is None or line is None:
            return None
        import numpy as np

        cues = cues_of(statement, holder, text, found)
        return _weights().chances_of(
            head_inputs(opinion[None], line[None], np.array([cues.values], dtype=np.float32))[0],
            share=cues.share,
            cosine=round(float(opinion @ line), 4),
        )


@dataclass(frozen=True, slots=True)
class Weights:
    """A few small networks of one hidden layer, whose chances are averaged."""

    inner: Floats
    """(members, inputs, hidden)"""
    inner_bias: Floats
    outer: Floats
    """(members, hidden, 3)"""
    outer_bias: Floats

    def chances_of(self, inputs: Floats, *, share: float = 1.0, cosine: float = 1.0) -> Chances:
        """Of one row of `head_inputs`."""
        import numpy as np

        hidden = np.maximum(np.einsum("i,mih->mh", inputs, self.inner) + self.inner_bias, 0)
        logits = np.einsum("mh,mho->mo", hidden, self.outer) + self.outer_bias
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        mean = (odds / odds.sum(axis=1, keepdims=True)).mean(axis=0)
        return Chances(round(float(mean[0]), 4), round(float(mean[1]), 4), share, cosine)


def head_inputs(opinions: Floats, lines: Floats, cues: Floats) -> Floats:
    """Rows of what the networks read, scaled to about one: shape `(pairs, inputs)`."""
    import numpy as np

    product = opinions * lines
    parts = (
        product * 22,
        np.abs(opinions - lines) * 5,
        lines * 8,
        opinions * 8,
        cues,
        product.sum(axis=1, keepdims=True) * 3,
    )
    return np.concatenate(parts, axis=1, dtype=np.float32)


def unpacked(stored: Mapping[str, NDArray[Any]]) -> Weights:
    """The weights from what the training wrote: bytes with a scale a hidden unit."""
    import numpy as np

    return Weights(
        stored["inner"].astype(np.float32) * stored["scale"][:, None, :],
        stored["inner_bias"].astype(np.float32),
        stored["outer"].astype(np.float32),
        stored["outer_bias"].astype(np.float32),
    )


@lru_cache(maxsize=1)
def _weights() -> Weights:
    import numpy as np

    file = resources.files("lorebank.reflect").joinpath("stance_head.npz")
    with file.open("rb") as stream, np.load(stream) as stored:
        return unpacked(stored)
