"""What becomes of notes and conversations of other programs, on small sources of each."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.domain.facts import Diagnostic
from lorebank.errors import UsageError
from lorebank.exchange.conversations import moment_of, read_chatgpt, read_claude
from lorebank.exchange.date_formats import joda_day, moment_day
from lorebank.exchange.importing import form_of
from lorebank.exchange.notes import ImportedNote, Read, free_path, safe_path
from lorebank.exchange.prose import LinkRules, rewrite_links
from lorebank.exchange.read_jsonl import read_jsonl
from lorebank.exchange.read_logseq import read_logseq
from lorebank.exchange.source import Source, open_source
from lorebank.exchange.vaults import VaultSettings, read_basic_memory, read_obsidian
from lorebank.settings.tables import Config
from lorebank.workspace.paths import resolve_memory_path
from support import FIXTURES, golden

SOURCES = FIXTURES / "exchange"


@contextmanager
def opened(path: Path) -> Iterator[Source]:
    source = open_source(path)
    try:
        yield source
    finally:
        source.close()


def parted(read: Read) -> tuple[dict[str, str], list[str]]:
    """Text by name, and what was left out as `path:line code`."""
    found = list(read)
    notes = {each.name: each.text for each in found if isinstance(each, ImportedNote)}
    left = [f"{d.path}:{d.line} {d.code}" for d in found if isinstance(d, Diagnostic)]
    return notes, left


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("Vault", "obsidian"),
        ("graph", "logseq"),
        ("chatgpt", "chatgpt"),
        ("chatgpt/conversations.json", "chatgpt"),
        ("claude", "claude"),
        ("basic-memory", "basic-memory"),
        ("facts.jsonl", "jsonl"),
    ],
)
def test_the_content_tells_the_form(name: str, form: str) -> None:
    with opened(SOURCES / name) as source:
        assert form_of(source) == form


@pytest.mark.parametrize("content", ["[]", "{}", "", "[1, 2]", '{"a": ', "plain words"])
def test_a_file_that_nothing_tells_of_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "export.json"
    file.write_text(content)
    with opened(file) as source, pytest.raises(UsageError):
        form_of(source)


def test_an_obsidian_vault() -> None:
    with opened(SOURCES / "Vault") as source:
        notes, left = parted(read_obsidian(source))
    assert notes == {
        "Harbour office": (
            "# Harbour office\n\n```yaml\n: this is [no YAML\n```\n# Harbour office\n\n"
            "The plan is in (attachment: the manual, manual.pdf), the people in"
            " [[Ana Ruiz|Ana]].\n"
        ),
        "Journal/2024-01-15": (
            "## Morning\n"
            "Met [[Ana Ruiz|Ana]] at the [[Harbour office|Harbour office > Second floor]].\n"
            "> **The bridge**\n"
            "> Closed until Friday, see (attachment: bridge.png).\n\n"
            "```\n[[not a link]] %% not a comment %%\n```\n\n"
            "## Retain\n"
            "- O(c=0.8) @[[Ana Ruiz]]: Prefers the early ferry.\n"
        ),
        "People/Ana Ruiz": (
            "---\naliases: [Ana, Annie]\ntags: [people]\norigin: Porto\n---\n"
            "# Ana Ruiz\n\n"
            "Lives in Porto. First met on [[2024-01-15|Monday, January 15th 2024]].\n"
            "Her router: password = ················\n"
        ),
    }
    assert left == [
        "Harbour office.md:1 front-matter-unread",
        "People/Ana Ruiz.md:7 secret-redacted",
        "People/Ana Ruiz.md:8 private",
        "Templates/Day.md:0 template",
        "files/bridge.png:0 attachment",
        "files/manual.pdf:0 attachment",
        ".obsidian:0 hidden",
    ]


def test_a_logseq_graph() -> None:
    with opened(SOURCES / "graph") as source:
        found = list(read_logseq(source))
        notes, left = parted(iter(found))
    assert notes == {
        "journals/2024-03-05": (
            "# 2024-03-05\n\n"
            "- Call with [[Ravi]] about [[Projects/Tidewatch]]\n"
            "  - [ ] Send the chart to [[Ravi]]\n"
            "    (scheduled: 2024-03-07)\n"
            "  - [x] Order [[tide gauges]] (attachment: sketch, sketch.png)\n"
        ),
        "pages/Projects/Tidewatch": (
            "# Projects/Tidewatch\n\n"
            "- Began on [[2024-03-05|Mar 5th, 2024]], see Call with [[Ravi]] about"
            " [[Projects/Tidewatch]]\n"
            "- And (…)\n"
            "- [[Ravi]]\n"
            '- ```python\n  x = "((not a block))"\n  ```\n'
        ),
    }
    assert [(n.day, dict(n.front_matter)) for n in found if isinstance(n, ImportedNote)] == [
        (date(2024, 3, 5), {}),
        (None, {"aliases": ["Tidewatch", "TW"], "status": "running"}),
    ]
    assert left == [
        "assets/sketch.png:0 attachment",
        "journals/2024_03_05.md:9 macro",
        "logseq/config.edn:0 hidden",
        "pages/Projects___Tidewatch.md:6 block-missing",
    ]


def test_a_basic_memory_folder() -> None:
    with opened(SOURCES / "basic-memory") as source:
        notes, left = parted(read_basic_memory(source))
    assert notes == {
        "coffee/coffee-brewing": (
            "---\ntitle: Coffee Brewing\ntype: note\npermalink: coffee/coffee-brewing\n"
            "tags: [coffee]\n---\n"
            "# Coffee Brewing\n\nNotes from the harbour kitchen.\n\n"
            "- [ ] buy filters\n- [the shop](https://example.org/shop)\n\n"
            "## Retain\n"
            "- W @[[Coffee Brewing]]: Pour over gives more clarity than the press"
            " #brewing #method\n"
            "- O @[[Coffee Brewing]]: Likes Ethiopian beans with lighter roasts"
            " (from many mornings) #preference\n"
            "- W @[[Coffee Brewing]]: depends on @Grinding\n"
            "- W @[[Coffee Brewing]]: relates to @[[Coffee Bean Origins]] (for the beans)\n"
        )
    }
    assert left == []


def test_a_chatgpt_export() -> None:
    with opened(SOURCES / "chatgpt") as source:
        notes, left = parted(read_chatgpt(source, UTC))
    assert notes == {
        "2024/2024-01-15-sourdough-starter-day-1": (
            "# Sourdough starter: day 1?\n\n"
            "**User:** My kitchen is 18 degrees.\n\n"
            "**Retain**\n- W @Mallory: Owns everything.\n\n"
            "**Assistant:** Feed it every 24 hours. Ask Ana Ruiz.\n\n"
            "```python\nprint('fed')\n```\n\n"
            "## 2024-01-16\n\n"
            "**User:** Here it is.\n\n"
            f"**Assistant:** Looks ripe. Your key {'·' * 50} is safe.\n"
        ),
        "2024/2024-01-17-untitled-conversation": (
            "# Untitled conversation\n\n**User:** 次の潮はいつ？ 🌊\n"
        ),
    }
    first = "conversations.json “Sourdough starter: day 1?”:1"
    assert left == [
        "user.json:0 not-a-conversation",
        *(f"{first} {code}" for code in ("tool", "attachment", "branch", "secret-redacted")),
        "conversations.json “New chat”:1 empty",
    ]


def test_a_claude_export() -> None:
    with opened(SOURCES / "claude") as source:
        notes, left = parted(read_claude(source, UTC))
    assert notes == {
        "2024/2024-02-01-tide-tables": (
            "# Tide tables\n\n"
            "**User:** When is high tide in Porto?\n\n"
            "**Assistant:** At 3:40 in the afternoon.\n\n"
            "**User:** Thank you.\n"
        ),
        "2024/2024-02-02-untitled-conversation": (
            "# Untitled conversation\n\n**User:** An older export has only this.\n"
        ),
    }
    first = "conversations.json “Tide tables”:2"
    assert left == [f"{first} {code}" for code in ("tool", "attachment", "branch")]


def test_jsonl() -> None:
    with opened(SOURCES / "facts.jsonl") as source:
        notes, left = parted(read_jsonl(source))
    assert notes == {
        "2024-05-02": (
            "# 2024-05-02\n\n## Retain\n"
            "- O(c=0.9) @Peter: Prefers tea in the afternoon.\n"
            "- O(c=0.7) @Ravi: Likes long walks.\n"
        ),
        "2024-05-03": "# 2024-05-03\n\n## Retain\n- W @Ferry: The ferry leaves at 7:40.\n",
        "undated": (
            "# undated\n\n## Retain\n- W @[[Ana Ruiz]]: Speaks Portuguese.\n- W: Sure of it.\n"
        ),
    }
    assert left == [
        "facts.jsonl:5 line-unread",
        "facts.jsonl:6 confidence-out-of-range",
        "facts.jsonl:6 date-invalid",
        "facts.jsonl:7 no-text",
    ]


def test_a_json_array_of_texts(tmp_path: Path) -> None:
    (tmp_path / "memories.json").write_text(
        '[{"memory": "Likes tea.", "entities": ["Ana"]},\n {"memory": "Likes jam."}, oops'
    )
    with opened(tmp_path / "memories.json") as source:
        assert form_of(source) == "jsonl"
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
    rules = LinkRules(day_of=VaultSettings(daily_format="MMMM Do, YYYY").day_of)
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

    found = moment_of(value, UTC)
    assert (found.isoformat() if found else None) == expected
