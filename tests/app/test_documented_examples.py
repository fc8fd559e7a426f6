"""The Python that is shown to readers runs, and what it returns can be named."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import lorebank
from lorebank import Bank

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "engine/docs"
ELSEWHERE = DOCS / "frameworks.md"  # tests/frameworks runs it where the frameworks are
PAGES = (ROOT / "README.md", *sorted(page for page in DOCS.glob("*.md") if page != ELSEWHERE))
BLOCKS = [
    pytest.param(page, code, id=f"{page.name}: {code.strip().splitlines()[-1][:40]}")
    for page in PAGES
    for code in re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.M)
]
WITH_EXAMPLES = ("lorebank", "lorebank.app.awaited", "lorebank.app.bank")
NOT_OURS = {"Iterator", "None", "Path", "Self"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("LOREBANK_EMBEDDER__PROVIDER", "none")
    monkeypatch.setenv("LOREBANK_CONFIG", str(tmp_path / "config.toml"))
    return tmp_path


@pytest.mark.parametrize(("page", "code"), BLOCKS)
def test_what_a_page_shows_runs(
    page: Path,
    code: str,
    home: Path,
    copy_fixture: Callable[[str], Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    copy_fixture("harbour").rename(home / "notes")
    exec(compile(code, str(page), "exec"), {"__name__": page.stem})
    printed = capsys.readouterr().out
    assert page.name != "README.md" or "memory/2025-11-27.md#L15" in printed


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_what_a_docstring_shows_is_what_comes(name: str, home: Path) -> None:
    del home
    found = doctest.testmod(importlib.import_module(name), raise_on_error=True)
    assert found.attempted > 1


def test_whatever_a_bank_returns_can_be_imported_from_the_package() -> None:
    returned = {
        word
        for name, method in inspect.getmembers(Bank, callable)
        if not name.startswith("_")
        for word in re.findall(r"\b[A-Z]\w+", str(inspect.signature(method).return_annotation))
    }
    assert returned - NOT_OURS - set(lorebank.__all__) == set()
    for name in lorebank.__all__:
        assert getattr(lorebank, name) is not None
