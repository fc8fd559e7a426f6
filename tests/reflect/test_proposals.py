"""Proposals: never written unasked, gone with their evidence, decided on once."""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank, ConcurrentEdit
from lorebank.domain.facts import Author, Origin
from lorebank.domain.judgments import Proposal, ProposalAction
from support import WORDS_ONLY, golden

TODAY = date(2025, 12, 20)
Write = Callable[..., Path]
ALLERGY = "- W @Ana: Is allergic to hazelnuts and carries a syringe."


@pytest.fixture
def bank(write_log: Write, tmp_path: Path) -> Iterator[Bank]:
    for day in ("2025-11-01", "2025-11-09", "2025-11-20"):
        write_log(day, ALLERGY)
    write_log("2025-12-01", "- W @Bo: Collects stamps.", "- W @Ana: Bought a kite.")
    (tmp_path / "memory.md").write_text("# Core\n\n- Be brief.\n", "utf-8")
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=TODAY) as bank:
        bank.reflect()
        yield bank


def core(bank: Bank) -> str:
    return (bank.root / "memory.md").read_text("utf-8")


def the_one(bank: Bank) -> Proposal:
    (proposal,) = bank.proposals()
    return proposal


def append(bank: Bank, day: str, line: str) -> None:
    log = bank.root / "memory" / f"{day}.md"
    before = log.read_text("utf-8") if log.exists() else f"# {day}\n\n## Retain\n"
    log.write_text(before + line + "\n", "utf-8")


def test_what_was_said_on_several_days_is_proposed_and_not_written(bank: Bank) -> None:
    proposal = the_one(bank)
    assert (proposal.action, proposal.target, proposal.old) == (ProposalAction.ADD, "memory.md", "")
    assert proposal.new == (
        "- Ana: Is allergic to hazelnuts and carries a syringe. (memory/2025-11-20.md#L4)"
    )
    assert [g.day for g in proposal.grounds] == [
        date(2025, 11, 1),
        date(2025, 11, 9),
        date(2025, 11, 20),
    ]
    assert core(bank) == "# Core\n\n- Be brief.\n"
    assert bank.reflect().changed == ()
    hits = bank.recall("said on 3 days, proposals for the core memory", k=20).hits
    assert [hit for hit in hits if hit.source.path.startswith("bank/proposals")] == []


def test_accepting_edits_the_core_memory_once(bank: Bank) -> None:
    proposal = the_one(bank)
    bank.rule({proposal.id[:5]: "accept"}, by="Ana")
    assert core(bank) == f"# Core\n\n- Be brief.\n\n## Learned\n\n{proposal.new}\n"
    assert bank.proposals() == ()
    bank.reflect()  # the line may say what somebody is
    assert bank.reflect().changed == ()
    (bank.root / "memory.md").write_text("# Core\n\n- Be brief.\n", "utf-8")
    bank.reflect()
    assert bank.proposals() == ()
    assert bank.rule({proposal.id: "accept"}, by="Ana") == ()


def test_a_rejected_proposal_comes_back_with_new_evidence_only(bank: Bank) -> None:
    proposal = the_one(bank)
    bank.rule({proposal.id: "reject"}, by="Ana")
    assert bank.reflect().changed == ()
    append(bank, "2025-12-02", "- W @Bo: Collects coins.")
    bank.reflect()
    assert bank.proposals() == ()
    append(bank, "2025-12-03", ALLERGY)
    bank.reflect()
    assert the_one(bank).id == proposal.id


def test_deleting_the_decision_takes_it_back(bank: Bank) -> None:
    proposal = the_one(bank)
    bank.rule({proposal.id: "reject"}, by="Ana")
    (bank.root / "bank" / "proposals" / "decisions.md").unlink()
    bank.reflect()
    assert the_one(bank) == proposal


def test_a_proposal_goes_with_its_evidence(bank: Bank) -> None:
    (bank.root / "memory" / "2025-11-09.md").unlink()
    bank.reflect()
    assert bank.proposals() == ()
    assert not (bank.root / "bank" / "proposals" / "memory.md").exists()


def test_evidence_that_went_since_stops_an_acceptance(bank: Bank) -> None:
    for day in ("2025-11-01", "2025-11-09", "2025-11-20"):
        (bank.root / "memory" / f"{day}.md").unlink()
    with pytest.raises(ConcurrentEdit):
        bank.rule({the_one(bank).id: "accept"}, by="Ana")
    assert core(bank) == "# Core\n\n- Be brief.\n"


