"""What of a sentence still holds when a newer fact replaces a part of it."""

from __future__ import annotations

import pytest

from lorebank.pages.facts import holding_text


@pytest.mark.parametrize(
    ("content", "lapsed", "expected"),
    [
        (
            "Is my sister; she lives in Lisbon and works as a nurse.",
            ["lisbon"],
            "Is my sister; works as a nurse.",
        ),
        (
            "Works at Acme as an engineer; he is my oldest friend.",
            ["acme"],
            "He is my oldest friend.",
        ),
        ("Lives in Bonn since May; before that she lived in Rome.", ["bonn"], ""),
        ("Moved to Bonn; loves it there.", ["bonn"], ""),
        ("Lives in Lisbon, Portugal.", ["lisbon"], ""),
        ("是项目的负责人，住在上海。", ["上海"], "是项目的负责人。"),
        ("Ist Lottes Mutter; wohnt in Bonn.", ["bonn"], "Ist Lottes Mutter."),
        ("Lives in Lisbon.", ["lisbon"], ""),
    ],
)
def test_only_whole_clauses_that_stand_alone_are_kept(
    content: str, lapsed: list[str], expected: str
) -> None:
    assert holding_text(content, lapsed) == expected
