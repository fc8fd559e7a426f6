"""Tags: what counts as one, and what only looks like one."""

from lorebank.markdown.properties import find_tags, front_matter_tags
from support import golden


@golden("markdown.md")
def test_a_tag_is_a_word_with_its_sign(text: str, tags: tuple[str, ...]) -> None:
    assert find_tags(text) == tags


@golden("markdown.md")
def test_front_matter_tags_are_lists_or_words(
    front_matter: dict[str, str | list[str]], tags: tuple[str, ...]
) -> None:
    assert front_matter_tags(front_matter) == tags
