"""A line that holds no longer says since when and because of what, in every view; an opinion that
newer lines may bear on says how many."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

from lorebank import Bank
from lorebank.domain.answers import Timeline
from lorebank.render.beliefs import explanation_lines, opinion_lines, timeline_lines
from lorebank.render.entities import entity_view_lines
from lorebank.render.text import Look
from support import WORDS_ONLY

LOOK = Look(width=200)


def test_every_view_of_an_ended_fact_names_the_day_and_the_newer_line(
    write_log: Callable[..., Path],
) -> None:
    write_log("2026-01-10", "- W @Ilse: Works at the tannery.")
    root = write_log("2026-02-01", "- W @Ilse: Leaves the tannery on 15 March.")
    now = date(2026, 4, 1)
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        old, new = reversed(bank.timeline("Ilse", now=now))
        assert (str(old.superseded_since), old.superseded_by) == ("2026-03-15", new.id)
        assert old.to_dict()["superseded_since"] == "2026-03-15"
        told = f"superseded since 2026-03-15 by {new.id}"
        views = (
            timeline_lines(LOOK, Timeline(bank.timeline("Ilse", now=now))),
            entity_view_lines(LOOK, bank.entity("Ilse", now=now), limit=9),
            explanation_lines(LOOK, bank.explain(old.id, now=now)),
        )
        assert [told in "\n".join(lines) for lines in views] == [True] * 3
        bank.reflect(now=now)
    page = (root / "bank/entities/Ilse.md").read_text("utf-8")
    assert "~~Works at the tannery.~~ (until 2026-03-15)" in page


def test_newer_lines_that_nobody_judged_are_counted_beside_the_opinion(
    write_log: Callable[..., Path],
) -> None:
    write_log("2026-01-10", "- O(c=0.8) @Ilse: Prefers meetings in the morning.")
    root = write_log("2026-02-01", "- O(c=0.9) @Ilse: Prefers meetings in the afternoon.")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        now = date(2026, 2, 2)
        counted = {o.statement: o.not_judged for o in bank.opinions(now=now)}
        assert counted == {
            "Prefers meetings in the morning.": 1,
            "Prefers meetings in the afternoon.": 0,
        }
        assert bank.opinions(now=now) == bank.opinions(as_of=now, now=now)
        assert "1 newer not judged" in "\n".join(opinion_lines(LOOK, bank.opinions(now=now)))
        view = "\n".join(entity_view_lines(LOOK, bank.entity("Ilse", now=now), limit=9))
        morning = "before, on 2026-01-10, not judged: Prefers meetings in the morning."
        assert morning in " ".join(view.split())
        [item] = bank.inbox("restatement").items
        bank.rule({item.id: "both"}, by="Ilse")
        assert {o.not_judged for o in bank.opinions(now=now)} == {0}
