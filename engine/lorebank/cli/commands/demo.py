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
    ("Index a folder of Markdown notes.", ("index",)),
    ("Ask for words: an error from the log.", ("recall", "Baileys crash", "-k", "1")),
    ("Ask about somebody or something.", ("recall", "tell me about The Castle", "-k", "2")),
    ("Ask about a time.", ("recall", "what happened around Nov 27?", "-k", "2")),
    ("Ask what somebody prefers.", ("recall", "what does Peter prefer?", "-k", "2")),
    ("Reflect, as of 5 December.", ("reflect", "--date", "2025-12-05")),
    ("The next night: what did the bank learn since?", ("reflect", "--dry-run", "--diff")),
    ("Agree: write the pages.", ("reflect",)),
    ("And where did that come from?", ("get", "memory/2025-12-09.md#L8-L11")),
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
