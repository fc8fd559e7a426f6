"""A decision about names taken back leaves no trace: files, facts, opinions and graph as before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorebank import Bank
from support import WORDS_ONLY

LEDGER = "bank/identity.md"


def files(root: Path) -> dict[str, bytes]:
    """Every Markdown file, byte for byte."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*.md"))
        if ".memory" not in path.parts
    }


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
        before, known = files(root), said(bank)
        done = bank.decide(action, "Bob", "Robert")
        assert done.changed[0] == LEDGER
        assert "bank/entities/Bob.md" not in files(root)
        assert bank.entity("Bob").entity == bank.entity("Robert").entity
        assert bank.decide(action, "Bob", "Robert").changed == ()
        assert bank.check() == ()
        bank.decide(action, "Bob", "Robert", undo=True)
        assert files(root) == before
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
        before, known = files(root), said(bank)
        action, *names = decision
        bank.decide(action, *names)
        bank.reflect()
        (root / LEDGER).unlink()
        bank.reflect()
        after = files(root)
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
        assert plan.changed == (
            LEDGER,
            "bank/entities/Peter.md",
            "bank/entities/Maya.md",
        )
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
