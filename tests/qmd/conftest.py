"""A workspace with a sidecar beside it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from qmd_program import Opener, Program, write_program


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return write_program(tmp_path / "bin")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Two notes, one with a private part, beside a folder of other notes."""
    root = tmp_path / "notes"
    (root / "memory").mkdir(parents=True)
    (root / "memory.md").write_text("# Core\n\nThe zeppelin is moored at pier nine.\n")
    (root / "memory" / "router.md").write_text(
        "# Router\n\nThe router password is hunter2.\n\n<private>\nThe secret is 42.\n</private>\n"
    )
    docs = tmp_path / "docs" / "deep"
    docs.mkdir(parents=True)
    (docs / "My Doc.md").write_text("# Quagga\n\nThe quagga is back.\n")
    return root


@pytest.fixture
def environ(program: Program, tmp_path: Path) -> dict[str, str]:
    return {
        "PATH": f"{program.folder}{os.pathsep}/usr/bin{os.pathsep}/bin",
        "HOME": str(tmp_path / "home"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "LOREBANK_CONFIG": "/nonexistent",
        "LOREBANK_EMBEDDER__PROVIDER": "none",
        "LOREBANK_MEMORY__BACKEND": "qmd",
        "LOREBANK_MEMORY__QMD__UPDATE__WAIT_FOR_BOOT_SYNC": "true",
    }


@pytest.fixture
def open_bank(workspace: Path, environ: dict[str, str]) -> Iterator[Opener]:
    opener = Opener(workspace, environ)
    yield opener
    for bank in opener.opened:
        bank.close()
