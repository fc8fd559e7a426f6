"""Tags: what counts as one, and what only looks like one."""

import pytest

from lorebank.markdown.properties import find_tags, front_matter_tags
from support import golden


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("Fixed it #home", ("home",)),
        ("#Home and (#Work/Mail), #home again", ("home", "work/mail")),
        ("#café #東京 #to-do.", ("cafe", "東京", "to-do")),
        ("#1password #v2", ("1password", "v2")),
        ("`#code` and ``a #b``", ()),
        ("https://example.org/#part [text](page.md#part) [[Page#Part]]", ()),
        ("# Heading #one", ()),
        ("  ## Heading #one\ntext #two", ("two",)),
        ("issue #42, colour #3fa2c1, C# and a#b, \\#escaped", ()),
        ("##double # alone", ()),
    ],
)
def test_a_tag_is_a_word_with_its_sign(text: str, tags: tuple[str, ...]) -> None:
    assert find_tags(text) == tags


@golden("markdown.md")
def test_front_matter_tags_are_lists_or_words(
    front_matter: dict[str, str | list[str]], tags: tuple[str, ...]
) -> None:
    assert front_matter_tags(front_matter) == tags
