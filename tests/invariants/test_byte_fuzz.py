"""Damaged bytes in every place the engine reads: an answer or a clear error, and nothing is lost.

Seeds are the files of `fixtures/`; each example cuts, repeats, overwrites or splices some spans of
one. Whatever comes of it, only `LorebankError` may be raised, a note beside the damaged file is
still found and cited, and no file is written by reading. `LOREBANK_FUZZ_EXAMPLES` sets how many
examples each test runs; what failed once stays below as an `@example`.
"""

import os
import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lorebank import Bank
from lorebank.errors import LorebankError
from lorebank.tools.arguments import fit
from support import FIXTURES, WORDS_ONLY, golden, snapshot

TODAY = date(2026, 3, 2)
EXAMPLES = int(os.environ.get("LOREBANK_FUZZ_EXAMPLES", "15"))
fuzzed = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
TOKENS = (
    *(b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"\xf0\x9f", b"\r", b"\r\n", b"\n\n", b"\t", b"---\n"),
    *(b"<!--", b"-->", b"<private>", b"</private>", b"```\n", b"[[", b"]]", b"|", b"@", b"- O(c="),
    *(b"## Retain\n", b"2026-02-31", b"99999-01-01", b"1e999", b"NaN", b"{", b"}", b"[", b"\\u"),
    *("\u202e\u200b\u0130ß\ufdfa".encode(), b"9" * 400, b"(ends f-", b" [memory/2026-03-01.md#L1]"),
)


@st.composite
def damaged(draw: st.DrawFn, seeds: list[bytes]) -> bytes:
    """One of the seeds with one to five spans changed."""
    data = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(data)))
        end = draw(st.integers(start, min(len(data), start + 400)))
        span = data[start:end]
        change = draw(st.sampled_from(["cut", "token", "bytes", "repeat", "splice"]))
        if change == "token":
            span = draw(st.sampled_from(TOKENS))
        elif change == "bytes":
            span = draw(st.binary(max_size=20))
        elif change == "repeat":
            span *= draw(st.integers(2, 30))
        elif change == "splice":
            other = draw(st.sampled_from(seeds))
            place = draw(st.integers(0, len(other)))
            span = other[place : place + 400]
        else:
            span = b""
        data = data[:start] + span + data[end:]
    return data


def seeds(*patterns: str) -> list[bytes]:
    files = sorted({f for pattern in patterns for f in FIXTURES.glob(pattern) if f.is_file()})
    assert files
    return [file.read_bytes()[:6000] for file in files]


@pytest.fixture
def folders(tmp_path: Path) -> Callable[[], Path]:
    """Makes one small workspace after another, each in the place of the last."""

    def new() -> Path:
        shutil.rmtree(tmp_path / "ws", ignore_errors=True)
        root = tmp_path / "ws"
        (root / "memory").mkdir(parents=True)
        note = "# Sunday\n\n## Retain\n- W @Ilse: Keeps the spare zqkey in the boathouse.\n"
        (root / "memory" / "2026-03-01.md").write_text(note, "utf-8")
        return root

    return new


def ask_everything(root: Path) -> None:
    """What people and hosts ask of a workspace; the note beside the damage is always found."""
    before = snapshot(root)
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.sync()
        first = bank.recall("zqkey", now=TODAY).hits[0]
        assert str(first.source) == "memory/2026-03-01.md#L4"
        for question in ("what does Ilse prefer?", "what happened last week?", "who is Runa?"):
            bank.recall(question, now=TODAY)
        bank.lint()
        bank.agenda(now=TODAY)
        bank.inbox(now=TODAY)
        bank.context(now=TODAY)
        try:
            bank.reflect(now=TODAY, dry_run=True)
        except LorebankError as refused:
            assert str(refused)
    assert snapshot(root) == before


@golden("bytes.md")
def test_damaged_notes_cost_no_other_note(
    folders: Callable[[], Path], place: str, patterns: tuple[str, ...]
) -> None:
    @fuzzed
    @given(damaged(seeds(*patterns)))
    @example(b"\xff\xfe- W @Ilse: x\0\n")
    def check(data: bytes) -> None:
        root = folders()
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_bytes(data)
        ask_everything(root)

    check()


