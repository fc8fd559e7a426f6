"""A bank that somebody keeps by hand gains what is news, and never an echo of itself."""

import re
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.domain.reports import ReflectReport
from lorebank.markdown.blocks import find_blocks
from support import WORDS_ONLY

TODAY = date(2026, 2, 16)
OPINIONS = "bank/opinions.md"
Copy = Callable[[str], Path]


@pytest.fixture
def root(copy_fixture: Copy) -> Path:
    return copy_fixture("boatyard")


def reflect(root: Path) -> ReflectReport:
    with Bank.open(root, environ=WORDS_ONLY, now=TODAY) as bank:
        return bank.reflect()


def pages(root: Path) -> dict[str, str]:
    return {p.relative_to(root).as_posix(): p.read_text("utf-8") for p in root.rglob("*.md")}


def below(text: str, line: str) -> list[str]:
    """The lines below one, up to the next blank one, without markers of blocks."""
    _, _, rest = text.partition(line + "\n")
    return [each for each in rest.partition("\n\n")[0].split("\n") if "<!--" not in each]


def without_blocks(text: str, path: str) -> str:
    """The owner's own lines, without the front matter and the blank lines around blocks."""
    for block in reversed(find_blocks(text, path)[0]):
        text = text[: block.start] + text[block.end :]
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    return re.sub(r"\n{2,}", "\n\n", text).strip()


def test_every_line_of_the_owner_stays_and_a_second_run_finds_nothing(root: Path) -> None:
    before = pages(root)
    reflect(root)
    after = pages(root)
    for path, text in before.items():
        own = [line for line in text.split("\n") if line.strip()]
        left = [line for line in without_blocks(after[path], path).split("\n") if line.strip()]
        assert left == own, path
    assert reflect(root).changed == ()
    assert pages(root) == after


def test_no_generated_line_repeats_the_page_it_stands_on(root: Path) -> None:
    reflect(root)
    for path, text in pages(root).items():
        for block in find_blocks(text, path)[0]:
            assert f"[{path}#L" not in block.body, (path, block.name)


def test_news_stands_below_the_owners_line_in_the_owners_form(root: Path) -> None:
    reflect(root)
    text = pages(root)[OPINIONS]
    assert below(text, "- Last reinforced: 2026-02-04") == [
        "- Evidence: said again"
        " (2026-02-12, [memory/2026-02-12.md#L4](../memory/2026-02-12.md#L4))",
        "- Last reinforced: 2026-02-12 · **0.90**",
    ]
    assert below(text, "  - Last reinforced: 2026-02-09")[:1] == [
        "- Contradicted: Her engine should be replaced after all, the block is cracked."
        " (2026-02-15, [memory/2026-02-15.md#L5](../memory/2026-02-15.md#L5))"
    ]


def test_an_opinion_without_news_gets_nothing(root: Path) -> None:
    reflect(root)
    text = pages(root)[OPINIONS]
    assert text.count("Thinks the yard should take no work in August.") == 1
    assert text.count("Is fair.") == 1


def test_what_the_owner_noted_is_no_news_and_lets_the_opinion_stand(tmp_path: Path) -> None:
    bank = "# Opinions\n\n## 2026-02-02: Bakery\n\n- O(c=0.8) @Odd: Rye keeps longer than wheat.\n"
    bank += "  - Evidence: memory/2026-02-02.md\n  - Last reinforced: 2026-02-05\n"
    log = "## Retain\n- O @Odd: Rye keeps longer than wheat.\n"
    for path, text in {OPINIONS: bank, "memory/2026-02-05.md": log}.items():
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).write_text(text, "utf-8")
    reflect(tmp_path)
    assert (tmp_path / OPINIONS).read_text("utf-8") == bank
    page = (tmp_path / "bank/entities/Odd.md").read_text("utf-8")
    assert page.count("Rye keeps longer") == 1
    assert "more opinion" not in page
    assert "before a newer line" not in page


