"""`lorebank demo`: the main job on a copy of the sample workspace, step by step."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import click

from lorebank.cli.command import command
from lorebank.cli.session import Session, pass_session

EXAMPLES = """
lorebank demo
lorebank demo ~/lorebank-sample
"""

STEPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "Ask a folder of Markdown notes for words: an error from the log.",
        ("recall", "Baileys crash", "-k", "1"),
    ),
    ("Ask what somebody prefers.", ("recall", "what does Peter prefer?", "-k", "2")),
    ("Every night: bring the pages of the bank up to date.", ("reflect",)),
    ("Peter changed his mind about Telegram: the belief, line by line.", ("explain", "o-e54d")),
    (
        "What was believed on 1 December?",
        ("recall", "Telegram for groups", "--as-of", "2025-12-01", "-k", "1"),
    ),
    ("And now?", ("recall", "WhatsApp for groups", "-k", "1")),
    ("The morning page.", ("today",)),
)


@command("demo", examples=EXAMPLES)
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@pass_session
def demo(session: Session, folder: Path | None) -> int:
    """Walk through recall and reflect on a copy of a sample workspace.

    The copy goes into FOLDER, or into a new temporary folder, and stays there to play with.
    """
    from lorebank.cli.root import run
    from lorebank.templates.scaffold import SAMPLE_TODAY, copy_sample

    target = copy_sample(folder or Path(tempfile.mkdtemp(prefix="lorebank-")) / "notes")
    os.environ["LOREBANK_NOW"] = SAMPLE_TODAY
    for title, arguments in STEPS:
        shown = " ".join(f'"{part}"' if " " in part else part for part in arguments)
        session.show(
            ["", click.style(f"# {title}", dim=True) if session.look.colour else f"# {title}"]
        )
        session.show([f"$ lorebank {shown}"])
        code = run(["--quiet", "--workspace", str(target), *arguments])
        if code:
            return code
    session.show(["", f"The notes and the bank are in {target}; ask them something yourself:"])
    session.show([f'  lorebank -w {target} recall "where is Andy\'s birthday?"'])
    return 0
