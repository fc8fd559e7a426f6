"""What one run may spend on a generator, in calls and in tokens."""

from __future__ import annotations

from lorebank.errors import ProviderError
from lorebank.records import dataclass


class BudgetSpent(ProviderError):
    """The next call would go beyond what a run may spend; it was not made."""


@dataclass(slots=True)
class Budget:
    """Counts down as calls are made; shared by everything that one run asks for."""

    calls: int
    tokens: int
    """Asked and answered together."""

    def reserve(self, tokens: int) -> None:
        """Ask leave for one call of about so many tokens; `BudgetSpent` where it is refused."""
        if self.calls < 1:
            raise BudgetSpent(
                "the calls of this run are spent", hint="raise generator.max_calls, or run again"
            )
        if tokens > self.tokens:
            raise BudgetSpent(
                "the tokens of this run are spent", hint="raise generator.max_tokens, or run again"
            )
        self.calls -= 1

    def spend(self, tokens: int) -> None:
        """Count the tokens of a call that was made."""
        self.tokens = max(0, self.tokens - tokens)
