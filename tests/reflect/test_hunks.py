"""Hunks: a patch that can be taken in part, with checksums that stay true."""

from datetime import date
from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from lorebank import Bank
from lorebank.domain.reports import Hunk
from lorebank.markdown.blocks import find_blocks, render_block
from lorebank.markdown.opinion_page import OPINIONS_PATH, overview_of, parse_opinion_page
from lorebank.nightly.hunks import (
    changes_of,
    hunks_of,
    parse_rejections,
    with_newer,
    with_rejections,
    without_hunks,
)
from lorebank.pages.edits import PageEdit, plan_page_edit
from support import WORDS_ONLY

PATH = "bank/entities/Peter.md"
LINES = st.lists(st.sampled_from([f"- {c}." for c in "abcdefgh"] + [""]), max_size=8).map("\n".join)


def page(summary: str, timeline: str) -> str:
    blocks = render_block("summary", summary), render_block("timeline", timeline)
    return "# Peter\n\nmine\n\n" + "\n\nbetween\n\n".join(blocks) + "\nend\n"


def test_each_change_is_a_hunk_with_the_lines_around_it() -> None:
    old = page("- one.\n- two.\n- three.", "- x.")
    new = page("- one.\n- deux.\n- three.", "- x.\n- y.")
    first, second = hunks_of(PageEdit(PATH, old, new))
    assert first.diff == " (summary)\n - one.\n-- two.\n+- deux.\n - three."
    assert second.diff == " (timeline)\n - x.\n+- y."


def test_a_rejected_hunk_leaves_its_lines_and_no_more() -> None:
    old = page("- one.\n- two.", "- x.")
    edit = PageEdit(PATH, old, page("- one.\n- deux.", "- x.\n- y."))
    first, second = hunks_of(edit)
    assert without_hunks(edit, {first.id}.__contains__) == (
        PageEdit(PATH, old, page("- one.\n- two.", "- x.\n- y.")),
        1,
    )
    assert without_hunks(edit, {first.id, second.id}.__contains__)[0].new == old


@given(LINES, LINES, LINES, LINES, st.randoms())
def test_any_part_of_a_patch_is_a_page_that_proposes_the_rest(
    summary: str, timeline: str, new_summary: str, new_timeline: str, chance: Random
) -> None:
    old, new = page(summary, timeline), page(new_summary, new_timeline)
    edit = PageEdit(PATH, old, new)
    hunks = hunks_of(edit)
    rejected = {hunk.id for hunk in hunks if chance.random() < 0.5}
    partly, _ = without_hunks(edit, rejected.__contains__)
    assert partly.new is not None
    blocks, problems = find_blocks(partly.new)
    assert (problems, [block.edited for block in blocks]) == ((), [False, False])
    rest = PageEdit(PATH, partly.new, new)
    if len({hunk.id for hunk in hunks}) == len(hunks):
        assert without_hunks(rest, lambda _: False)[0].new == new


def test_front_matter_follows_the_other_changes() -> None:
    old = "---\nfacts: 1\n---\n" + page("- one.", "")
    new = "---\nfacts: 2\n---\n" + page("- one.\n- two.", "")
    edit = PageEdit(PATH, old, new)
    (only,) = hunks_of(edit)
    assert "facts" not in only.diff
    assert without_hunks(edit, lambda _: True)[0].new == old
    assert without_hunks(edit, lambda _: False)[0].new == new


def test_an_edit_that_moves_a_hand_written_line_is_taken_whole() -> None:
    hand = page("- one.", "- x.").replace("- one.", "- one.\n- mine.")
    edit = plan_page_edit(PATH, hand, {"summary": "- deux.", "timeline": "- y."})
    assert len(hunks_of(edit)) == 1


def opinions(*entries: tuple[str, str]) -> str:
    rows = [f"- {text} · **0.60** ([a](b)) ^{oid}" for oid, text in entries]
    body = "\n".join(["### [[Peter]]", "", *rows])
    blocks = render_block("overview", overview_of(body)), render_block("opinions", body)
    return "# Opinions\n\n" + "\n\n".join(blocks) + "\n"


def test_an_opinion_is_one_hunk_and_a_rejected_one_is_not_taken_for_deleted() -> None:
    old = opinions(("o-1111", "Likes tea."), ("o-2222", "Likes rye."))
    new = opinions(("o-1111", "Likes green tea."), ("o-2222", "Likes rye."), ("o-3333", "Sings."))
    edit = PageEdit(OPINIONS_PATH, old, new)
    changed, added = hunks_of(edit)
    without_new, _ = without_hunks(edit, {added.id}.__contains__)
    without_change, _ = without_hunks(edit, {changed.id}.__contains__)
    assert [(e.id, e.statement, e.deleted) for e in parse_opinion_page(without_new.new or "")] == [
        ("o-1111", "Likes green tea.", False),
        ("o-2222", "Likes rye.", False),
    ]
    assert [(e.id, e.statement) for e in parse_opinion_page(without_change.new or "")] == [
        ("o-1111", "Likes tea."),
        ("o-2222", "Likes rye."),
        ("o-3333", "Sings."),
    ]


