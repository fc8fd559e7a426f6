"""What the pages say is true on the newest day: nothing replaced, turned or misplaced is told."""

import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank, FactStatus
from lorebank.markdown.blocks import find_blocks
from lorebank.pages.entity_page import View, screen_lines
from lorebank.pages.facts import KnownFact
from lorebank.render.entities import entity_view_lines
from lorebank.render.for_models import MODEL
from support import WORDS_ONLY, golden

LOG = {
    "2026-01-05": [
        "- W @Mira: Is my sister; she lives in Lisbon.",
        "- O(c=0.8) @Jonas: Prefers tea in the morning.",
        "- W @Ferry: Is our booking service.",
    ],
    "2026-01-12": ["- W @Jonas: Switched from tea to coffee; he now drinks coffee every morning."],
    "2026-01-20": [
        "- O @Jonas: Prefers tea in the morning.",
        "- W @Mira: Moved from Lisbon to Porto.",
        "- W @Ling: Joined Ferry as an engineer.",
        "- O(c=0.7) @Ling: Ferry needs a better search.",
        "- B @Mira: I booked the train to Porto for 22 December 2026.",
    ],
    "2026-01-27": ["- O @Jonas: Prefers tea in the morning, always."],
}
THINGS = ("oars", "masts", "geese", "nets", "rope", "paint", "stamps", "bells", "maps", "hens")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    for day, lines in LOG.items():
        write(tmp_path, day, lines)
    reflect(tmp_path)
    return tmp_path


def write(root: Path, day: str, lines: list[str]) -> None:
    (root / "memory" / f"{day}.md").write_text("\n".join(["## Retain", *lines, ""]), "utf-8")


def reflect(root: Path, now: date | None = None) -> tuple[str, ...]:
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        return bank.reflect(now=now).changed


def block(root: Path, page: str, name: str) -> list[str]:
    """The lines of a block, without links."""
    blocks = {b.name: b.body for b in find_blocks((root / page).read_text("utf-8"))[0]}
    return [line.partition(" ([")[0] for line in blocks[name].split("\n") if line]


def pasts(root: Path, page: str) -> dict[str, str]:
    """What the lines of the summary say → what they say was before."""
    text = (root / page).read_text("utf-8").partition("begin timeline")[0]
    link = r" \(\[[^\n]*?\)\)"
    found = re.findall(rf"^- (.*?){link} · (.*?){link}$", text, re.MULTILINE)
    return dict(found)


def test_a_sentence_that_is_replaced_in_part_says_so_where_it_leads(root: Path) -> None:
    lines = [li for li in block(root, "bank/entities/Mira.md", "summary") if "Lisbon" in li]
    assert all("Moved" in line or "in part superseded by" in line for line in lines)
    assert len(lines) == 2


def test_of_a_list_one_thing_may_end_and_the_others_stand(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    listed = "- W @Barney: Volunteer on Mondays, has the pickup, brings leaf mould."
    write(tmp_path, "2026-01-02", [listed])
    write(tmp_path, "2026-02-02", ["- W @Barney: The pickup went to a farmer."])
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=date(2026, 2, 3)) as bank:
        bank.sync()
        [item] = bank.inbox().items
        effect = "of the older 'has the pickup' holds no longer; the rest stands"
        assert item.effect["replaces"] == effect
        bank.rule({item.id: "replaces"}, by="Ana")
        assert [hit.status for hit in bank.recall("leaf mould").hits] == [FactStatus.LIVE]
    reflect(tmp_path)
    page = block(tmp_path, "bank/entities/Barney.md", "summary")
    assert any("leaf mould" in line and "in part superseded by" in line for line in page)


def test_what_was_said_before_is_no_news(root: Path) -> None:
    write(root, "2026-01-28", ["- W @Ferry: Is our booking service.", "- W @Ferry: Was sold."])
    reflect(root)
    assert [li for li in block(root, "bank/today.md", "today") if "Ferry" in li] == [
        "- Ferry: Was sold."
    ]


