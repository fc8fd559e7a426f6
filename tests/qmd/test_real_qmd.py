"""The real `qmd` of npm, searching by words, which needs no model.

It is taken from the PATH; where it is not there, or its Node is too old, this says so and skips.
"""

import os
import shutil
import subprocess
from datetime import datetime
from pathlib import Path

import pytest

from lorebank import Origin, PathRefused
from lorebank.conversations.export import Transcript
from lorebank.conversations.turns import Role, Turn
from qmd_program import Opener


@pytest.fixture(scope="module")
def qmd() -> str:
    found = shutil.which("qmd")
    if found is None:
        pytest.skip("no qmd on the PATH (npm install @tobilu/qmd, with Node 22 or later)")
    shown = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=60)
    if shown.returncode != 0:
        said = (shown.stderr or shown.stdout).strip().split("\n")[0]
        pytest.skip(f"qmd does not run here: {said}")
    return found


@pytest.fixture
def real(qmd: str, workspace: Path, environ: dict[str, str]) -> Opener:
    (workspace / ".qmd").mkdir()
    (workspace / ".qmd" / "index.yml").write_text("collections: {}\n")
    docs = workspace.parent / "docs"
    return Opener(
        workspace,
        {
            **environ,
            "PATH": os.environ["PATH"],
            "LOREBANK_MEMORY__QMD__COMMAND": qmd,
            "LOREBANK_MEMORY__QMD__PATHS": f'[{{path = "{docs}", name = "docs"}}]',
            "LOREBANK_MEMORY__QMD__LIMITS__TIMEOUT_MS": "60000",
            "LOREBANK_MEMORY__QMD__UPDATE__DEBOUNCE_MS": "0",
        },
    )


def test_f77_f83_f96_f98_the_real_qmd_answers(real: Opener, workspace: Path) -> None:
    with real() as bank:
        hits = bank.search("what is the router password?")
        assert [(hit.path, hit.provider, hit.heading) for hit in hits] == [
            ("memory/router.md", "qmd", "Router")
        ]
        assert hits[0].snippet == "The router password is ·······."
        assert bank.get(str(hits[0].source), shared=True).text == hits[0].snippet
        assert bank.search("secret") == (), "it stands in a private part"

        quagga = bank.memory_search("quagga").hits[0]
        assert quagga.path == "qmd/docs/deep/My Doc.md"
        assert "The quagga is back." in bank.get(quagga.path).text

        assert bank.search("--json router")[0].path == "memory/router.md"
        assert bank.search('"unbalanced AND (') == ()
        assert bank.status().backend == "qmd"
        assert bank.status().sidecar["collections"] == ["memory-root", "docs"]
    assert real.warned == []


def test_f90_f93_the_real_qmd_keeps_conversations_to_their_agent(
    real: Opener, workspace: Path
) -> None:
    said = "We moored the okapi barge."
    talk = Transcript("t", datetime(2026, 2, 9), (Turn(Role.USER, said),))
    settings = {"qmd__sessions__enabled": "true"}
    with real(**settings) as bank:
        bank.export_transcripts([talk], now=datetime(2026, 2, 10))
        [hit] = bank.search("okapi barge")
        assert (hit.origin, hit.quarantined, hit.corpus) == (Origin.SESSION, True, "sessions")
        assert bank.memory_search("okapi barge", group=True).hits == ()
        with pytest.raises(PathRefused):
            bank.get(hit.path, group=True)
    real.environ = {**real.environ, "LOREBANK_INDEX__AGENT_ID": "other"}
    with real(**settings) as bank:
        assert bank.search("okapi barge") == ()


def test_f80_the_real_qmd_follows_the_files(real: Opener, workspace: Path) -> None:
    with real() as bank:
        assert bank.search("okapi") == ()
        (workspace / "memory" / "zoo.md").write_text("The okapi sleeps.\n")
        (workspace / "memory" / "router.md").unlink()
        assert [hit.path for hit in bank.search("okapi")] == ["memory/zoo.md"]
        assert bank.search("router") == ()


def test_f84_the_real_qmd_fails_where_its_models_cannot_be_had(real: Opener) -> None:
    """Hybrid search needs models; here it is given no time to fetch them."""
    limits = {"qmd__search_mode": "query", "qmd__limits__timeout_ms": "1"}
    with real(**limits, qmd__update__embed_timeout_ms="1") as bank:
        hit = bank.search("router")[0]
        assert hit.provider == "none"
        assert "took longer than 0.001 s" in (hit.fallback or "")