def test_a_person_may_mend_the_line_first(bank: Bank) -> None:
    page = bank.root / "bank" / "proposals" / "memory.md"
    page.write_text(page.read_text("utf-8").replace("+- Ana: Is", "+- Ana is", 1), "utf-8")
    bank.reflect()
    bank.rule({the_one(bank).id: "accept"}, by="Ana")
    assert "\n- Ana is allergic to hazelnuts" in core(bank)


def test_a_line_that_a_newer_fact_replaced_is_to_be_replaced(bank: Bank) -> None:
    (bank.root / "memory.md").write_text("# Core\n\n* Ana lives in Porto.\n", "utf-8")
    append(bank, "2025-12-04", "- W @Ana: Lives in Porto.")
    append(bank, "2025-12-08", "- W @Ana: Lives in Faro.")
    bank.reflect()
    (replacement,) = [p for p in bank.proposals() if p.action is ProposalAction.REPLACE]
    assert (replacement.old, replacement.new) == (
        "* Ana lives in Porto.",
        "* Ana: Lives in Faro. (memory/2025-12-08.md#L4)",
    )
    bank.rule({replacement.id: "accept"}, by="Ana")
    assert core(bank) == f"# Core\n\n{replacement.new}\n"
    append(bank, "2025-12-09", "- W @Ana: Lives in Lagos.")
    bank.reflect()
    assert [p.old for p in bank.proposals() if p.old] == [replacement.new]


@pytest.mark.parametrize(
    ("line", "is_asked"),
    [
        ("- Ana lives in Porto with her two cats.", True),
        ("- Ana lives in Faro with her two cats, before that in Porto.", False),
    ],
)
def test_a_line_with_more_than_what_was_replaced_is_asked_about(
    bank: Bank, line: str, is_asked: bool
) -> None:
    (bank.root / "memory.md").write_text(f"# Core\n\n{line}\n", "utf-8")
    append(bank, "2025-12-04", "- W @Ana: Lives in Porto.")
    append(bank, "2025-12-08", "- W @Ana: Moved to Faro.")
    bank.reflect()
    proposals = [p for p in bank.proposals() if line in p.old or "Faro" in p.new]
    assert bool(proposals) is is_asked
    if is_asked:
        assert "Moved to Faro." in proposals[0].new


@pytest.mark.parametrize("said", ["@Ana: Is separated", ": Ana is separated"])
def test_a_clause_that_may_be_over_is_asked_about(bank: Bank, said: str) -> None:
    line = "- Ana, sister, teacher at the college, married to Pavel."
    (bank.root / "memory.md").write_text(f"# Core\n\n{line}\n", "utf-8")
    append(bank, "2025-12-08", f"- W {said} from Pavel since the summer.".replace(" :", ":"))
    bank.reflect()
    (proposal,) = [p for p in bank.proposals() if p.old]
    assert proposal.new == "- Ana, sister, teacher at the college."
    assert "separated from Pavel" in proposal.why and "2025-12-08" in proposal.why
    bank.rule({proposal.id: "reject"}, by="Ana")
    bank.reflect()
    assert not [p for p in bank.proposals() if p.old] and line in core(bank)


def test_days_and_numbers_in_common_put_no_clause_in_doubt(bank: Bank) -> None:
    line = "- Ana, born 22 February 2019, shift 7."
    (bank.root / "memory.md").write_text(f"# Core\n\n{line}\n", "utf-8")
    append(bank, "2025-12-08", "- W @Ana: Party on Sunday 22 February, bus 7 at 14:00.")
    bank.reflect()
    assert not [p for p in bank.proposals() if p.old]


def test_an_offer_puts_no_clause_in_doubt(bank: Bank) -> None:
    line = "- Ana, sister, teacher at the college."
    (bank.root / "memory.md").write_text(f"# Core\n\n{line}\n", "utf-8")
    append(bank, "2025-12-08", "- W @Ana: Was offered the post of head teacher at the college.")
    bank.reflect()
    assert not [p for p in bank.proposals() if p.old]


def test_what_is_said_again_with_other_numbers_is_not_proposed(bank: Bank) -> None:
    sizes = ("3.1", "3.1", "3.1", "3.2", "3.3")
    for day, size in enumerate(sizes, 10):
        append(bank, f"2025-12-{day}", f"- W @Ana: The copy of her files took {size} GB.")
    bank.reflect()
    assert not [p for p in bank.proposals() if "copy of her files" in p.new]


