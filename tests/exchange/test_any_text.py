"""No text is too odd for a reader, and none brings out what its owner keeps private."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.domain.facts import Diagnostic
from lorebank.exchange.conversations import Conversation, Speech, conversation_note
from lorebank.exchange.notes import ImportedNote, imported_from, is_untouched, render_note
from lorebank.exchange.read_logseq import GraphSettings, graph_page
from lorebank.exchange.vaults import VaultSettings, vault_note, with_retain_section
from lorebank.index.reading import read_file
from lorebank.index.sync import ReadSettings
from lorebank.markdown.document import read_document
from lorebank.markdown.sections import RETAIN_HEADINGS
from lorebank.workspace.files import SourceFile
from lorebank.workspace.layout import FileRole

_PIECES = st.sampled_from(
    (
        *("---\n", "a: b\n", "\n", "\n\n", "- ", "\t- ", "  ", "# "),
        *("## Retain\n", "> [!note]- x\n"),
        *("[[", "]]", "|", "#", "^a1", "![[", "(", ")", "[x](y.md)", "%%", "```\n"),
        *("~~~", "`", "``"),
        *("id:: ", "key:: v\n", "((", "))", "{{query x}}", ":LOGBOOK:\n"),
        *(":END:\n", "#+BEGIN_QUERY\n"),
        *("- [fact] text #t (c)\n", "- rel [[B]]\n", "<private>", "</private>", "<!--", "-->"),
        *("word ", "日本", "🌊", "\r\n", "\r", "\x00", "\ud800", "\u2028", "TODO ", "@Ana "),
    )
)  # fmt: skip
TEXTS = st.lists(_PIECES, max_size=40).map("".join) | st.text(max_size=200)

Reader = Callable[[str], Iterator[ImportedNote | Diagnostic]]
READERS: dict[str, Reader] = {
    "obsidian": lambda text: vault_note("a/b.md", text, VaultSettings()),
    "basic-memory": lambda text: vault_note("a/b.md", text, VaultSettings(), with_retain_section),
    "logseq": lambda text: graph_page("pages/b.md", text, GraphSettings(), {}),
    "conversation": lambda text: conversation_note(
        Conversation("id", text[:20], None, [Speech("User", text), Speech("User", "end")], "c", 1)
    ),
}


@pytest.mark.parametrize("name", READERS)
@given(text=TEXTS)
def test_any_text_becomes_a_file_that_knows_itself(name: str, text: str) -> None:
    for note in READERS[name](text):
        if isinstance(note, ImportedNote):
            file = render_note(note, "form/name:key")
            file.encode("utf-8")
            assert imported_from(file) == "form/name:key"
            assert is_untouched(file)
            assert not is_untouched(file + "more")
            read_document(file, "memory/imported/x.md")


@pytest.mark.parametrize("name", READERS)
@given(before=TEXTS, after=TEXTS)
def test_private_text_stays_where_it_is(name: str, before: str, after: str) -> None:
    text = f"{before.replace('`', '')}<private>xyzzy</private>{after}"
    for note in READERS[name](text):
        if isinstance(note, ImportedNote):
            assert "xyzzy" not in note.text


@given(text=TEXTS)
def test_a_turn_states_no_facts_and_hides_nothing(text: str) -> None:
    found = list(READERS["conversation"](text))
    (note,) = [each for each in found if isinstance(each, ImportedNote)]
    file = render_note(note, "chatgpt:id").encode("utf-8")
    source = SourceFile("memory/imported/c.md", len(file), 0, None, FileRole.NOTE)
    assert read_file(file, "hash", source, ReadSettings(RETAIN_HEADINGS, 400, 80)).facts == ()
    if "<private>" not in text:
        assert note.text.endswith("\n\n**User:** end\n")
