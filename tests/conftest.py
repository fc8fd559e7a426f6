"""What every test may use: copies of the fixtures, and an environment of its own."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from lorebank import Bank
from provider_server import Provider, serving
from support import FIXTURES, WORDS_ONLY

# A busy machine takes 300 ms for what it does in 1 ms a moment later.
settings.register_profile("any", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any")


@pytest.fixture
def copy_fixture(tmp_path: Path) -> Callable[[str], Path]:
    """Copies a workspace of `fixtures/` and returns the copy's folder."""

    def copy(name: str) -> Path:
        return Path(shutil.copytree(FIXTURES / name, tmp_path / name))

    return copy


@pytest.fixture
def root(copy_fixture: Callable[[str], Path]) -> Path:
    """The folder of the small workspace, where a test has no other."""
    return copy_fixture("harbour")


@pytest.fixture
def harbour(copy_fixture: Callable[[str], Path]) -> Iterator[Bank]:
    """The small workspace, opened, without an embedder."""
    with Bank.open(copy_fixture("harbour"), environ=WORDS_ONLY) as bank:
        yield bank


@pytest.fixture
def write_log(tmp_path: Path) -> Callable[..., Path]:
    """Writes retain lines as the log of a day and returns the workspace's folder."""

    def write(day: str, *lines: str) -> Path:
        log = tmp_path / "memory" / f"{day}.md"
        log.parent.mkdir(exist_ok=True)
        log.write_text("\n".join([f"# {day}", "", "## Retain", *lines, ""]), "utf-8")
        return tmp_path

    return write


@pytest.fixture
def server() -> Iterator[Provider]:
    """A provider on this machine, as its services speak."""
    with serving(Provider()) as provider:
        yield provider
