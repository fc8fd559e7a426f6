"""`lorebank bench`: measure recall on questions made of the workspace's own notes."""

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.progress import Progress
from lorebank.cli.render.bench import bench_lines
from lorebank.cli.session import Session, pass_session

EXAMPLES = """
lorebank bench
lorebank bench --n 50 --seed 7 --json
"""


@command("bench", examples=EXAMPLES)
@click.option(
    "--n",
    "n",
    type=click.IntRange(1),
    default=200,
    metavar="N",
    show_default=True,
    help="At most so many sentences.",
)
@click.option(
    "--seed", type=int, default=0, metavar="N", show_default=True, help="Which sentences."
)
@pass_session
def bench(session: Session, n: int, seed: int) -> None:
    """Measure recall on questions made of your own notes.

    Takes facts (and sentences of prose, where facts are few), leaves out a part of their words and
    asks for them again: how often the sentence comes back first, among five, among ten; beside it
    the lines grep would show. It tells how well notes are remembered by words that stand in them,
    not how well questions in other words are answered. No note is changed.
    """
    with session.bank() as bank, Progress(session) as progress:
        report = bank.bench(n=n, seed=seed, progress=progress)
    if session.json:
        session.show_json(report.to_dict())
    else:
        session.show(bench_lines(session.look, report))


command = bench