def test_news_of_a_day_that_is_not_due_soon_stands_in_the_morning(root: Path) -> None:
    write(root, "2026-01-28", ["- W @Mira: Took the post in Braga; begins on 1 June 2026."])
    reflect(root)
    assert "Took the post in Braga" in "".join(block(root, "bank/today.md", "today"))


def test_an_appointment_that_may_be_moved_is_due_on_its_day(root: Path) -> None:
    write(root, "2026-01-28", ["- W @Mira: Yoga with Jonas on 30 January."])
    write(root, "2026-01-29", ["- W @Mira: Yoga with Jonas on 2 February."])
    reflect(root, date(2026, 1, 30))
    lines = block(root, "bank/today.md", "today")
    due = lines[lines.index("**Due and coming up**") :]
    assert due[1] == "- 2026-01-30 · Mira: Yoga with Jonas on 30 January."
    text = (root / "bank/today.md").read_text("utf-8")
    assert "moved? [memory/2026-01-29.md#L2]" in text


def test_an_appointment_that_was_moved_does_not_lead_on_its_old_day(root: Path) -> None:
    write(root, "2026-01-27", ["- W @Mira: The talk is on 12 February 2026.", "- W @Mira: Sings."])
    write(root, "2026-01-28", ["- W @Mira: The talk was moved from 12 to 17 February 2026."])
    with Bank.open(root, environ=WORDS_ONLY, now=date(2026, 1, 30)) as bank:
        bank.reflect()
    summary = block(root, "bank/entities/Mira.md", "summary")
    assert not any("The talk is on" in line for line in summary)
    assert any(line.startswith("- 2026-02-17 · The talk") for line in summary)


def test_prices_that_differ_are_told_apart(root: Path) -> None:
    write(root, "2026-01-27", ["- W @Mira: Larch costs 74 euros per metre.", "- W @Mira: Sings."])
    write(root, "2026-01-28", ["- W @Mira: Larch now costs 79 euros per metre."])
    write(root, "2026-01-29", ["- W @Mira: Oak costs 95 euros per metre."])
    with Bank.open(root, environ=WORDS_ONLY, now=date(2026, 1, 30)) as bank:
        bank.reflect()
    assert "times since" not in (root / "bank/entities/Mira.md").read_text("utf-8")
    larch = pasts(root, "bank/entities/Mira.md")["Larch now costs 79 euros per metre."]
    assert larch.endswith("Larch costs 74 euros per metre.")
    leading = block(root, "bank/entities/Mira.md", "summary")
    assert "- Oak costs 95 euros per metre." in leading
    assert "- Larch now costs 79 euros per metre." in leading
    assert not any("74" in line for line in leading)


def test_what_happens_again_and_again_is_one_line(root: Path) -> None:
    said = "The nightly copy to the second disk finished without errors"
    for day, size in (("01", "3.1"), ("02", "3.3"), ("04", "3.4"), ("05", "3.6")):
        write(root, f"2026-02-{day}", [f"- W @Ferry: {said}, {size} GB.", f"- W: {said}, {size}."])
    write(root, "2026-02-03", ["- W @Ferry: The nightly copy to the second disk failed."])
    reflect(root)
    page = "bank/entities/Ferry.md"
    told = [li for li in block(root, page, "summary") if "nightly" in li]
    assert told == [f"- {said}, 3.6 GB. · on 4 days since 2026-02-01"]
    assert pasts(root, page) == {
        told[0][
            2:
        ]: "before, on 2026-02-03, not judged: The nightly copy to the second disk failed."
    }
    world = [li for li in block(root, "bank/world.md", "world") if "nightly" in li]
    assert world == [f"- {said}, 3.6. · on 4 days since 2026-02-01"]


def test_a_line_written_twice_on_a_day_is_told_once(root: Path) -> None:
    line = "- W @Mira: The dentist is on Tuesday 3 February 2026 at 10:00."
    write(root, "2026-01-28", [line, "- W @Mira: Sings.", line, "- W @Mira: Sings."])
    with Bank.open(root, environ=WORDS_ONLY, now=date(2026, 1, 28)) as bank:
        bank.reflect()
    summary = block(root, "bank/entities/Mira.md", "summary")
    assert [sum(word in li for li in summary) for word in ("dentist", "Sings")] == [1, 1]
    today = block(root, "bank/today.md", "today")
    assert [li[:12] for li in today if "dentist" in li] == ["- 2026-02-03"]


