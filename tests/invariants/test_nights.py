"""A night after many nights writes what one writes that knows of no earlier night."""

import shutil
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorebank import Bank, LorebankError
from support import WORDS_ONLY, snapshot

FIRST = date(2026, 3, 2)
SAID = (
    "W @Ilse: Lives in Porto.",
    "W @Ilse @Porto: Lives in Porto with @Ren.",
    "W @Ilse: Moved to Lisbon.",
    "W @Ilse: Sold the red boat.",
    "W @Ilse: Owns a red boat.",
    "W @Ren: The code for the shed is 4711.",
    "W @Ren: The code for the shed is 5822.",
    "W: The bakery opens at seven.",
    "O(c=0.8) @Ilse: Likes the early ferry.",
    "O(c=0.6) @Ilse @Ren: No longer likes the early ferry.",
    "B @Ren @Ilse: Rowed to Porto before breakfast.",
    "B @Ren: Has an appointment with @Ilse on 9 March 2026.",
    "B @Tomas: Trains for the race from 4 March to 12 March 2026.",
    "W @Tomas: Met Ilse and Ren at the bakery.",
    "- [ ] Call @Tomas by 8 March 2026",
)
BY_HAND = ("She hums.\n", "- W @Ilse: Keeps bees.\n", "An inn by the harbour.\n")
NAMES = ("Ilse", "Ren", "Tomas", "Porto")
SAY = st.tuples(st.just("say"), st.sampled_from(SAID), st.integers(-3, 0))
WORDS = ("boat", "boats", "Ren", "@Porto", "likes", "No longer", "moved to", "5822", "9 March 2026")
LINE = st.integers(0, 20)
STEP = st.one_of(
    SAY,
    SAY,
    SAY,
    st.tuples(st.just("unsay"), LINE, st.just(0)),
    st.tuples(st.just("reword"), LINE, st.tuples(st.integers(1, 9), st.sampled_from(WORDS))),
    st.tuples(st.just("swap"), LINE, LINE),
    st.tuples(st.just("another day"), LINE, st.integers(-4, 4)),
    st.tuples(st.just("by hand"), st.sampled_from(NAMES), st.sampled_from(BY_HAND)),
    st.tuples(st.just("in the block"), st.sampled_from(NAMES), st.just(0)),
    st.tuples(st.just("merge"), st.permutations(NAMES), st.just(0)),
    st.tuples(st.just("rename"), st.sampled_from(NAMES), st.just(0)),
    st.tuples(st.just("rule"), st.sampled_from(["same", "replaces", "both"]), st.just(0)),
    st.tuples(st.just("reject"), st.booleans(), st.integers(0, 9)),
    st.tuples(st.just("days"), st.integers(1, 9), st.just(0)),
)


