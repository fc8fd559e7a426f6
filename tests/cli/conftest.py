"""Running the command line as a user does: in a process of its own, streams apart."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

TODAY = "2025-12-10"


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Nothing of this machine's settings; no embedder; a fixed day."""
    kept = {
        name: os.environ[name]
        for name in ("PATH", "PYTHONPATH", "SYSTEMROOT")
        if name in os.environ
    }
    return kept | {
        "HOME": str(tmp_path / "home"),
        "LANG": "C.UTF-8",
        "LOREBANK_EMBEDDER__PROVIDER": "none",
        "LOREBANK_NOW": TODAY,
    }


@pytest.fixture
def lorebank(environment: dict[str, str], tmp_path: Path) -> Run:
    """`lorebank("recall", "x", cwd=folder)` in a fresh interpreter."""

    def run(
        *arguments: str,
        cwd: Path | None = None,
        stdin: bytes | None = None,
        env: dict[str, str] | None = None,
    ) -> Outcome:
        done = subprocess.run(
            [sys.executable, "-m", "lorebank", *arguments],
            cwd=cwd or tmp_path,
            env=environment | (env or {}),
            input=stdin or b"",
            capture_output=True,
            timeout=60,
        )
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def workspace(copy_fixture: Callable[[str], Path]) -> Path:
    """A copy of the small workspace."""
    return copy_fixture("harbour")
