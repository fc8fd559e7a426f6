"""Names in running text, kept up by small steps: a name that comes changes what old text says."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorebank import Bank
from support import WORDS_ONLY

LINES = [
    "- W @Ann: Met Tom Baker at the old mill.",
    "- W @Tom: Saw Ann Weber and 東京.",
    "- W @[[Old Mill]]: Burnt down.",
    "- W @東京: Is large.",
    "- W @[[Tom Baker]]: Bakes.",
    "- W @[[Ann Weber]]: Sings.",
]
PROSE = ["Tom Baker met Ann Weber at the Old Mill.", "Tom went to 東京に。", "tom and ANN, Ann."]
LEDGER = ["- alias @Tommy → @Tom", "- merge @Tom → @[[Tom Baker]]", "- alias @mill → @[[Old Mill]]"]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["memory/2026-01-01.md", "memory/2026-01-02.md", "bank/identity.md"]),
        st.lists(st.integers(0, 5), max_size=4),
    ),
    min_size=2,
    max_size=5,
)


@settings(max_examples=25, deadline=None)
@given(STEPS)
def test_an_index_kept_up_says_what_one_made_anew_says(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, list[int]]]
) -> None:
    root = tmp_path_factory.mktemp("names")
    (root / "memory").mkdir()
    (root / "bank").mkdir()
    (root / "memory" / "notes.md").write_text("\n\n".join(PROSE), "utf-8")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        for path, chosen in steps:
            pool = LEDGER if path.endswith("identity.md") else LINES
            lines = [pool[number % len(pool)] for number in chosen]
            (root / path).write_text("\n".join(["## Retain", *lines, ""]), "utf-8")
            bank.sync(embed=False)
            assert bank.check() == ()


def test_a_name_that_comes_later_is_found_in_old_prose(tmp_path: Path) -> None:
    log = tmp_path / "memory" / "2026-01-02.md"
    log.parent.mkdir()
    log.write_text("Lunch with Grimsby today.\n", "utf-8")
    with Bank.open(tmp_path, environ=WORDS_ONLY) as bank:
        assert bank.entities() == ()
        later = tmp_path / "memory" / "2026-01-03.md"
        later.write_text("## Retain\n- W @Grimsby: Sells rope.\n", "utf-8")
        bank.sync()
        view = bank.entity("Grimsby")
        assert [(n.content, str(n.source)) for n in view.named_in] == [
            ("Lunch with Grimsby today.", "memory/2026-01-02.md#L1")
        ]
        assert view.entity.facts == 1
        later.unlink()
        bank.sync()
        assert bank.entities() == ()


def test_excluded_names_are_found_only_where_they_are_marked(tmp_path: Path) -> None:
    log = tmp_path / "memory" / "2026-01-02.md"
    log.parent.mkdir()
    log.write_text("The moss grows.\n\n## Retain\n- W @moss: Serves files.\n", "utf-8")
    environ = WORDS_ONLY | {"LOREBANK_MENTIONS__EXCLUDE": "moss"}
    with Bank.open(tmp_path, environ=WORDS_ONLY) as bank:
        assert len(bank.entity("moss").named_in) == 1
    with Bank.open(tmp_path, environ=environ) as bank:
        assert bank.entity("moss").named_in == ()
