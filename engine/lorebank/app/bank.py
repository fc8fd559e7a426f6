"""class Bank: the composition root. Every interface calls this and nothing below it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from lorebank.app.custody import Custody
from lorebank.app.exchanging import Exchanging
from lorebank.app.names import Names
from lorebank.app.serving import Serving
from lorebank.app.upkeep import Upkeep

if TYPE_CHECKING:
    from lorebank.app.doctor import HealthFinding


class Bank(Upkeep, Names, Custody, Exchanging, Serving):
    """A workspace of Markdown notes that can be asked.

    >>> with Bank.init("~/notes") as bank:
    ...     _ = bank.retain("O(c=0.9) @Peter: Prefers tea in the afternoon.")
    ...     [hit] = bank.recall("what does Peter prefer?", k=1).hits
    >>> hit.content, hit.confidence, hit.entities
    ('Prefers tea in the afternoon.', 0.9, ('Peter',))

    `now` is the day on which relative phrases are read ("last week"); it can be given to `open` or
    to any call, and is today otherwise. Days are `datetime.date` or text such as `2025-11-27`,
    `30d`, `last week`; text that is not understood raises `UsageError`.
    """

    def doctor(
        self, *, fix: bool = False, moment: datetime | None = None
    ) -> tuple[HealthFinding, ...]:
        """What is wrong with the workspace, its index and its schedule, worst first.

        With `fix`, what can be repaired without losing anything is (`HealthFinding.fixed`). A
        night was missed if it was due by `moment`, local time, now unless said otherwise.
        """
        from lorebank.app.doctor import examine

        return examine(self, fix=fix, moment=moment)