def test_a_line_whose_fact_is_gone_is_to_be_removed(bank: Bank) -> None:
    bank.rule({the_one(bank).id: "accept"}, by="Ana")
    for day in ("2025-11-01", "2025-11-09", "2025-11-20"):
        (bank.root / "memory" / f"{day}.md").write_text(f"# {day}\n", "utf-8")
    bank.reflect()
    removal = the_one(bank)
    assert removal.action is ProposalAction.REMOVE
    bank.rule({removal.id: "accept"}, by="Ana")
    assert core(bank) == "# Core\n\n- Be brief.\n\n## Learned\n\n"


def test_the_budget_holds(bank: Bank) -> None:
    text = "# Core\n\n" + "- A rule of the house that is rather long.\n" * 20
    (bank.root / "memory.md").write_text(text, "utf-8")
    small = WORDS_ONLY | {"LOREBANK_REFLECT__CORE_TOKEN_BUDGET": "100"}
    with Bank.open(bank.root, environ=small, now=TODAY) as bank:
        report = bank.reflect()
        assert bank.proposals() == ()
        assert [(p.path, p.code) for p in report.problems] == [("memory.md", "core-over-budget")]


@golden("beliefs.md")
def test_what_need_not_last_is_not_proposed(bank: Bank, line: str) -> None:
    for day in ("2025-12-02", "2025-12-03", "2025-12-04", "2025-12-05"):
        append(bank, day, line)
    bank.reflect()
    assert len(bank.proposals()) == 1


def test_the_line_endings_of_the_core_memory_stay(bank: Bank) -> None:
    (bank.root / "memory.md").write_bytes(b"\xef\xbb\xbf# Core\r\n\r\n- Be brief.\r\n")
    bank.rule({the_one(bank).id: "accept"}, by="Ana")
    data = (bank.root / "memory.md").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf# Core\r\n\r\n- Be brief.\r\n\r\n## Learned\r\n\r\n- Ana")
    assert data.count(b"\n") == data.count(b"\r\n")


BOTH = "- Olga runs the print shop. Ana teaches drawing at the college."
SOLD = "Olga sold the print shop to her cousin Vilma last week."


def test_a_line_replaced_in_part_keeps_its_other_sentences(bank: Bank) -> None:
    (bank.root / "memory.md").write_text(f"# Core\n\n{BOTH}\n", "utf-8")
    append(bank, "2025-12-08", f"- W @Olga: {SOLD}")
    bank.reflect()
    (proposal,) = [p for p in bank.proposals() if p.old == BOTH]
    bank.rule({proposal.id: "accept"}, by="Ana")
    assert core(bank) == (
        f"# Core\n\n- Ana teaches drawing at the college. {SOLD} (memory/2025-12-08.md#L4)\n"
    )
    # What the core memory says of Olga stands on the index page as well.
    assert set(bank.reflect().changed) <= {"bank/index.md"}
    assert bank.reflect().changed == () and not [p for p in bank.proposals() if p.old]


@pytest.mark.parametrize(
    "line", [BOTH, "- Olga runs the print shop, Ana teaches drawing at the college."]
)
def test_an_agents_word_stands_beside_a_line_that_it_ends_in_part(bank: Bank, line: str) -> None:
    (bank.root / "memory.md").write_text(f"# Core\n\n{line}\n", "utf-8")
    bank.retain(SOLD, entities=["Olga"], author=Author("cocina"), now=TODAY)
    bank.reflect()
    (proposal,) = [p for p in bank.proposals() if "Olga" in p.new]
    (item,) = [i for i in bank.inbox().items if i.newer and i.newer.id == proposal.id]
    assert item.newer is not None and item.newer.by == "cocina"
    bank.rule({proposal.id: "accept"}, by="Ana")
    assert line in core(bank) and "(origin: agent, by cocina)\n" in core(bank)
    found = bank.recall("who bought the print shop of Olga").hits
    [hit] = [h for h in found if h.source.path == "memory.md" and "Vilma" in h.content]
    assert (hit.origin, hit.author.agent) == (Origin.AGENT, "cocina")
    bank.reflect()
    rest = [p.new for p in bank.proposals() if p.old == line]
    assert rest == (["- Ana teaches drawing at the college."] if line == BOTH else [])