def test_headings_and_noted_evidence_give_the_days(root: Path) -> None:
    with Bank.open(root, environ=WORDS_ONLY, now=TODAY) as bank:
        held = {o.statement: o for o in bank.opinions()}
        moved = next(f for f in bank.timeline("Petra") if "Nord" in f.content)
    august = held["Thinks the yard should take no work in August."]
    engine = held["Her engine is better rebuilt than replaced."]
    messages = held["Prefers one long message a day over many short ones."]
    assert [line.date for line in august.evidence] == [date(2026, 2, 9)]
    assert engine.evidence[0].date == date(2026, 2, 9)
    assert [line.date.day for line in messages.evidence] == [2, 4, 12]
    assert moved.recorded == date(2026, 2, 7)


def test_noted_evidence_is_unknown_on_earlier_days(root: Path) -> None:
    with Bank.open(root, environ=WORDS_ONLY, now=TODAY) as bank:
        held = {o.statement: o for o in bank.opinions(as_of=date(2026, 2, 3))}
    messages = held["Prefers one long message a day over many short ones."]
    assert messages.last_updated == date(2026, 2, 2)


def test_a_scale_is_no_opinion(root: Path) -> None:
    with Bank.open(root, environ=WORDS_ONLY, now=TODAY) as bank:
        assert not [o.statement for o in bank.opinions() if not o.entities]


def test_the_first_journal_tells_news_and_nothing_that_was_lost(root: Path) -> None:
    report = reflect(root)
    journal = pages(root)[f"bank/reflections/{TODAY}.md"]
    assert "no new line" not in journal
    assert "0.60 → **0.30** · Skerry" in journal
    assert "Thinks the yard" not in journal
    assert report.journal is not None


def test_evidence_follows_a_line_that_its_owner_moves(root: Path) -> None:
    reflect(root)
    path = root / OPINIONS
    text = path.read_text("utf-8")
    line = "- O(c=0.8) @Petra: Wants the file before she comes.\n"
    assert line in text
    path.write_text(text.replace(line, "").replace("## Scale\n", f"{line}\n## Scale\n"), "utf-8")
    reflect(root)
    assert below(path.read_text("utf-8"), line.strip())[0].startswith("- Evidence: said again")
    assert path.read_text("utf-8").count("said again (2026-02-14") == 1


@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_line_endings_and_a_missing_last_one_are_kept(root: Path, ending: str) -> None:
    path = root / OPINIONS
    lines = path.read_text("utf-8").rstrip("\n").split("\n")
    path.write_bytes(ending.join(lines).encode())
    reflect(root)
    data = path.read_bytes()
    assert data.count(b"\n") == data.count(ending.encode())
    assert data.count(b"lorebank:begin o-") == data.count(b"lorebank:end o-") == 4
    assert reflect(root).changed == ()


def test_news_of_the_world_stands_below_the_owners_line_and_leaves_with_its_source(
    tmp_path: Path,
) -> None:
    world = "# World\n\n## 2026-01-10: Harbour\n\n- W @Skerry: The cutter is berthed at Dokken.\n"
    world += "  - Last reinforced: 2026-02-04\n- W @Ilse: Lives in Porto.\n\nMore.\n"
    older = "## Retain\n- W @Skerry: The cutter is berthed at Dokken.\n"
    newer = f"{older}- W @Ilse: Lives in Lisbon now.\n"
    page, log = tmp_path / "bank/world.md", tmp_path / "memory/2026-02-10.md"
    logs = {"memory/2026-01-12.md": older, "memory/2026-02-10.md": newer, "bank/world.md": world}
    for path, text in logs.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    reflect(tmp_path)
    text = page.read_text("utf-8")
    assert below(text, "  - Last reinforced: 2026-02-04")[:2] == [
        "- Evidence: The cutter is berthed at Dokken."
        " (2026-02-10, [memory/2026-02-10.md#L2](../memory/2026-02-10.md#L2))",
        "- Last reinforced: 2026-02-10",
    ]
    assert below(text, "- W @Ilse: Lives in Porto.")[:2] == [
        "- Contradicted: Lives in Lisbon now."
        " (2026-02-10, [memory/2026-02-10.md#L3](../memory/2026-02-10.md#L3))",
        "- Updated: 2026-02-10",
    ]
    reflect(tmp_path)
    assert page.read_text("utf-8") == text
    log.write_text(older, "utf-8")
    reflect(tmp_path)
    text = page.read_text("utf-8")
    assert ("Lisbon" in text, "- Last reinforced: 2026-02-10" in text) == (False, True)
