"""Names of entity pages: safe everywhere, distinct, and the same whatever the order."""

import random

from hypothesis import given
from hypothesis import strategies as st

from lorebank.markdown.entity_page import entity_page_name, entity_page_paths
from support import golden


@golden("markdown.md")
def test_page_name(name: str, page: str) -> None:
    assert entity_page_name(name) == page


@given(st.text(max_size=200))
def test_any_name_gives_a_safe_file_name(name: str) -> None:
    page = entity_page_name(name)
    assert 0 < len(page.encode()) <= 120
    assert not set(page) & set('/\\:*?"<>|\n\r\t\0 ')
    assert page[0] != "." and page[-1] not in ". "
    assert page.split(".")[0].lower() not in {"con", "prn", "aux", "nul", "com1", "lpt9"}


def test_device_names_get_a_digest() -> None:
    assert entity_page_name("CON").startswith("CON-")
    assert entity_page_name("nul.txt").startswith("nul-")


@given(st.dictionaries(st.text("abAB-é ", min_size=1), st.text("abAB é/", min_size=1), max_size=9))
def test_no_two_pages_differ_only_in_case(names: dict[str, str]) -> None:
    paths = entity_page_paths(names)
    assert len({path.casefold() for path in paths.values()}) == len(names)
    shuffled = list(names.items())
    random.Random(0).shuffle(shuffled)
    assert entity_page_paths(dict(shuffled)) == paths
