"""The collector of cycles, at rest while a great many values are made that are kept.

What is read of files and rows has no cycles, yet each value made counts towards another walk over
all that live: with a long ledger that is half of the work of reading it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """No search for cycles inside; where the caller has it off it stays so. Also a decorator."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
