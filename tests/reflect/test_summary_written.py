"""Entity summaries in a model's words: off by default, grounded, asked for once."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lorebank import ReflectReport
from provider_server import Fault, Provider

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

Reflect = Callable[..., ReflectReport]
PAGE = "bank/entities/Ana.md"
LOG = """## Retain
- W @Ana: Lives in Porto.
- W @Ana: Plays the cello in a quartet.
- W @Ana: Works as a nurse.
"""
GOOD = {"text": "Ana lives in Porto and works as a nurse.", "lines": [1, 3]}
FALSE = {"text": "Ana is rich.", "lines": [1]}


@pytest.fixture
def server(server: Provider) -> Provider:
    server.replies.append(json.dumps({"sentences": [GOOD, FALSE]}))
    return server


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2026-01-05.md").write_text(LOG)
    return tmp_path


def words(root: Path) -> str:
    text = (root / PAGE).read_text()
    return text.partition("begin in-words")[2].partition("-->\n")[2].partition("\n<!--")[0]


def test_it_is_off_unless_the_owner_says_so(server: Provider, root: Path, reflect: Reflect) -> None:
    reflect(root, summaries="false")
    assert (server.requests, words(root)) == ([], "")


def test_kept_sentences_cite_their_lines_and_others_are_told(
    server: Provider, root: Path, reflect: Reflect
) -> None:
    report = reflect(root, summaries="true")
    places = [f"memory/2026-01-05.md#L{n}" for n in (2, 4)]
    links = ", ".join(f"[{place}](../../{place})" for place in places)
    assert words(root) == (
        f"Ana lives in Porto and works as a nurse. ({links})\n\n"
        "*Written by openai/m from the lines above.*"
    )
    assert (root / PAGE).read_text().index("begin summary") < (root / PAGE).read_text().index(
        "begin in-words"
    )
    assert [(p.path, p.code) for p in report.problems] == [(PAGE, "sentence-dropped")]


def test_moved_lines_are_cited_anew_without_a_call(
    server: Provider, root: Path, reflect: Reflect
) -> None:
    reflect(root, summaries="true")
    (root / "memory" / "2026-01-05.md").write_text("# Monday\n\n" + LOG)
    reflect(root, summaries="true")
    assert "memory/2026-01-05.md#L4" in words(root)
    assert len(server.requests) == 1


def test_a_page_without_words_is_asked_about_the_next_night(
    server: Provider, root: Path, reflect: Reflect
) -> None:
    server.faults.append(Fault(status=500))
    report = reflect(root, summaries="true", attempts=1)
    assert ([p.code for p in report.problems], words(root)) == (["generator-failed"], "")
    assert reflect(root, summaries="true").changed == (PAGE,)
    assert words(root) != ""


def test_switched_off_again_the_words_go(server: Provider, root: Path, reflect: Reflect) -> None:
    reflect(root, summaries="false")
    plain = (root / PAGE).read_bytes()
    reflect(root, summaries="true")
    reflect(root, summaries="false")
    assert (words(root), (root / PAGE).read_bytes()) == ("", plain)