class Workspace:
    """A workspace whose nights are each compared with one that knows of no earlier night."""

    def __init__(self, root: Path) -> None:
        self.root, self.day = root, FIRST
        (root / "memory").mkdir(parents=True)

    def do(self, what: str, subject: object, more: object) -> None:
        if what == "say":
            day = self.day + timedelta(days=int(str(more)))
            log = self.root / "memory" / f"{day}.md"
            text = log.read_text() if log.exists() else "## Retain\n"
            log.write_text(text + (f"{subject}\n" if str(subject)[0] == "-" else f"- {subject}\n"))
        elif what in ("unsay", "reword", "swap", "another day"):
            self.edit(what, int(str(subject)), more)
        elif what == "days":
            self.day += timedelta(days=int(str(subject)))
        elif what in ("by hand", "in the block"):
            page = self.root / f"bank/entities/{subject}.md"
            if page.exists():
                text = page.read_text()
                page.write_text(
                    f"{text}\n{more}" if what == "by hand" else text.replace("- ", "- so: ", 1)
                )
        else:
            self.decide(what, subject, more)

    def edit(self, what: str, place: int, more: Any) -> None:
        """Change one line of a log as somebody may with an editor, or give the log another day."""
        lines = [(p, n) for p in self.logs() for n in range(1, len(p.read_text().split("\n")) - 1)]
        if not lines:
            return
        path, number = lines[place % len(lines)]
        if what == "another day":
            day = date.fromisoformat(path.stem) + timedelta(days=more)
            if not (there := path.with_name(f"{day}.md")).exists():
                path.rename(there)
            return
        kept = path.read_text().split("\n")
        if what == "unsay":
            del kept[number]
        elif what == "reword":
            said = kept[number].split(" ")
            said[min(1 + more[0], len(said)) : 2 + more[0]] = [more[1]]
            kept[number] = " ".join(said)
        else:
            other = 1 + more % (len(kept) - 2)
            kept[number], kept[other] = kept[other], kept[number]
        path.write_text("\n".join(kept))

    def logs(self) -> list[Path]:
        return sorted((self.root / "memory").glob("*.md"))

    def decide(self, what: str, subject: object, more: object) -> None:
        with Bank.open(self.root, environ=WORDS_ONLY, now=self.day) as bank:
            try:
                if what == "merge":
                    bank.decide("merge", *list(subject)[:2])  # type: ignore[call-overload]
                elif what == "rename":
                    bank.decide("rename", str(subject), f"{subject} the Second")
                elif what == "reject":  # one change, or all but one
                    hunks = [hunk.id for hunk in bank.reflect(dry_run=True).hunks]
                    one = hunks[int(str(more)) % (len(hunks) or 1) :][:1]
                    bank.reflect(reject=one if subject else (), accept=None if subject else one)
                else:
                    facts = [fact.id for fact in bank.timeline()][:2]
                    if len(facts) == 2:
                        ledger = self.root / "bank/decisions.md"
                        ledger.parent.mkdir(exist_ok=True)
                        text = ledger.read_text() if ledger.exists() else "# Decisions\n\n"
                        ledger.write_text(f"{text}- {facts[0]} {subject} {facts[1]}\n")
            except LorebankError:
                return  # of names that are not known yet, or were decided on

    def night(self) -> None:
        other = self.root.with_name("without-index")
        shutil.copytree(self.root, other)
        for index in (other / ".memory").glob("index*"):
            index.unlink()
        for root in (self.root, other):
            with Bank.open(root, environ=WORDS_ONLY, now=self.day) as bank:
                bank.reflect()
        assert snapshot(self.root) == snapshot(other)
        shutil.rmtree(other)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(nights=st.lists(st.lists(STEP, max_size=5), min_size=3, max_size=7))
def test_a_night_writes_what_one_without_an_index_writes(
    nights: list[list[tuple[str, object, object]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    workspace = Workspace(tmp_path_factory.mktemp("nights") / "notes")
    for line in SAID[::2]:
        workspace.do("say", line, 0)
    workspace.night()
    workspace.night()
    for steps in nights:
        for step in steps:
            workspace.do(*step)
        workspace.night()


NEWS = {
    "what a line names besides is over": (
        ["W @Ilse @Porto: Lives in Porto.", "W @Porto: Has steep streets."],
        "W @Ilse: Moved to Lisbon.",
    ),
    "an opinion that a line names besides is surer": (
        ["O(c=0.8) @Ilse @Ren: Likes the early ferry.", "W @Ren: Rows.", "W @Ren: Sings."],
        "O(c=0.9) @Ilse: Likes the early ferry.",
    ),
    "a name that stood there unmarked is somebody": (
        ["W @Ilse: Met Ren at the bakery.", "W @Ilse: Sings."],
        "W @Ren: Rows.",
    ),
    "a stretch of days is over": (
        ["B @Tomas: Trains for the race from 4 March to 6 March 2026.", "W @Tomas: Rows."],
        "",
    ),
    "what was announced holds from today on": (
        [
            "W @Ilse @Porto: Lives in Porto.",
            "W @Ilse: Lives in Lisbon from 5 March 2026.",
            "W @Porto: Has steep streets.",
        ],
        "",
    ),
    "what is to be done is late": (["- [ ] Call @Tomas by 4 March 2026", "W @Tomas: Rows."], ""),
}


@pytest.mark.parametrize("case", NEWS)
def test_each_way_in_which_one_line_moves_another_page_is_seen(case: str, tmp_path: Path) -> None:
    before, news = NEWS[case]
    workspace = Workspace(tmp_path / "notes")
    for line in (*before, "W @Ilse: Keeps bees.", "W @Tomas: Keeps hens."):
        workspace.do("say", line, 0)
    workspace.night()
    workspace.night()
    for _ in range(6):
        pages = snapshot(workspace.root / "bank/entities")
        workspace.day += timedelta(days=1)
        if news:
            workspace.do("say", news, 0)
            news = ""
        workspace.night()
        if snapshot(workspace.root / "bank/entities") != pages:
            return
    pytest.fail("no page has changed: the case shows nothing")
