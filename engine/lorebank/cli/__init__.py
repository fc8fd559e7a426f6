"""The command line: one file a subject, each parse → one Bank call → render. Data goes to stdout,
notes and problems to stderr; a module is imported when its command runs."""

import gc
import sys

COLLECT_EVERY = 100_000
"""Allocations between two garbage collections, in place of Python's 700. A recall makes about as
many, which live to its end: collecting took 40 of its 185 ms of CPU."""


def main() -> int:
    """Run the `lorebank` command with the arguments of this process; returns its exit code."""
    gc.set_threshold(COLLECT_EVERY)
    from lorebank.cli.root import run

    try:
        return run(sys.argv[1:])
    finally:
        gc.freeze()  # skip the collection at exit
