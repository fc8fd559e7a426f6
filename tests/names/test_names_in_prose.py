"""Known names in running text: words of their own in every script, the longest first."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorebank import Bank
from lorebank.language.folding import slugify
from lorebank.names.prose import NameFinder, NamePattern, pattern_of
from lorebank.names.types import guess_type
from support import WORDS_ONLY, golden

NAMES = [
    *("Ann", "Anna", "Java", "JavaScript", "The Castle", "Node.js", "C++", "New York", "IT"),
    *("Will", "warelay", "Łukasz", "Groß", "Mary Ann", "São Paulo", "Иван"),
    *("東京", "京都", "東京都", "田中", "王伟", "北京", "張小明", "김민수", "アンナ"),
]
FINDER = NameFinder([p for name in NAMES if (p := pattern_of(slugify(name), name))])


@golden("names.md")
def test_names_found(text: str, names: list[str]) -> None:
    assert [spotted.slug for spotted in FINDER.find(text)] == names


def test_a_given_name_inside_a_longer_one_is_another_person() -> None:
    assert [s.start for s in FINDER.find("Ann Smith came; Ann too.")] == [16]


@pytest.mark.parametrize(
    ("name", "excluded", "expected"),
    [
        ("Peter", (), NamePattern("peter", "peter", "P")),
        ("IT", (), NamePattern("it", "it", "IT")),
        ("the-castle", (), NamePattern("the-castle", "the castle", "")),
        ("Will", (), NamePattern("will", "will", "Will")),
        ("The", (), None),
        ("C", (), None),
        ("moss", ("moss",), None),
        ("12", (), None),
    ],
)
def test_what_is_looked_for(
    name: str, excluded: tuple[str, ...], expected: NamePattern | None
) -> None:
    assert pattern_of(slugify(name), name, frozenset(excluded)) == expected


@given(st.text(alphabet="AnJavSmithCßéŁ東京都田中張小明김アー -_'’.@/`+#\n", max_size=40))
def test_what_is_found_is_a_known_name_and_never_overlaps(text: str) -> None:
    found = FINDER.find(text)
    assert {spotted.slug for spotted in found} <= {slugify(name) for name in NAMES}
    ends = [0, *(spotted.end for spotted in found)]
    assert all(spotted.start >= end for spotted, end in zip(found, ends, strict=False))


@golden("names.md")
def test_types(
    names: list[str], relations: tuple[str, ...], values_of: tuple[str, ...], expected: str | None
) -> None:
    guess = guess_type(names, relations, values_of)
    assert (guess[0] if guess else None) == expected


# -- Names in running text, kept up by small steps: a name that comes changes what old text say


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
