"""The settings of answers: how many, how they are fused, what age and likeness cost."""

from __future__ import annotations

from dataclasses import field

from lorebank.config_rules import FLAG, FRACTION, number, setting, whole_number
from lorebank.records import dataclass


@dataclass(frozen=True, slots=True)
class TemporalDecaySettings:
    """Dated notes lose score with age; undated ones do not."""

    enabled: bool = setting(False, FLAG)
    half_life_days: float = setting(30.0, number(0.1, 36500))


@dataclass(frozen=True, slots=True)
class MmrSettings:
    """Maximal marginal relevance: fewer near-duplicates among the hits."""

    enabled: bool = setting(False, FLAG)
    lambda_: float = setting(0.7, FRACTION)
    """1 is pure relevance, 0 the greatest diversity. Written `lambda`."""


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """How answers are ranked and cut."""

    k: int = setting(10, whole_number(1, 10_000))
    vector_weight: float = setting(0.7, FRACTION)
    text_weight: float = setting(0.3, FRACTION)
    candidate_multiplier: int = setting(4, whole_number(1, 100))
    auto_sync: bool = setting(True, FLAG)
    remember_uses: bool = setting(True, FLAG)
    """Whether the day that a line was last given as an answer is noted, in `.memory/` alone."""
    temporal_decay: TemporalDecaySettings = field(default_factory=TemporalDecaySettings)
    mmr: MmrSettings = field(default_factory=MmrSettings)
