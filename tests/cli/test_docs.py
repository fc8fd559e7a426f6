"""Pages of engine/docs that are made from code say what the code says; links lead somewhere."""

import re
from pathlib import Path

import pytest

from reference import DOCS, PAGES

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("name", PAGES)
def test_a_made_page_is_up_to_date(name: str) -> None:
    made = PAGES[name]()
    assert (DOCS / name).read_text("utf-8") == made, "run `python tests/reference.py`"


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted(DOCS.glob("*.md"))], ids=lambda p: p.name
)
def test_relative_links_lead_to_a_file(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text)
    assert [link for link in links if not (page.parent / link).exists()] == []