def test_an_older_opinion_that_a_newer_one_may_replace_stands_below_it_and_says_so(
    root: Path,
) -> None:
    write(root, "2026-01-28", ["- O(c=0.7) @Ling: A fine place to spend a career."])
    write(root, "2026-02-10", ["- O(c=0.8) @Ling: Every day there is unbearable."])
    reflect(root)
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        held = {opinion.statement[:6]: opinion for opinion in bank.opinions("Ling")}
        facts = [fact for fact in reversed(bank.timeline("Ling")) if fact.confidence]
    known = [KnownFact(fact) for fact in facts]
    day = date(2026, 2, 10)
    older, newer = (held[words].evidence[0].fact_id for words in ("A fine", "Every "))
    asked_of = {older: next(fact for fact in facts if fact.id == newer)}
    view = View("ling", "bank/entities/Ling.md", day, known, opinions=[*held.values()])
    plain, asked = screen_lines(view), screen_lines(replace(view, questioned=asked_of))
    assert [line.text.partition(" · 0.70")[2] for line in plain if "fine" in line.text] == [""]
    first, second = (line.text for line in asked if "fine" in line.text or "Every" in line.text)
    assert first == "Every day there is unbearable. · 0.80"
    assert second.endswith(" · 0.70 · before a newer line of 2026-02-10")


def test_what_was_said_again_since_is_newer_than_what_came_between(root: Path) -> None:
    again, between = "Likes rowing on the lake.", "Rowing on the lake takes up every weekend."
    for day, said in (("01-28", again), ("02-03", between), ("02-10", again)):
        write(root, f"2026-{day}", [f"- O(c=0.8) @Nel: {said}"])
    reflect(root)
    lines = block(root, "bank/opinions.md", "opinions")
    newer = {said: "1 newer" in li for li in lines for said in (again, between) if said in li}
    assert newer == {again: False, between: True}


def test_opinions_that_share_their_verb_alone_both_stand(root: Path) -> None:
    write(root, "2026-02-01", ["- O @Nel: Prefers tea over coffee.", "- O @Nel: Likes rowing."])
    write(root, "2026-02-05", ["- O @Nel: Prefers concise replies.", "- O @Nel: Dislikes rowing."])
    with Bank.open(root, environ=WORDS_ONLY, now=date(2026, 2, 10)) as bank:
        screen = "\n".join(bank.entity("Nel").screen)
    assert "concise" in screen and "tea" in screen


def test_a_line_of_several_days_stands_once_in_the_morning(root: Path) -> None:
    write(
        root, "2026-01-28", ["- W @Mira: Shifts on 2, 5 and 6 February 2026.", "- W @Mira: Sings."]
    )
    with Bank.open(root, environ=WORDS_ONLY, now=date(2026, 1, 30)) as bank:
        bank.reflect()
    due = [line for line in block(root, "bank/today.md", "today") if "Shifts" in line]
    assert [line[:12] for line in due] == ["- 2026-02-02"]


def test_what_is_due_takes_the_lines_of_the_morning_that_nothing_else_needs(root: Path) -> None:
    things = ("oars", "thwart", "rudder", "mast", "tiller", "deck", "hatch", "keel", "boom", "yard")
    tasks = [f"- [ ] varnish {thing} by {day} February 2026" for day, thing in enumerate(things, 1)]
    (root / "memory/2026-01-28.md").write_text("\n".join(tasks), "utf-8")
    reflect(root, date(2026, 1, 29))
    lines = block(root, "bank/today.md", "today")
    assert sum("varnish" in line for line in lines) == len(things)
    assert len(list(filter(None, lines))) <= 20


def test_a_thing_that_one_line_is_about_stands_on_the_index(root: Path) -> None:
    assert not (root / "bank" / "entities" / "Ferry.md").exists()
    assert "- Ferry: Is our booking service." in block(root, "bank/index.md", "index")


