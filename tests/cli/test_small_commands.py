"""`lorebank demo`: one story, short enough to read at once."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, create_model

from lorebank import Bank
from support import WORDS_ONLY, rows

Run = Callable[..., Any]


def test_the_demo_tells_how_a_belief_turned_on_one_screen(tmp_path: Path, lorebank: Run) -> None:
    done = lorebank("demo", str(tmp_path / "notes"), cwd=tmp_path)
    assert done.code == 0, done.err
    told = done.out
    assert len(told.splitlines()) < 60
    assert "diff --git" not in told
    turned = told.index("2025-12-05 0.40")
    assert told.index("2025-11-21 0.60") < turned
    before, now = told.index("--as-of 2025-12-01"), told.index('recall "WhatsApp for groups"')
    assert "Thinks Telegram is the better channel" in told[before:now]
    assert "No longer dislikes WhatsApp for groups" in told[now:]
    assert "$ lorebank today" in told[now:]


def test_a_simulated_day_decides_what_is_to_come_and_waits(tmp_path: Path, lorebank: Run) -> None:
    (tmp_path / "memory").mkdir()
    log = "# Log\n\n- [ ] Pay the yard by 2026-03-09\n"
    (tmp_path / "memory/2026-03-02.md").write_text(log, "utf-8")
    for day, overdue in (("2026-03-04", False), ("2026-03-12", True)):
        listed = lorebank("agenda", "--date", day, "--json", cwd=tmp_path)
        [item] = json.loads(listed.out)["items"]
        assert item["overdue"] is overdue
        page = lorebank("today", "--date", day, cwd=tmp_path).out
        assert ("overdue" in page.lower()) is overdue
    assert lorebank("inbox", "--date", "2026-03-04", cwd=tmp_path).code == 0
    refused = lorebank("agenda", "--date", "someday", cwd=tmp_path)
    assert refused.code == 2 and "--date" in refused.err


def test_what_may_be_over_is_listed_apart(tmp_path: Path, lorebank: Run) -> None:
    (tmp_path / "memory").mkdir()
    log = "- [ ] sand the galley table by 6 March\n- [ ] buy rope by 6 March\n"
    (tmp_path / "memory/2026-03-02.md").write_text(log, "utf-8")
    (tmp_path / "memory/2026-03-05.md").write_text("Sanded the galley table at last.\n", "utf-8")
    for command in ("agenda", "today"):
        told = lorebank(command, "--date", "2026-03-09", cwd=tmp_path).out
        certain, _, doubtful = told.partition("Perhaps over")
        assert "rope" in certain and "sand " not in certain
        assert "sand the galley" in doubtful and "memory/2026-03-05.md#L1" in doubtful
    found = lorebank("agenda", "--date", "2026-03-09", "--json", cwd=tmp_path).out
    assert [item["text"] for item in json.loads(found)["doubtful"]] == [
        "sand the galley table by 6 March"
    ]


def test_what_a_log_left_undone_for_days_comes_last_and_what_a_list_holds_does_not(
    tmp_path: Path, lorebank: Run
) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-03-02.md").write_text("- [ ] buy rope by 6 March\n", "utf-8")
    (tmp_path / "memory/todo.md").write_text("- [ ] renew the permit by 2026-03-06\n", "utf-8")
    for day, left in (("2026-03-09", []), ("2026-03-10", ["buy rope by 6 March"])):
        found = json.loads(lorebank("agenda", "--date", day, "--json", cwd=tmp_path).out)
        assert [item["text"] for item in found["doubtful"]] == left
        assert all(item["overdue"] for item in (*found["items"], *found["doubtful"]))
        assert len(found["items"]) + len(left) == 2


def test_the_table_and_the_object_tell_the_same(
    copy_fixture: Callable[[str], Path], lorebank: Callable[..., Any]
) -> None:
    folder = copy_fixture("harbour")
    table = lorebank("bench", "--n", "8", "--seed", "4", cwd=folder)
    told = json.loads(lorebank("bench", "--n", "8", "--seed", "4", "--json", cwd=folder).out)
    assert table.code == 0
    assert table.out.startswith("asked for 8 facts of this workspace (seed 4)\n")
    fields = "schema_version seed facts passages lines rows p50_ms p95_ms retrievers_used"
    assert set(told) == set(fields.split())
    for row in told["rows"]:
        assert f"{row['questions']:>6}{row['recall_at_1']:>8.2f}" in table.out
        assert 0 <= row["recall_at_1"] <= row["recall_at_5"] <= row["recall_at_10"] <= 1
        assert row["recall_at_1"] <= row["mrr"] <= row["recall_at_10"]


def test_a_workspace_without_sentences_says_so(
    tmp_path: Path, lorebank: Callable[..., Any]
) -> None:
    (tmp_path / "memory").mkdir()
    outcome = lorebank("bench", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (0, "no sentence here is long enough to ask about\n")


def entity_answer() -> type[BaseModel]:
    """The last part of the table: exactly these fields, of exactly these types."""
    exact, parts = ConfigDict(extra="forbid", strict=True), dict[str, Any]()
    for row in rows("commands.md", "what an entity answer holds"):
        named = (field.split(": ") for field in row["fields"].split("; "))
        fields: Any = {name: (eval(kind, parts), ...) for name, kind in named}
        made = parts[row["part"]] = create_model(row["part"], __config__=exact, **fields)
    return made


@pytest.mark.parametrize("workspace", ["harbour", "year", "messy"])
def test_every_answer_has_these_fields_and_no_others(
    workspace: str, copy_fixture: Callable[[str], Path]
) -> None:
    exact: Any = entity_answer()
    with Bank.open(copy_fixture(workspace), environ=WORDS_ONLY) as bank:
        for entity in bank.entities():
            for budget in (None, 80):
                view = bank.entity(entity.slug, token_budget=budget)
                answer = exact.model_validate(json.loads(json.dumps(view.to_dict())))
                assert answer.entity.slug == entity.slug
                assert budget is None or answer.tokens <= budget or not answer.facts


def test_a_line_of_a_hundred_kilobytes_is_cut_where_it_is_shown(
    lorebank: Run, workspace: Path
) -> None:
    line = f"- W @Zoe: Keeps an axolotl, {'and so on ' * 10_000}in a tank."
    (workspace / "memory" / "2025-11-20.md").write_text(f"## Retain\n{line}\n", encoding="utf-8")
    for command in (("recall", "axolotl"), ("timeline", "Zoe"), ("entity", "Zoe")):
        shown = lorebank(*command, cwd=workspace).out
        assert "axolotl" in shown
        assert len(shown) < 8_000
        assert "(cut: 100,0" in shown
    assert line[10:] in lorebank("recall", "axolotl", "--json", cwd=workspace).out


def test_status_before_any_sync_says_what_lies_there(lorebank: Run, tmp_path: Path) -> None:
    (tmp_path / "2025-11-20.md").write_text("Met Ana.\n", encoding="utf-8")
    shown = lorebank("status", cwd=tmp_path).out
    assert "1 file found, none indexed yet (2025-11-20.md)" in shown
    assert "holds      nothing yet" in shown
