"""Sessions a user could have typed, with what they saw: `tests/transcripts/*.md`.

A ```console block holds lines that begin with `$ ` and the output below each: stdout, then stderr
marked `! `, then `[exit N]` where N is not 0. The file's front words name the fixture: `fixture:
harbour` in a comment on its first line, or `fixture: none` for an empty folder. Blocks of one file
share one copy of it.

`LOREBANK_UPDATE_TRANSCRIPTS=1 pytest tests/cli/test_transcripts.py` writes what is seen today into
the files; read the diff before you keep it.
"""

import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

TRANSCRIPTS = sorted((Path(__file__).parent.parent / "transcripts").glob("*.md"))
UPDATE = bool(os.environ.get("LOREBANK_UPDATE_TRANSCRIPTS"))
_BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
_FIXTURE = re.compile(r"\A<!-- fixture: (\w+) -->")
_CLOCK = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[+-]\d\d:?\d\d|Z)|(?<=synced )[-\d]+ [:\d]+")
_SIZE = re.compile(r"\d+ kB")


@pytest.mark.parametrize("file", TRANSCRIPTS, ids=lambda file: file.stem)
def test_transcript(
    file: Path, lorebank: Run, copy_fixture: Callable[[str], Path], tmp_path: Path
) -> None:
    text = file.read_text("utf-8")
    fixture = _FIXTURE.match(text)
    assert fixture, "the first line names the fixture"
    folder = tmp_path / "empty" if fixture[1] == "none" else copy_fixture(fixture[1])
    folder.mkdir(exist_ok=True)
    seen = _BLOCK.sub(lambda block: _replay(block.group(), folder, lorebank), text)
    if UPDATE:
        file.write_text(seen, "utf-8")
        return
    assert seen == text


def _replay(block: str, folder: Path, lorebank: Run) -> str:
    typed = [line for line in block.split("\n") if line.startswith("$ ")]
    return (
        "\n".join(f"{line}\n{_run(line[2:], folder, lorebank)}".rstrip() for line in typed) + "\n"
    )


def _run(line: str, folder: Path, lorebank: Run) -> str:
    """Run `lorebank …`, or `printf '…' | lorebank …` with the printed text on its stdin."""
    left, bar, right = line.rpartition(" | ")
    stdin = shlex.split(left)[1].encode().decode("unicode_escape").encode("latin-1") if bar else b""
    name, *arguments = shlex.split(right)
    assert name == "lorebank"
    outcome = lorebank(*arguments, cwd=folder, stdin=stdin)
    lines = [outcome.out.removesuffix("\n")] if outcome.out else []
    lines += [f"! {each}" for each in outcome.err.splitlines()]
    if outcome.code:
        lines.append(f"[exit {outcome.code}]")
    shown = "\n".join(lines).replace(str(folder), "HERE")
    return _SIZE.sub("SIZE", _CLOCK.sub("TIME", shown))
