"""Decisions with single keys at a terminal: for `reflect -i` and `inbox rule`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from lorebank.cli.session import Session


def ask_key(session: Session, place: str, verdicts: Mapping[str, str]) -> str:
    """The verdict whose first letter is pressed; `?` tells what each does. Other keys do nothing.

    `verdicts` tells for each word what it does.
    """
    keys = {word[0]: word for word in verdicts}
    shown = ", ".join(f"{key} {word}" for key, word in keys.items())
    prompt = session.look.dim(f"{place}: {shown}, ? help")
    session.show([prompt])
    while True:
        key = click.getchar().lower()
        if key in keys:
            return keys[key]
        if key == "?":
            width = max(map(len, verdicts))
            lines = [f"  {word:<{width}}  {does}".rstrip() for word, does in verdicts.items()]
            session.show([*lines, prompt])


def edit_source(session: Session, root: Path, source: str) -> None:
    """Open the file that a line stands in, in the editor of the environment."""
    path = source.partition("#")[0]
    session.show([f"opening {source}"])
    click.edit(filename=str(root / path))
