"""An opinion that was given up for another: linked both ways, on the pages and in JSON."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lorebank import Bank
from support import WORDS_ONLY, golden

SWITCHES = {
    "en": ("Prefers tea.", "No longer prefers tea.", "Likes coffee."),
    "es": ("Prefiere el vino.", "Ya no prefiere el vino.", "Le gusta el café."),
    "de": ("Mag Tee.", "Mag keinen Tee mehr.", "Mag Kaffee."),
    "fr": ("Aime le thé.", "N'aime plus le thé.", "Aime le café."),
    "pt": ("Adora chá.", "Já não adora chá.", "Adora café."),
    "zh": ("喜欢喝茶。", "讨厌喝茶。", "喜欢喝咖啡。"),
}


@pytest.mark.parametrize("language", SWITCHES)
def test_the_old_opinion_falls_and_leads_to_the_new_one(
    language: str, write_log: Callable[..., Path]
) -> None:
    before, switch, after = SWITCHES[language]
    write_log("2025-03-01", f"- O(c=0.8) @Peter: {before}")
    root = write_log("2025-06-01", f"- O(c=0.8) @Peter: {switch}", f"- O(c=0.8) @Peter: {after}")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.reflect()
        by_statement = {opinion.statement: opinion for opinion in bank.opinions()}
        old = by_statement[before]
        assert (old.status.value, old.confidence < 0.8) == ("superseded", True)
        [new] = [o for o in by_statement.values() if o.id == old.superseded_by]
        assert (new.status.value, new.supersedes) == ("live", (old.id,))
        assert [day.isoformat() for day, _ in old.history] == ["2025-03-01", "2025-06-01"]
        since = "2025-06-01"
        assert (old.to_dict()["superseded_by"], str(old.superseded_since)) == (new.id, since)
        hits = bank.recall(before, include_superseded=True).hits
        [told] = [hit.standing for hit in hits if hit.content == before]
        assert told == f"superseded since {since}"
        assert new.to_dict()["supersedes"] == [old.id]
        said = {fact.content: fact for fact in bank.timeline("Peter")}
        assert (said[before].superseded_by, said[after].superseded_by) == (new.id, None)
        assert bank.entity("Peter").superseded == {said[before].id: new.id}
        assert bank.explain(said[before].id).to_dict()["fact"]["status"] == "superseded"
    page = (root / "bank" / "opinions.md").read_text("utf-8")
    [line] = [each for each in page.splitlines() if each.endswith(f"^{new.id}")]
    assert f" · until 2025-06-01: {before}" in line
    assert page.count(before) == 1
    history = (root / "bank" / "entities" / "Peter.md").read_text("utf-8")
    assert f" · until 2025-06-01: {before} ([memory/2025-03-01.md#L" in history


def test_the_line_of_an_opinion_names_all_that_it_took_the_place_of(
    write_log: Callable[..., Path],
) -> None:
    for day, said in (
        ("2025-03-01", "Prefers tea to coffee."),
        ("2025-03-03", "Prefers coffee to tea."),
        ("2025-03-05", "Prefers milk to coffee."),
    ):
        root = write_log(day, f"- O(c=0.8) {said}", f"- O(c=0.8) @Peter: {said}")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.reflect()
    page = (root / "bank" / "opinions.md").read_text("utf-8")
    told = [line for line in page.splitlines() if "**" in line]
    assert len(told) == 2
    before = (
        " · until 2025-03-05: Prefers coffee to tea. · until 2025-03-03: Prefers tea to coffee."
    )
    assert all(f"{before} (" in line for line in told)


@golden("beliefs.md")
def test_of_views_taken_in_turn_the_last_one_stands(
    write_log: Callable[..., Path], views: tuple[str, ...]
) -> None:
    for month, view in enumerate(views, 1):
        root = write_log(f"2025-0{month}-01", f"- O(c=0.8) @Peter: {view}")
        with Bank.open(root, environ=WORDS_ONLY) as bank:
            [standing] = [o for o in bank.opinions() if o.status.value == "live"]
        said = [e.content for e in standing.evidence if e.reason in ("stated", "restated")]
        assert said[-1] == view