def test_damaged_conversations_cost_no_note(folders: Callable[[], Path]) -> None:
    @fuzzed
    @given(damaged(seeds("sessions/*/*.jsonl", "sessions/claude-code/*/*.jsonl")))
    def check(data: bytes) -> None:
        root = folders()
        (root / "sessions").mkdir()
        (root / "sessions" / "a.jsonl").write_bytes(data)
        (root / ".memory").mkdir()
        (root / ".memory" / "config.toml").write_text(
            "[memory_search]\nsources = ['memory', 'sessions']\n", "utf-8"
        )
        ask_everything(root)

    check()


SETTINGS = b"""[recall]
max_results = 8
[memory_search]
provider = "none"
sources = ["memory", "sessions"]
[memory_search.query.hybrid]
vector_weight = 0.7
[reflect]
schedule = "0 3 * * *"
"""


def test_damaged_settings_are_refused_or_read(folders: Callable[[], Path]) -> None:
    @fuzzed
    @given(damaged([SETTINGS]))
    @example(b"a" + b".a" * 2000 + b" = 1")
    @example(b"a = " + b"[" * 2000)
    def check(data: bytes) -> None:
        root = folders()
        (root / ".memory").mkdir()
        (root / ".memory" / "config.toml").write_bytes(data)
        try:
            with Bank.open(root, environ=WORDS_ONLY) as bank:
                bank.recall("zqkey", now=TODAY)
        except LorebankError as refused:
            assert "config.toml" in str(refused)

    check()


@golden("bytes.md")
def test_damaged_exports_are_refused_or_imported(
    folders: Callable[[], Path], name: str, patterns: tuple[str, ...]
) -> None:
    @fuzzed
    @given(damaged(seeds(*patterns)))
    def check(data: bytes) -> None:
        root = folders()
        source = root.parent / "source"
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir()
        (source / name).write_bytes(data)
        before = snapshot(root)
        with Bank.open(root, environ=WORDS_ONLY) as bank:
            try:
                bank.import_notes(source / name, dry_run=True)
            except LorebankError as refused:
                assert str(refused)
        assert snapshot(root) == before

    check()


QUESTIONS = [
    b"what did Ilse decide about the boathouse since last March?",
    b'-- "exact words" -not kind:opinion since:2025-01-01 until:tomorrow e:Ilse',
    "wann hat Tomasz zuletzt über die Fähre gesprochen? / 上週發生了什麼".encode(),
]


def test_any_question_gets_an_answer(folders: Callable[[], Path]) -> None:
    with Bank.open(folders(), environ=WORDS_ONLY) as bank:
        bank.sync()

        @settings(fuzzed, max_examples=5 * EXAMPLES)
        @given(damaged(QUESTIONS))
        @example(b"AND OR NOT NEAR( * ^ : \" '")
        def check(data: bytes) -> None:
            question = data.decode("utf-8", "surrogateescape")
            for ask in (bank.recall, bank.search):
                try:
                    ask(question)
                except LorebankError as refused:
                    assert str(refused)

        check()


def test_any_argument_is_fitted_or_refused() -> None:
    values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=6,
    )
    names = st.sampled_from(["query", "k", "limit", "entities", "since", "filters", "args", "x"])
    schema: dict[str, Any] = {
        "properties": {
            "query": {"type": "string"},
            "k": {"type": "integer", "minimum": 1, "maximum": 50},
            "entities": {"type": "array", "items": {"type": "string"}},
            "since": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "until": {"type": "string"},
        },
        "required": ["query"],
    }

    @settings(fuzzed, max_examples=10 * EXAMPLES)
    @given(st.dictionaries(names, values, max_size=4))
    @example({"k": float("nan")})
    @example({"limit": "9" * 5000})
    def check(given_: dict[str, Any]) -> None:
        try:
            fitted, _ = fit("recall", schema, given_, {"k": ["limit"]}, True)
        except LorebankError as refused:
            assert str(refused)
        else:
            assert set(fitted) <= set(schema["properties"])

    check()
