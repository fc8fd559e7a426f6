"""Page edits: only the named blocks change, and no hand edit is lost."""

from hypothesis import given
from hypothesis import strategies as st

from lorebank.markdown.blocks import render_block
from lorebank.pages.edits import plan_page_edit

PATH = "bank/entities/Peter.md"


def test_a_new_page_begins_with_its_frame() -> None:
    edit = plan_page_edit(PATH, None, {"summary": "- One."}, frame="# Peter\n")
    assert (edit.old, edit.changes) == (None, True)
    assert edit.new.startswith("# Peter\n")
    assert render_block("summary", "- One.") in edit.new


def test_no_news_changes_no_byte() -> None:
    first = plan_page_edit(PATH, "# Peter\r\n\r\nmine\r\n", {"summary": "- One."}).new
    assert plan_page_edit(PATH, first, {"summary": "- One."}).changes is False


def test_a_hand_edit_moves_below_its_block_and_is_reported() -> None:
    page = render_block("summary", "- One.\n- Two.") + "\n\nAfter.\n"
    edited = page.replace("- Two.", "- Two, I think.\n- Mine.")
    edit = plan_page_edit(PATH, edited, {"summary": "- One.\n- Three."})
    assert edit.new == (
        render_block("summary", "- One.\n- Three.")
        + "\n\n> [!note] Kept from a hand edit of the block `summary`:\n\n"
        + "- Two, I think.\n- Mine.\n\nAfter.\n"
    )
    assert [d.code for d in edit.diagnostics] == ["hand-edit-kept"]
    assert plan_page_edit(PATH, edit.new, {"summary": "- One.\n- Three."}).changes is False


def test_a_dropped_block_goes_and_its_notes_stay() -> None:
    page = "A\n" + render_block("o-1234", "x") + "\n" + render_block("o-5678", "y") + "\nB\n"
    edited = page.replace("\ny\n", "\ny\nnote\n")
    edit = plan_page_edit(
        PATH, edited, {}, drop={"o-1234", "o-5678"}, own_notes={"o-5678": ["note"]}
    )
    assert edit.new == ("A\n> [!note] Kept from a hand edit of the block `o-5678`:\n\nnote\nB\n")


@given(st.text(max_size=60), st.text(max_size=60), st.lists(st.text(max_size=30), max_size=4))
def test_text_around_blocks_survives(before: str, after: str, bodies: list[str]) -> None:
    before = before.replace("\r", "").replace("lorebank:", "").replace("`", "").replace("~", "")
    after = after.replace("\r", "")
    block = render_block("summary", "start")
    text = f"{before}\n\n{block}\n{after}"
    for body in bodies:
        body = body.replace("lorebank:", "").replace("\r", "")
        text = plan_page_edit(PATH, text, {"summary": body}).new
        assert text.startswith(f"{before}\n\n<!--")
        assert text.endswith(f"-->\n{after}")
