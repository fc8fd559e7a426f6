"""Circuit breaker of a provider, shared by all processes of the workspace.

The reason stands in the index, so that `status` and each answer can give it. The time to wait
doubles with each failure, up to a quarter of an hour; one success ends it.
"""

from __future__ import annotations

import json
import time

from lorebank.database.connection import Connection, read_meta, transaction, write_meta
from lorebank.records import Record

_FIRST_REST_S = 30.0
_LONGEST_REST_S = 900.0
"""Chosen by hand: a quarter of an hour is soon enough after a failure that lasts."""


class Breaker(Record):
    """What is known of one embedder's failures."""

    fingerprint: str
    reason: str = ""
    failures: int = 0
    until: float = 0.0  # seconds since the epoch; before then the provider is not asked

    @classmethod
    def read(cls, connection: Connection, fingerprint: str) -> Breaker:
        text = read_meta(connection, _key(fingerprint))
        try:
            known = json.loads(text or "{}")
            rest = int(known.get("failures", 0)), float(known.get("until", 0.0))
            return cls(fingerprint, str(known.get("reason", "")), *rest)
        except (ValueError, TypeError, AttributeError):
            return cls(fingerprint)

    @property
    def is_open(self) -> bool:
        """Whether the provider is not to be asked now; a clock set back does not prolong it."""
        return 0 < self.until - time.time() <= _LONGEST_REST_S

    def trip(self, connection: Connection, reason: str) -> Breaker:
        """The provider failed; written down for all processes."""
        rest = min(_FIRST_REST_S * 2**self.failures, _LONGEST_REST_S)
        tripped = Breaker(self.fingerprint, reason, self.failures + 1, time.time() + rest)
        state = {"reason": reason, "failures": tripped.failures, "until": tripped.until}
        with transaction(connection):
            write_meta(connection, _key(self.fingerprint), json.dumps(state))
        return tripped

    def close(self, connection: Connection) -> None:
        """The provider answered."""
        if self.failures:
            with transaction(connection):
                connection.execute("DELETE FROM meta WHERE key = ?", (_key(self.fingerprint),))


def _key(fingerprint: str) -> str:
    return f"breaker of {fingerprint}"