def test_what_the_core_memory_says_of_a_thing_leads_its_line_of_the_index(root: Path) -> None:
    (root / "memory.md").write_text("- Tanner's: the nursery by the ring road.\n", "utf-8")
    write(root, "2026-01-28", ["- W @Tanner: Closed until March."])
    reflect(root)
    index = (root / "bank" / "index.md").read_text("utf-8")
    (line,) = [each for each in index.split("\n") if "Tanner" in each]
    assert line.startswith("- Tanner's: the nursery by the ring road. ([memory.md#L1]")
    assert "· Closed until March. ([memory/2026-01-28.md#L2]" in line


def test_what_was_done_stands_on_the_day_it_was_done(root: Path) -> None:
    write(root, "2026-01-28", ["- B: Slept late.", "- B @Jonas: Swam."])
    reflect(root)  # of what stands on pages of entities the newest of what names the most
    months = block(root, "bank/experience.md", "experience")
    assert months == ["### 2026-01", "- 2026-01-28 · Slept late.", "- 2026-01-28 · Jonas: Swam."]


def test_a_page_tells_until_when_a_line_held_and_links_what_stands_elsewhere(
    tmp_path: Path,
) -> None:
    (tmp_path / "memory").mkdir()
    write(tmp_path, "2026-01-05", ["- W @Tom: Lives in Bonn.", "- W @Kit: Runs the kiosk."])
    write(tmp_path, "2026-01-10", ["- W @Tom: Plays chess.", "- W @Kit: Sings."])
    write(tmp_path, "2026-01-12", ["- W @Tom: Lives in Lyon from 1 February 2026."])
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=date(2026, 2, 2)) as bank:
        kiosk = next(f for f in bank.entity("Kit").facts if "kiosk" in f.content)
        bank.retain("Took over the kiosk.", entities=["Ann"], replaces=kiosk.id)
        bank.reflect()
    tom, kit = ((tmp_path / f"bank/entities/{n}.md").read_text("utf-8") for n in ("Tom", "Kit"))
    assert " · until 2026-02-01: Lives in Bonn. ([" in tom
    assert "~~Runs the kiosk.~~ (until 2026-02-02 by [" in kit


def test_a_bank_that_holds_nothing_is_no_news(tmp_path: Path) -> None:
    with Bank.init(tmp_path / "new", environ=WORDS_ONLY) as bank:
        report = bank.reflect()
    assert (report.changed, report.journal) == ((), None)


@golden("beliefs.md")
def test_a_line_of_the_core_memory_says_what_a_thing_is(
    root: Path, line: str, expected: str | None
) -> None:
    (root / "memory.md").write_text(f"# Core memory\n\n{line}\n", "utf-8")
    log = next(p for p in root.glob("memory/*.md") if "our booking service" in p.read_text())
    log.write_text(log.read_text().replace("Is our booking service", "Answers on port 80"))
    write(root, "2026-01-29", ["- W @Ferry: Was offline for an hour."])
    reflect(root)
    first = block(root, "bank/entities/Ferry.md", "summary")[0]
    assert (first if first != "**Now**" else None) == expected


def test_a_log_says_what_a_thing_is_where_nothing_that_lasts_does(root: Path) -> None:
    prose = "Dr Edda Ruiz, musicologist at the university, rang.\n\n## Retain\n"
    facts = "- W @Edda: Lives in Graz.\n- W @Edda: Is terrified of geese.\n"
    (root / "memory/2026-01-29.md").write_text(prose + facts, "utf-8")
    write(root, "2026-01-30", ["- W @Ferry: Was offline.", "- W @Ferry: Is in use."])
    reflect(root)
    lines = {n: block(root, f"bank/entities/{n}.md", "summary")[0] for n in ("Ferry", "Edda")}
    assert lines == {
        "Ferry": "Is our booking service.",
        "Edda": "Dr Edda Ruiz, musicologist at the university, rang.",
    }
    index = block(root, "bank/index.md", "index")
    assert any("· Is our booking service." in line for line in index)


