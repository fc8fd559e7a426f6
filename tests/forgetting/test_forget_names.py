"""A forgotten entity's name is content too, and a forget that was killed can be finished."""

import re
import zipfile
from pathlib import Path

import pytest

from lorebank import Bank, NotFound
from support import WORDS_ONLY

NAME = re.compile(rb"(?i)\bPeter\b")


def traces(root: Path) -> list[str]:
    """Every place that still says the name: file names, bytes, archives read open."""
    found = []
    for file in (p for p in root.rglob("*") if p.is_file()):
        data = file.read_bytes()
        if file.suffix == ".zip":
            with zipfile.ZipFile(file) as archive:
                data = b"".join(n.encode() + archive.read(n) for n in archive.namelist())
        if NAME.search(data) or NAME.search(file.name.encode()):
            found.append(file.relative_to(root).as_posix())
    return found


def test_nothing_says_the_name_after_forget_and_purge(root: Path) -> None:
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.reflect()
        (root / "memory/2025-12-20.md").write_text(
            "# Saturday\n\n## Retain\n- W @Peter: Bought a canoe.\n", encoding="utf-8"
        )
        bank.reflect()
        bank.forget(entity="Peter", purge=True)
        bank.reflect()
    assert traces(root) == []


def test_a_killed_forget_is_finished_by_the_same_command(root: Path) -> None:
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        run = bank.forget(entity="Peter").run
    kept = root / ".memory" / "forgotten"
    (kept / f"{run}.zip").rename(kept / f"{run}.pending.zip")  # killed before its last step
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        report = bank.forget(entity="Peter")
        assert report.run == run
        with pytest.raises(NotFound, match="no entity 'Peter'"):
            bank.forget(entity="Peter")
