"""Names kept compared: a few that come and go lead to what comparing all of them anew leads to."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorebank import Bank
from support import WORDS_ONLY

NAMES = [
    "Peter",
    "Pete",
    "Peter Adler",
    "P. Adler",
    "Petra Adler",
    "Peter Adlre",
    "Christopherson",
    "Christohperson",
    "Christophersen",
    "Kellermann GmbH",
    "Kellermann",
    "Kellermann AG",
    "Room 101",
    "Room 102",
    "Москва",
    "Moscow",
    "محمد",
    "Mohammed",
    "Mahmud",
    "田中太郎",
    "田中",
    "김민수",
    "Kim Minsu",
    "Nasa",
    "National Aeronautics and Space Administration",
]
LOGS = st.dictionaries(
    st.sampled_from(["2026-01-01", "2026-01-02", "2026-01-03"]),
    st.lists(st.sampled_from(NAMES), max_size=6),
    max_size=3,
)
LEDGER = st.lists(
    st.tuples(
        st.sampled_from(["alias", "merge", "split", "distinct", "rename", "dismiss"]),
        st.sampled_from(NAMES[:12]),
        st.sampled_from(NAMES[:12]),
    ),
    max_size=3,
)


def write(root: Path, logs: dict[str, list[str]], ledger: list[tuple[str, str, str]]) -> None:
    for log in (root / "memory").glob("*.md"):
        log.unlink()
    for day, names in logs.items():
        facts = [
            f"- W @[[{name}]]: Met {NAMES[len(name) % len(NAMES)]} and Peter's friend."
            for name in names
        ]
        text = "\n".join(["Pete was there, and Kellermann.", "## Retain", *facts, ""])
        (root / "memory" / f"{day}.md").write_text(text, "utf-8")
    lines = [f"- {action} @[[{a}]] → @[[{b}]]" for action, a, b in ledger]
    (root / "bank" / "identity.md").write_text("\n".join([*lines, ""]), "utf-8")


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(states=st.lists(st.tuples(LOGS, LEDGER), min_size=1, max_size=5))
def test_an_index_kept_up_equals_one_made_anew(
    states: list[tuple[dict[str, list[str]], list[tuple[str, str, str]]]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    root = tmp_path_factory.mktemp("names")
    (root / "memory").mkdir()
    (root / "bank").mkdir()
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        for logs, ledger in states:
            write(root, logs, ledger)
            bank.sync()
            assert bank.check() == ()


def test_a_key_that_too_many_names_share_pairs_nobody_until_some_of_them_go(
    write_log: Callable[..., Path],
) -> None:
    surnames = [f"Z{a}{b}li" for a in "aeiou" for b in "bdfgklmnrt"]
    full = [f"- W @[[Peter {surname}]]: Was here." for surname in surnames]
    root = write_log("2026-01-01", "- W @Peter: Was here.")
    write_log("2026-01-02", *full)
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        crowded = [pair for pair in bank.audit().duplicates if pair[0] == "peter"]
        assert crowded == []
        write_log("2026-01-02", *full[:20])
        bank.sync()
        assert len([pair for pair in bank.audit().duplicates if pair[0] == "peter"]) == 20
        assert bank.check() == ()
        write_log("2026-01-02", *full)
        bank.sync()
        assert [pair for pair in bank.audit().duplicates if pair[0] == "peter"] == []
        assert bank.check() == ()


def test_a_name_in_another_script_makes_no_pairs_of_those_in_one(
    write_log: Callable[..., Path],
) -> None:
    """Its sound is compared with theirs, and theirs not with each other's."""
    root = write_log("2026-01-01", "- W @محمد: Met @Potter and @Patra.")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        assert bank.audit().duplicates == ()