def test_no_part_of_a_patch_puts_an_opinion_below_another_holder() -> None:
    def held(**holders: str) -> str:
        body = "\n\n".join(
            f"### [[{holder}]]\n\n"
            + "\n".join(f"- {id_}. · **0.50** (x) ^o-{id_}\n  - pin: 0.5" for id_ in ids.split())
            for holder, ids in holders.items()
        )
        blocks = render_block("overview", overview_of(body)), render_block("opinions", body)
        return "# Opinions\n\n" + "\n\n".join(blocks) + "\n"

    old = held(Ben="b111 b222", Cleo="c111 c222", Dag="d111")
    new = held(Ada="a111 a222", Cleo="c333 c222", Dag="d222 d111", Eve="e111")
    edit = PageEdit(OPINIONS_PATH, old, new)
    hunks = hunks_of(edit)
    assert len(hunks) == 5
    for chosen in range(2 ** len(hunks)):
        rejected = {hunk.id for place, hunk in enumerate(hunks) if chosen >> place & 1}
        left = without_hunks(edit, rejected.__contains__)[0].new or ""
        holder, below = "", []
        for line in left.splitlines():
            if line.startswith("### "):
                holder, below = line, [*below, line]
            elif "^o-" in line:
                below.append(holder)
                assert holder[6] == line[2].upper(), left
        assert len(set(below)) == left.count("### "), left  # no heading twice
        assert all(below.count(each) > 1 for each in below), left  # none without an opinion
        assert left.count("pin:") == left.count("^o-"), left


def test_rejections_are_lines_that_can_be_taken_out() -> None:
    edit = PageEdit(PATH, page("- one.", ""), page("- one.\n- Lives in Lisbon. ([a](b))", ""))
    hunks = hunks_of(edit)
    text = with_rejections("", hunks, date(2025, 12, 10))
    assert text.endswith(f"- `{hunks[0].id}` {PATH} (2025-12-10): Lives in Lisbon.\n")
    assert parse_rejections(text) == {hunks[0].id}
    assert with_rejections(text, hunks, date(2025, 12, 11)) == text


def test_facts_of_one_night_are_decided_one_by_one_though_the_morning_page_tells_of_both() -> None:
    def line(path: str, *days: int) -> Hunk:
        lines = [f"+- Said on {day}. ([memory/1.md#L{day}](1.md#L{day}))" for day in days]
        return Hunk(f"h-{path}-{days}", path, "\n".join(lines or ["-2 more opinions"]))

    ana, bo, today = "bank/entities/Ana.md", "bank/entities/Bo.md", "bank/today.md"
    hunks = [line(ana, 1), line(ana), line(bo, 2), line(today, 1, 2), line("bank/world.md", 2)]
    assert [(c.text, [h.path for h in c.hunks]) for c in changes_of(hunks)] == [
        ("Said on 1. (memory/1.md#L1)", [ana, ana]),
        ("Said on 2. (memory/1.md#L2)", [bo, "bank/world.md"]),
        ("page bank/today.md, 2 lines", [today]),
    ]


def test_a_line_and_what_takes_its_place_are_one_decision() -> None:
    def hunk(path: str, diff: str) -> Hunk:
        return Hunk(f"h-{diff}", path, diff)

    ana, index = "bank/entities/Ana.md", "bank/index.md"
    found = with_newer(
        [
            hunk(ana, "+- Likes gas. ([memory/2.md#L3](2.md#L3))"),
            hunk(index, "+- [[Ana]] · our cook"),
            hunk(ana, "-- Likes induction. ([memory/1.md#L3](1.md#L3))"),
            hunk(ana, "+- Swims. ([memory/2.md#L4](2.md#L4))"),
        ],
        {"memory/1.md#L3": "memory/2.md#L3"},
    )
    changes = [(c.text, len(c.hunks)) for c in changes_of(found)]
    assert changes == [
        ("Likes gas. (memory/2.md#L3)", 2),
        ("Swims. (memory/2.md#L4)", 2),
    ]


def test_a_diff_is_shown_without_the_marks_of_blocks() -> None:
    diff = "-<!-- lorebank:begin p-1 sha= -->\n-- one.\n+- two."
    assert Hunk("h-1", PATH, diff).shown == "-- one.\n+- two."


def test_two_halves_of_a_change_of_mind_are_one_decision(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    said = {2: "Coffee is better than tea.", 9: "Tea is better than coffee."}
    with Bank.open(tmp_path, environ=WORDS_ONLY) as bank:
        for day, text in said.items():
            log = f"## Retain\n- O @Runa: {text}\n- W @Runa: Is well.\n"
            (tmp_path / f"memory/2026-02-{day:02}.md").write_text(log, "utf-8")
            report = bank.reflect(now=date(2026, 2, day), dry_run=day == 9)
    told = [c for c in changes_of(report.hunks) if "Coffee" in "".join(h.diff for h in c.hunks)]
    assert len(told) == 1
