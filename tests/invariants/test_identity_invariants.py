"""A decision about names taken back leaves no trace: files, facts, opinions and graph as before."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorebank import Bank, LorebankError
from lorebank.app import reflection
from support import WORDS_ONLY, snapshot

LEDGER = "bank/identity.md"


def said(bank: Bank) -> list[object]:
    """Facts, opinions and who is seen with whom."""
    entities = bank.entities()
    views = [bank.entity(entity.slug) for entity in entities]
    return [bank.timeline(), entities, bank.opinions(), [view.neighbours for view in views]]


def write_pages(root: Path, bob: bytes, robert: bytes, ledger: bytes | None) -> None:
    (root / "memory").mkdir(parents=True)
    (root / "memory" / "2026-01-02.md").write_text(
        "## Retain\n- W @Bob: Moved to Lisbon.\n- O(c=0.8) @Robert: Likes tea with @Ada.\n"
        "- W @Bob: Met @Ada.\n- W @Bobby: Plays chess.\n"
    )
    pages = root / "bank" / "entities"
    pages.mkdir(parents=True)
    (pages / "Bob.md").write_bytes(bob)
    (pages / "Robert.md").write_bytes(robert)
    if ledger is not None:
        (root / LEDGER).write_bytes(ledger)


PAGES = st.lists(
    st.sampled_from(
        [
            b"# Bob\n",
            b"---\naliases: [Bobby]\ntype: person\nmood: [x, y]\n---\n",
            b"He hums. \r\n",
            b"\n",
            b"<!-- lorebank:begin summary sha=1 -->\nold\n<!-- lorebank:end summary -->\n",
            b"- W @Bob: Keeps bees.\n",
            b"a < b & c\n",
            b"\xef\xbb\xbf",
            b"<!-- a note -->\n",
            b"```\ncode\n```\n",
            "Größe 猫".encode(),
        ]
    ),
    max_size=6,
).map(b"".join)
LEDGERS = st.sampled_from(
    [None, b"# Identity\n", b"", b"- distinct @Ada @Bob (2026-01-01)", b"# I\r\n\r\n<!-- x -->\r\n"]
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(bob=PAGES, robert=PAGES, ledger=LEDGERS, action=st.sampled_from(["merge", "alias"]))
def test_a_merge_taken_back_is_the_identity_byte_for_byte(
    bob: bytes,
    robert: bytes,
    ledger: bytes | None,
    action: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    root = tmp_path_factory.mktemp("names") / "notes"
    write_pages(root, bob, robert, ledger)
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        before, known = snapshot(root), said(bank)
        done = bank.decide(action, "Bob", "Robert")
        assert done.changed[0] == LEDGER
        assert "bank/entities/Bob.md" not in snapshot(root)
        assert bank.entity("Bob").entity == bank.entity("Robert").entity
        assert bank.decide(action, "Bob", "Robert").changed == ()
        assert bank.check() == ()
        bank.decide(action, "Bob", "Robert", undo=True)
        assert snapshot(root) == before
        assert said(bank) == known
        assert bank.check() == ()


DECISIONS = [
    ("merge", "Maya", "Peter"),
    ("rename", "Peter", "Peter S."),
    ("distinct", "Maya", "Peter"),
    ("split", "Peter"),
    ("dismiss", "Maya", "Peter"),
    ("alias", "Nobody Yet", "Maya"),
]


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda d: d[0])
def test_deleting_a_line_by_hand_restores_everything_after_the_next_reflect(
    decision: tuple[str, ...], copy_fixture: Callable[[str], Path]
) -> None:
    root = copy_fixture("harbour")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.reflect()
        (root / "bank/entities/Maya.md").write_text(
            (root / "bank/entities/Maya.md").read_text() + "\nShe taught me knots.\n"
        )
        bank.reflect()
        before, known = snapshot(root), said(bank)
        action, *names = decision
        bank.decide(action, *names)
        bank.reflect()
        (root / LEDGER).unlink()
        bank.reflect()
        after = snapshot(root)
        assert {p: t for p, t in after.items() if "reflections" not in p} == {
            p: t for p, t in before.items() if "reflections" not in p
        }
        assert said(bank) == known
        assert bank.check() == ()


def test_what_was_written_by_hand_stands_on_the_page_that_stays(
    copy_fixture: Callable[[str], Path],
) -> None:
    root = copy_fixture("harbour")
    page = root / "bank/entities/Maya.md"
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.reflect()
        page.write_text(page.read_text() + "\nShe taught me knots.\n")
        plan = bank.decide("merge", "Maya", "Peter", reason="a test", dry_run=True)
        assert page.exists()
        assert plan.changed == (LEDGER, "bank/entities/Peter.md", "bank/entities/Maya.md")
        assert (plan.before, plan.after) == (("maya", "peter"), ("peter",))
        bank.decide("merge", "Maya", "Peter")
        home = root / "bank/entities/Peter.md"
        shown = home.read_text()
        assert "## From Maya (bank/entities/Maya.md)\n" in shown
        assert "\nShe taught me knots.\n" in shown
        home.write_text(shown.replace("taught me knots", "taught me two knots"))
        bank.reflect()
        bank.decide("merge", "Maya", "Peter", undo=True)
        bank.reflect()
        assert "\nShe taught me two knots.\n" in page.read_text()
        assert "knots" not in home.read_text()


NAMES = ("Bob", "Robert", "Bobby", "Ada", "Nobody Yet")
COMMANDS = st.tuples(
    st.sampled_from(["alias", "merge", "split", "distinct", "rename", "dismiss"]),
    st.permutations(NAMES).map(lambda names: names[:2]),
)


def try_to_decide(bank: Bank, action: str, names: Sequence[str]) -> bool:
    """Whether the decision could be written; one that contradicts another is refused whole."""
    before = snapshot(bank.root)
    try:
        return bool(bank.decide(action, *names).changed)
    except LorebankError:
        assert snapshot(bank.root) == before
        return False


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(bob=PAGES, robert=PAGES, ledger=LEDGERS, commands=st.lists(COMMANDS, max_size=5))
def test_any_decisions_taken_back_one_by_one_are_the_identity(
    bob: bytes,
    robert: bytes,
    ledger: bytes | None,
    commands: list[tuple[str, Sequence[str]]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    root = tmp_path_factory.mktemp("names") / "notes"
    write_pages(root, bob, robert, ledger)
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        before, known = snapshot(root), said(bank)
        done = [command for command in commands if try_to_decide(bank, *command)]
        assert bank.check() == ()
        for action, names in reversed(done):
            bank.decide(action, *names, undo=True)
        assert snapshot(root) == before
        assert said(bank) == known
        assert bank.check() == ()


LINES = st.lists(
    st.sampled_from(
        [
            "- alias @Bobby → @Bob\n",
            "- merge @Bob → @Robert (2026-01-01): the same\n",
            "- merge @Robert → @Bob\n",
            "- merge @Ada → @Bob\n",
            "- alias @Bob → @Ada\n",
            "- split @Bob\n",
            "- split @Bobby @Bob\n",
            "- distinct @Bob @Robert\n",
            "- rename @Robert → @Roberto\n",
            "- dismiss @Bob @Bobby\n",
            "- merge @Bob Robert\n",
            "- marry @Bob @Ada\n",
            "merge @@ → \n",
            "- alias @Nobody → @Noone\n",
        ]
    ),
    max_size=6,
)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(bob=PAGES, robert=PAGES, lines=LINES, kept=st.sets(st.integers(0, 5)))
def test_lines_written_and_deleted_by_hand_leave_what_the_rest_says(
    bob: bytes,
    robert: bytes,
    lines: list[str],
    kept: set[int],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Odd lines, circles and contradictions included: what is left is as if the others had never
    been written, and the index as one made anew."""
    roots = [tmp_path_factory.mktemp("names") / "notes" for _ in range(2)]
    rest = "".join(line for number, line in enumerate(lines) if number in kept)
    said_at = []
    for root, texts in zip(roots, (["", "".join(lines), rest], ["", rest]), strict=True):
        write_pages(root, bob, robert, None)
        with Bank.open(root, environ=WORDS_ONLY) as bank:
            for text in texts:
                (root / LEDGER).write_text(text, "utf-8")
                settle_pages(bank)
                assert bank.check() == ()
            said_at.append([said(bank), bank.audit().duplicates, snapshot(root)])
    assert said_at[0] == said_at[1]


def settle_pages(bank: Bank) -> None:
    """What a reflect does with the pages, without what it writes on them."""
    bank.sync()
    reflection.settle_pages(bank.workspace, bank.workspace.day(None), dry_run=False)