def test_what_fixes_a_property_does_not_fade(root: Path) -> None:
    write(root, "2025-02-01", ["- W @Ling: Lives in Faro.", "- W @Ling: Likes the harbour best."])
    things = "lamp context kite violin ladder anchor carpet samovar helmet lantern trumpet canoe"
    for day, thing in enumerate(things.split(), start=1):
        write(root, f"2026-02-{day:02}", [f"- W @Ling: Has a {thing}."])
    reflect(root)
    summary = block(root, "bank/entities/Ling.md", "summary")
    assert "- Lives in Faro." in summary
    assert "- Likes the harbour best." not in summary


def test_a_relative_day_is_resolved_where_it_is_shown(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    write(
        tmp_path,
        "2026-03-05",
        [
            "- W @Stove: Fitted yesterday by the chimney sweep.",
            "- W @Stove: Is inspected next Tuesday.",
            "- W @Stove: Bought on 3 May 2024.",
        ],
    )
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=date(2026, 3, 6)) as bank:
        bank.reflect()
    summary = block(tmp_path, "bank/entities/Stove.md", "summary")
    assert "- Fitted yesterday (2026-03-04) by the chimney sweep." in summary
    assert "- 2026-03-10 · Is inspected next Tuesday." in summary
    assert "- Bought on 3 May 2024." in summary


def test_an_opinion_stands_on_its_page_and_not_in_a_timeline(root: Path) -> None:
    assert not any("always" in line for line in block(root, "bank/entities/Jonas.md", "timeline"))
    assert "Prefers tea in the morning" in (root / "bank" / "opinions.md").read_text("utf-8")


