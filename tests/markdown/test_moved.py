"""A page inside another one: both come back byte for byte, whatever they hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.markdown.entity_page import find_moved, move_in, take_out

BOB = "bank/entities/Bob.md"
PAGES = st.lists(
    st.sampled_from(
        [
            "# Bob\n",
            "text ",
            "\n",
            "\r\n",
            "---\n",
            "aliases: [B]\n",
            "<!-- lorebank:begin summary sha=1 -->\n",
            "<!-- lorebank:end summary -->",
            "x & y <b> &lt;",
            "```\n",
            "<!--",
            "-->",
            "## From x\n\n",
            "\ufeff",
        ]
    ),
    max_size=12,
).map("".join)


@given(PAGES, PAGES, PAGES)
def test_pages_put_into_each_other_come_out_as_they_were(home: str, a: str, b: str) -> None:
    one = move_in(home, BOB, a, title="Bob")
    assert take_out(one, BOB) == (home, a)
    both = move_in(one, "bank/entities/R&D.md", b, title="R&D")
    assert take_out(both, "bank/entities/R&D.md") == (one, b)
    assert take_out(both, BOB)[1] == a
    nested = move_in(b, "bank/entities/Rob.md", one, title="Rob")
    assert take_out(nested, "bank/entities/Rob.md") == (b, one)
    assert take_out(nested, BOB)[1] == a


def test_what_people_wrote_is_shown_under_its_origin() -> None:
    page = "---\naliases: [Bobby]\n---\n# Bob\n\nHums.\n"
    assert move_in("# Robert\n", BOB, page, title="Bob") == (
        "# Robert\n"
        "\n## From Bob (bank/entities/Bob.md)\n\n"
        "<!-- lorebank:moved bank/entities/Bob.md\n---\naliases: [Bobby]\n---\n\n-->\n"
        "# Bob\n\nHums.\n"
        "\n<!-- lorebank:moved-end bank/entities/Bob.md -->\n"
    )


def test_a_page_without_a_word_of_anybody_is_held_out_of_sight() -> None:
    page = "# Bob\n\n<!-- lorebank:begin summary sha=1 -->\nx\n<!-- lorebank:end summary -->\n"
    home = move_in("# Robert\n", BOB, page, title="Bob")
    assert "## From" not in home
    assert [(moved.path, moved.text) for moved in find_moved(home)] == [(BOB, page)]


def test_a_page_is_not_put_in_twice() -> None:
    home = move_in("", BOB, "x", title="Bob")
    with pytest.raises(ValueError, match="stands here already"):
        move_in(home, BOB, "y", title="Bob")
