"""Front matter: the flat subset is read, generated keys are set, all else keeps its bytes."""

from hypothesis import given
from hypothesis import strategies as st

from lorebank.markdown.front_matter import (
    FrontMatterValue,
    parse_front_matter,
    set_front_matter_keys,
)
from support import golden


@golden("markdown.md")
def test_the_flat_subset_is_read(lines: str, values: dict[str, FrontMatterValue]) -> None:
    assert parse_front_matter(f"---\n{lines}\n---\nbody\n")[0] == values


@golden("markdown.md")
def test_where_the_body_begins(text: str, line: int) -> None:
    assert parse_front_matter(text)[1] == line


def test_lines_that_are_not_understood_are_reported_and_stay() -> None:
    text = "---\na: b\n{ not flat\na: c\n---\n"
    values, _, problems = parse_front_matter(text, "p.md")
    assert values == {"a": "b"}
    assert [(p.line, p.code) for p in problems] == [
        (4, "front-matter-duplicate"),
        (3, "front-matter-unread"),
    ]
    assert set_front_matter_keys(text, {"a": "b"}) == text


def test_only_the_set_keys_change() -> None:
    text = "---\n# mine\ntype:   person\naliases:\n  - Pete\n\nfacts: 3\n---\r\nbody  \n"
    assert set_front_matter_keys(text, {"facts": "4", "first_seen": "2025-11-27"}) == (
        "---\n# mine\ntype:   person\naliases:\n  - Pete\n\nfacts: 4\nfirst_seen: 2025-11-27\n"
        "---\r\nbody  \n"
    )


def test_a_key_is_removed_with_its_items() -> None:
    text = "---\na:\n  - x\n  - y\nb: 1\n---\n"
    assert set_front_matter_keys(text, {"a": None}) == "---\nb: 1\n---\n"


def test_front_matter_is_made_where_there_is_none() -> None:
    assert (
        set_front_matter_keys("# Ana\r\n", {"facts": "1"}) == "---\r\nfacts: 1\r\n---\r\n# Ana\r\n"
    )
    assert set_front_matter_keys("# Ana\n", {"facts": None}) == "# Ana\n"


_VALUES = st.one_of(
    st.text(max_size=20).map(lambda text: " ".join(text.split())),
    st.lists(st.sampled_from(["a", "b: c", "d, e", "[f]", '"g"', "'h'", "#i", "手", "no"])),
)


@given(st.text(max_size=60), _VALUES)
def test_what_is_set_is_read_back(body: str, value: FrontMatterValue) -> None:
    text = set_front_matter_keys(f"---\nmine: 1\n---\n{body}", {"key": value})
    assert parse_front_matter(text)[0] == {"mine": "1", "key": value}
    assert text.endswith(f"---\n{body}")
    assert set_front_matter_keys(text, {"key": value}) == text


@given(st.text())
def test_no_text_raises(text: str) -> None:
    parse_front_matter(f"---\n{text}\n---")
    parse_front_matter(text)