def test_what_was_done_long_ago_has_a_page_a_year(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    for year in (2022, 2023, 2024, 2025):
        write(tmp_path, f"{year}-05-03", [f"- B: Painted the hull number {year}."])
    reflect(tmp_path)
    assert block(tmp_path, "bank/experience.md", "experience") == [
        "### 2025-05",
        "- 2025-05-03 · Painted the hull number 2025.",
        "### 2024-05",
        "- 2024-05-03 · Painted the hull number 2024.",
        "Earlier: [2023](experience/2023.md) · [2022](experience/2022.md)",
    ]
    assert block(tmp_path, "bank/experience/2022.md", "2022") == [
        "### 2022-05",
        "- 2022-05-03 · Painted the hull number 2022.",
    ]
    assert reflect(tmp_path) == ()
    (tmp_path / "memory" / "2022-05-03.md").unlink()
    assert "bank/experience/2022.md" in reflect(tmp_path)
    assert "hull" not in (tmp_path / "bank/experience/2022.md").read_text("utf-8")


def test_what_somebody_ruled_to_hold_beside_a_newer_line_leads_again(root: Path) -> None:
    older = "- W @Ling: Lives in the blue house on Harbour Street."
    newer = "- B @Ling: Carried the piano into the blue house on Harbour Street."
    write(root, "2026-02-02", [older])
    write(root, "2026-02-03", [newer])
    reflect(root)
    page = "bank/entities/Ling.md"
    assert older.replace(" W @Ling:", "") not in block(root, page, "summary")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        lives, carried = (
            next(fact.id for fact in bank.entity("Ling").facts if word in fact.content)
            for word in ("Lives", "Carried")
        )
    ruling = f"- {carried} both {lives} (2026-02-03 by ana)\n"
    (root / "bank" / "decisions.md").write_text(ruling, "utf-8")
    reflect(root)
    assert older.replace(" W @Ling:", "") in block(root, page, "summary")


def test_what_a_newer_line_takes_up_stands_beside_that_one(root: Path) -> None:
    write(root, "2026-02-01", ["- W @Odd: Wants the blue canvas for the dinghy."])
    write(root, "2026-02-02", ["- W @Odd: Wants brass eyelets in the canvas of the dinghy."])
    reflect(root)
    assert pasts(root, "bank/entities/Odd.md") == {
        "Wants brass eyelets in the canvas of the dinghy.": (
            "before, on 2026-02-01, not judged: Wants the blue canvas for the dinghy."
        )
    }
    write(root, "2026-02-03", [f"- W @Odd: Has {thing}." for thing in THINGS])
    reflect(root)
    assert "blue canvas" not in "".join(block(root, "bank/entities/Odd.md", "summary"))


def test_what_holds_leads_again_once_the_day_that_took_it_up_is_over(root: Path) -> None:
    write(root, "2026-02-01", ["- W @Odd: Wants the blue canvas for the dinghy."])
    write(root, "2026-02-02", ["- W @Odd: Looks at the canvas for the dinghy on 9 February."])
    reflect(root, date(2026, 2, 10))
    wish = "- Wants the blue canvas for the dinghy."
    assert wish in block(root, "bank/entities/Odd.md", "summary")
    assert "before a newer line" not in (root / "bank/entities/Odd.md").read_text("utf-8")


def test_what_holds_leads_again_once_the_event_that_took_it_up_has_faded(root: Path) -> None:
    write(root, "2026-02-02", ["- W @Ling: Lives in the blue house on Harbour Street."])
    event = "- B @Ling: Carried the piano into the blue house on Harbour Street."
    write(root, "2026-02-03", [event])
    write(root, "2026-06-01", ["- W @Ling: Sings in the choir."])
    reflect(root)
    summary = block(root, "bank/entities/Ling.md", "summary")
    assert "- Lives in the blue house on Harbour Street." in summary


def test_what_is_due_this_morning_stands_before_what_is_long_overdue(root: Path) -> None:
    tasks = [
        f"- [ ] varnish {thing} by {day} January 2026"
        for day, thing in enumerate(
            ("oars", "thwart", "rudder", "mast", "tiller", "deck", "hatch", "keel"), start=10
        )
    ]
    page = "\n".join(
        [
            *tasks[5:],
            "- [ ] ring Mira by 29 January 2026",
            "",
            "## Retain",
            "- O(c=0.7) @Mira: Likes the new sail.",
            "- B @Mira: Sold the old one.",
            "",
        ]
    )
    (root / "memory/2026-01-09.md").write_text("\n".join(tasks[:5]), "utf-8")
    (root / "memory/2026-01-28.md").write_text(page, "utf-8")
    reflect(root, date(2026, 1, 29))
    lines = block(root, "bank/today.md", "today")
    assert lines[1:3] == ["- Mira: Likes the new sail.", "- Mira: Sold the old one."]
    late = [line.split("varnish ")[1].split()[0] for line in lines if "overdue" in line]
    assert late == ["deck", "hatch", "keel", "oars", "thwart", "rudder", "mast", "tiller"]
    assert "- by 2026-01-29 · ring Mira by 29 January 2026" in lines
    assert lines.index("- by 2026-01-29 · ring Mira by 29 January 2026") < 9
    assert any(line.startswith("- **overdue** · by 2026-01-15 · varnish deck") for line in lines)


def test_a_page_says_how_many_opinions_it_leaves_to_the_page_of_opinions(root: Path) -> None:
    things = "lamp context kite violin ladder anchor carpet samovar helmet lantern trumpet canoe"
    write(root, "2026-01-28", [f"- O(c=0.8) @Ling: Likes the {thing}." for thing in things.split()])
    reflect(root)
    summary = block(root, "bank/entities/Ling.md", "summary")
    whole = (root / "bank/entities/Ling.md").read_text("utf-8").partition("begin timeline")[0]
    shown = whole.count("Likes the") + whole.count("search")
    assert summary[-1] == f"{13 - shown} more opinions in [opinions](../opinions.md)"


def test_what_was_to_come_leaves_the_screen_unless_it_alone_fixes_a_property(root: Path) -> None:
    write(root, "2026-02-01", ["- W @Ling: Moves to Faro in March.", "- W @Bo: Rows at dawn."])
    write(root, "2026-02-02", ["- W @Bo: Moves to Graz in March.", "- W @Hut: Costs 900 €."])
    write(root, "2026-02-03", ["- W @Hut: The viewing is moved to 25 February, 19:00."])
    write(root, "2026-03-12", ["- W @Ling: Lives in Faro now."])
    reflect(root, now=date(2026, 4, 5))
    told = {name: block(root, f"bank/entities/{name}.md", "summary") for name in ("Ling", "Bo")}
    assert "- Lives in Faro now." in told["Ling"]
    assert not any("March" in line for line in told["Ling"])
    assert "- Moves to Graz in March." in told["Bo"]
    assert block(root, "bank/entities/Hut.md", "summary") == ["**Now**", "- Costs 900 €."]


def test_a_line_said_again_stands_once_though_an_event_was_once_otherwise(root: Path) -> None:
    for day in range(1, 5):
        lines = ["- B @NAS: Nightly backup finished.", "- W @NAS: Has 4 TB."]
        write(root, f"2026-02-{day:02}", lines)
    write(root, "2026-02-05", ["- B @NAS: Nightly backup failed, disk full."])
    reflect(root)
    assert block(root, "bank/entities/NAS.md", "summary") == [
        "**Now**",
        "- Has 4 TB. · on 4 days since 2026-02-01",
        "**Lately**",
        "- 2026-02-05 · Nightly backup failed, disk full.",
        "- Nightly backup finished. · on 4 days since 2026-02-01",
    ]


def test_what_a_page_says_by_hand_is_not_told_on_it_again(root: Path) -> None:
    page = root / "bank" / "entities" / "Ling.md"
    page.write_text("# Ling\n\n- W @Ling: Has a context by the door.\n", "utf-8")
    write(root, "2026-02-01", ["- W @Ling: Has a context by the door."])
    reflect(root)
    assert page.read_text("utf-8").count("Has a context") == 1


def test_what_is_asked_of_an_entity_begins_with_the_first_screen_of_its_page(root: Path) -> None:
    write(
        root, "2026-02-02", ["- W @Mira: Moves house on 3 March 2026.", "- O @Mira: Porto is calm."]
    )
    with Bank.open(root, environ=WORDS_ONLY, now=date(2026, 2, 3)) as bank:
        bank.reflect()
        view = bank.entity("Mira")
    page = (root / "bank" / "entities" / "Mira.md").read_text("utf-8").replace("../../", "")
    assert view.screen and set(view.screen) <= set(page.split("\n"))
    told = entity_view_lines(MODEL, view, limit=9)
    assert "2026-03-03 · Moves house on 3 March 2026. (memory/2026-02-02.md#L2)" in map(
        str.strip, told
    )
    assert not any("More opinions" in line for line in told)


AGENTS = " (origin: agent, by claude-code)"


@pytest.mark.parametrize("newer", ["Is not allergic to walnuts.", "Is allergic to walnuts, badly."])
def test_an_agents_line_takes_no_place_of_the_owners(tmp_path: Path, newer: str) -> None:
    (tmp_path / "memory").mkdir()
    write(tmp_path, "2026-01-02", ["- W @Ines: Is allergic to walnuts and cashews."])
    write(tmp_path, "2026-02-02", [f"- W @Ines: {newer}{AGENTS}"])
    reflect(tmp_path)
    now = block(tmp_path, "bank/entities/Ines.md", "summary")
    assert now[:2] == ["**Now**", "- Is allergic to walnuts and cashews."]
    whole = (tmp_path / "bank/entities/Ines.md").read_text("utf-8")
    assert f"{newer} (agent's word)" in whole
    assert "before a newer line" not in whole


def test_a_denial_repeats_nothing(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    write(tmp_path, "2026-01-02", ["- W @Ines: Is allergic to walnuts and cashews."])
    write(tmp_path, "2026-02-02", ["- W @Ines: Is not allergic to walnuts and cashews."])
    write(tmp_path, "2026-03-02", ["- W @Ines: Is not allergic to cashews and walnuts."])
    reflect(tmp_path)
    page = "bank/entities/Ines.md"
    assert block(tmp_path, page, "summary")[1:] == ["- Is not allergic to cashews and walnuts."]
    assert pasts(tmp_path, page) == {
        "Is not allergic to cashews and walnuts.": (
            "before, on 2026-01-02, not judged: Is allergic to walnuts and cashews."
        )
    }
    assert block(tmp_path, page, "timeline")[1:] == [
        "- 2026-02-02 · Is not allergic to walnuts and cashews. · before a newer line of 2026-03-02"
    ]
