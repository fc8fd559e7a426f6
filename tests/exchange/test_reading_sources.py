"""What becomes of notes and conversations of other programs, on small sources of each."""

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.domain.facts import Diagnostic
from lorebank.errors import UsageError
from lorebank.exchange.conversations import parse_moment, read_chatgpt, read_claude
from lorebank.exchange.importing import detect_form
from lorebank.exchange.notes import ImportedNote, NoteStream, free_path, safe_path
from lorebank.exchange.prose import joda_day, moment_day, rewrite_links
from lorebank.exchange.read_jsonl import read_jsonl
from lorebank.exchange.read_logseq import read_logseq
from lorebank.exchange.vaults import link_rules, read_basic_memory, read_obsidian
from lorebank.settings.tables import Config
from lorebank.workspace.discover import VaultSettings
from lorebank.workspace.given import Source, open_source
from lorebank.workspace.paths import resolve_memory_path
from support import FIXTURES, GOLDEN, golden

SOURCES = FIXTURES / "exchange"


READERS: dict[str, Callable[[Source], NoteStream]] = {
    "Vault": read_obsidian,
    "graph": read_logseq,
    "basic-memory": read_basic_memory,
    "chatgpt": lambda source: read_chatgpt(source, UTC),
    "claude": lambda source: read_claude(source, UTC),
    "facts.jsonl": read_jsonl,
}


def opened(path: Path) -> closing[Source]:
    return closing(open_source(path))


def parted(read: NoteStream) -> tuple[dict[str, str], list[str]]:
    """Text by name, and what was left out as `path:line code`."""
    found = list(read)
    notes = {each.name: each.text for each in found if isinstance(each, ImportedNote)}
    left = [f"{d.path}:{d.line} {d.code}" for d in found if isinstance(d, Diagnostic)]
    return notes, left


@golden("exchange.md")
def test_the_content_tells_the_form(name: str, form: str) -> None:
    with opened(SOURCES / name) as source:
        assert detect_form(source) == form


@golden("exchange.md")
def test_a_file_that_nothing_tells_of_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "export.json"
    file.write_text(content)
    with opened(file) as source, pytest.raises(UsageError):
        detect_form(source)


def as_section(read: NoteStream) -> str:
    """What was read, as a section of `golden/imports.md` shows it."""
    parts, left = [], []
    for each in read:
        if isinstance(each, ImportedNote):
            facts = {"day": each.day, **each.front_matter}
            told = "".join(f"{key}: {value}\n" for key, value in facts.items() if value)
            parts.append(f"### {each.name}\n\n{told}~~~~~ markdown\n{each.text}~~~~~\n")
        else:
            left.append(f"- {each.path}:{each.line} {each.code}\n")
    return "\n".join(parts) + "\nLeft out:\n\n" + ("".join(left) or "nothing\n")


@pytest.mark.parametrize("name", READERS)
def test_what_becomes_of_a_source(name: str) -> None:
    with opened(SOURCES / name) as source:
        read = as_section(READERS[name](source))
    _, found, below = (GOLDEN / "imports.md").read_text("utf-8").partition(f"\n## {name}\n\n")
    assert found and below[: len(read)] == read
    assert below[len(read) :][:4] in ("", "\n## "), "the page says more than was read"


def test_a_json_array_of_texts(tmp_path: Path) -> None:
    (tmp_path / "memories.json").write_text(
        '[{"memory": "Likes tea.", "entities": ["Ana"]},\n {"memory": "Likes jam."}, oops'
    )
    with opened(tmp_path / "memories.json") as source:
        assert detect_form(source) == "jsonl"
        notes, left = parted(read_jsonl(source))
    assert notes == {"undated": "# undated\n\n## Retain\n- W @Ana: Likes tea.\n- W: Likes jam.\n"}
    assert left == ["memories.json:2 invalid-json"]


# -- names of files, links of a vault, dates in names: the small rules, case by case -------------


@golden("exchange.md")
def test_a_name_that_every_system_takes(name: str, safe: str) -> None:
    assert safe_path(name) == safe


@given(st.text(max_size=400))
def test_any_name_leads_into_the_memory_and_stays_itself(name: str) -> None:
    safe = safe_path(name)
    resolve_memory_path(FIXTURES, f"memory/imported/{safe}.md", Config())
    assert safe_path(safe) == safe


def test_a_taken_path_gives_way_the_same_way_each_time() -> None:
    taken = {"a/ana.md"}
    free = free_path("a/ANA.md", "key", taken)
    assert free == free_path("a/ANA.md", "key", taken) != "a/ANA.md"
    assert free_path("a/ANA.md", "other", taken | {free.casefold()}) not in {"a/ANA.md", free}


@golden("exchange.md")
def test_a_link_names_its_entity(text: str, rewritten: str) -> None:
    rules = link_rules(VaultSettings(daily_format="MMMM Do, YYYY"))
    assert rewrite_links(text, rules) == rewritten


@golden("exchange.md")
def test_a_daily_note_of_obsidian(form: str, name: str, day: date | None) -> None:
    assert moment_day(name, form) == day


@golden("exchange.md")
def test_a_journal_of_logseq(form: str, name: str, day: date | None) -> None:
    assert joda_day(name, form) == day


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1705320000.5, "2024-01-15T12:00:00.500000+00:00"),
        (1705320000500, "2024-01-15T12:00:00.500000+00:00"),
        ("2024-01-15T12:00:00Z", "2024-01-15T12:00:00+00:00"),
        ("2024-01-15T14:00:00+02:00", "2024-01-15T12:00:00+00:00"),
        ("2024-01-15", "2024-01-15T00:00:00"),
        *((odd, None) for odd in (None, True, "", "soon", -1, float("nan"), 1e300, [], {})),
    ],
)
def test_a_moment(value: object, expected: str | None) -> None:
    from datetime import UTC

    found = parse_moment(value, UTC)
    assert (found.isoformat() if found else None) == expected
