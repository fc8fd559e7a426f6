"""Sources that somebody made to do harm, or that got damaged: named, left out, never followed."""

import json
import os
import stat
import zipfile
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank import Bank, NotFound, UsageError, WorkspaceError
from lorebank.domain.facts import Diagnostic
from lorebank.exchange import importing
from lorebank.exchange.conversations import Conversation, Speech, conversation_note
from lorebank.exchange.importing import ImportReport
from lorebank.exchange.notes import ImportedNote, imported_from, is_untouched, render_note
from lorebank.exchange.read_logseq import GraphSettings, graph_page
from lorebank.exchange.source import BrokenJson, json_values
from lorebank.exchange.vaults import vault_note, with_retain_section
from lorebank.index.reading import read_file
from lorebank.index.sync import ReadSettings
from lorebank.markdown.document import read_document
from lorebank.markdown.sections import RETAIN_HEADINGS
from lorebank.workspace.atomic import write_atomic
from lorebank.workspace.discover import VaultSettings
from lorebank.workspace.files import SourceFile
from lorebank.workspace.layout import FileRole
from support import WORDS_ONLY, golden

CHAT = {
    "uuid": "c1",
    "name": "Tides",
    "created_at": "2024-02-01T12:00:00Z",
    "chat_messages": [{"uuid": "m", "sender": "human", "text": "High at noon."}],
}


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    (tmp_path / "workspace" / "memory").mkdir(parents=True)
    return Bank.open(tmp_path / "workspace", environ=WORDS_ONLY, now=date(2026, 1, 10))


def zipped(path: Path, entries: dict[str, bytes | str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return path


def left_out(report: ImportReport) -> list[str]:
    return [f"{problem.path} {problem.code}" for problem in report.left_out]


def outside(tmp_path: Path) -> set[str]:
    return {entry.name for entry in tmp_path.iterdir()}


def test_names_that_lead_out_of_an_archive(bank: Bank, tmp_path: Path) -> None:
    names = ["../evil.md", "/etc/evil.md", "C:\\evil.md", "a\\..\\..\\evil.md", "a/../../evil.md"]
    source = zipped(
        tmp_path / "export.zip",
        {**dict.fromkeys(names, "evil"), "conversations.json": json.dumps([CHAT])},
    )
    before = outside(tmp_path)
    report = bank.import_notes(source)
    assert report.added == ("memory/imported/claude/2024/2024-02-01-tides.md",)
    assert left_out(report)[: len(names)] == [f"{name} entry-refused" for name in names]
    assert outside(tmp_path) == before


def test_a_bomb_in_many_small_entries_is_refused(bank: Bank, tmp_path: Path) -> None:
    notes = {f"notes/{number}.md": " " * 3_000_000 for number in range(8)}
    source = zipped(tmp_path / "many.zip", notes)
    with pytest.raises(WorkspaceError, match="8 entries unpack to 24,000,000 bytes"):
        bank.import_notes(source, dry_run=True)


def test_a_bomb_is_not_unpacked(bank: Bank, tmp_path: Path) -> None:
    bomb = "[" + " " * 30_000_000 + "]"
    source = zipped(tmp_path / "b.zip", {"conversations.json": bomb, "a/conversations.json": "[]"})
    with zipfile.ZipFile(source) as archive:
        assert archive.infolist()[0].compress_size < 50_000
    report = bank.import_notes(source, form="claude")
    assert (report.added, left_out(report)) == ((), ["conversations.json entry-refused"])


def test_an_archive_of_which_nothing_may_be_unpacked_says_why(bank: Bank, tmp_path: Path) -> None:
    source = zipped(tmp_path / "b.zip", {"conversations.json": "[" + " " * 30_000_000 + "]"})
    with pytest.raises(UsageError, match="contains no readable files: unpacks to 30,000,002"):
        bank.import_notes(source)


def test_a_header_that_lies_about_its_size(
    bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lorebank.workspace.given.MAX_ENTRY_BYTES", 10_000)
    source = zipped(tmp_path / "b.zip", {"conversations.json": json.dumps([CHAT] * 80)})
    data = source.read_bytes()
    with zipfile.ZipFile(source) as archive:
        size = archive.infolist()[0].file_size
    assert size > 10_000
    source.write_bytes(data.replace(size.to_bytes(4, "little"), (9_000).to_bytes(4, "little")))
    report = bank.import_notes(source, form="claude")
    assert not report.complete
    assert "conversations.json unreadable" in left_out(report)


def test_an_encrypted_entry_and_a_link_in_an_archive(bank: Bank, tmp_path: Path) -> None:
    source = tmp_path / "export.zip"
    with zipfile.ZipFile(source, "w") as archive:
        link = zipfile.ZipInfo("notes.md")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("conversations.json", json.dumps([CHAT]))
    report = bank.import_notes(source)
    assert (len(report.added), left_out(report)) == (1, ["notes.md entry-refused"])


def test_no_archive_at_all(bank: Bank, tmp_path: Path) -> None:
    source = zipped(tmp_path / "export.zip", {"conversations.json": json.dumps([CHAT] * 50)})
    data = bytearray(source.read_bytes())
    data[60:90] = bytes(30)
    source.write_bytes(data)
    report = bank.import_notes(source, form="claude")
    assert not report.complete
    source.write_bytes(data[:-30])
    with pytest.raises((WorkspaceError, NotFound)):
        bank.import_notes(tmp_path / "missing.zip")


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_links_are_never_followed(bank: Bank, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("The secret.")
    vault = tmp_path / "Vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "a.md").symlink_to(tmp_path / "secret.md")
    (vault / "folder").symlink_to(tmp_path)
    (vault / "b.md").write_text("Fine.")
    report = bank.import_notes(vault)
    assert [Path(path).name for path in report.added] == ["b.md"]
    assert {"a.md symlink-ignored", "folder symlink-ignored"} <= set(left_out(report))


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_link_in_the_workspace_is_not_written_through(bank: Bank, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (bank.root / "memory" / "imported").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "Vault").mkdir()
    (tmp_path / "Vault" / "a.md").write_text("Fine.")
    with pytest.raises(WorkspaceError, match="symbolic link"):
        bank.import_notes(tmp_path / "Vault")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_note_that_could_not_be_written_is_tried_again(
    bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Vault").mkdir()
    (tmp_path / "Vault" / "a.md").write_text("Fine.")

    def full(path: Path, data: bytes, *, expected: bytes | None) -> None:
        if path.suffix == ".md":
            raise WorkspaceError(f"{path}: cannot be written: No space left on device")
        write_atomic(path, data, expected=expected)

    with monkeypatch.context() as patched:
        patched.setattr(importing, "write_atomic", full)
        report = bank.import_notes(tmp_path / "Vault")
    assert (report.added, report.complete) == ((), False)
    assert left_out(report) == ["a.md not-written"]
    again = bank.import_notes(tmp_path / "Vault")
    assert ([Path(path).name for path in again.added], again.complete) == (["a.md"], True)


def test_broken_json_is_named_by_line_and_column(bank: Bank, tmp_path: Path) -> None:
    source = tmp_path / "conversations.json"
    source.write_text(f'[\n{json.dumps(CHAT)},\n{{"uuid": "c2", oops')
    report = bank.import_notes(source)
    (problem,) = report.left_out
    assert (len(report.added), report.complete) == (1, False)
    assert (problem.path, problem.line, problem.code) == ("conversations.json", 3, "invalid-json")
    assert "line 3, column 16" in problem.message


@golden("exchange.md")
def test_values_of_odd_shapes_are_left_out(bank: Bank, tmp_path: Path, value: str) -> None:
    source = tmp_path / "conversations.json"
    source.write_text(value)
    report = bank.import_notes(source)
    assert (report.added, report.left_out != ()) == ((), True)


def test_text_that_would_change_what_it_stands_in(bank: Bank, tmp_path: Path) -> None:
    said = "Half a \ud83d smile\x00\x1b[2J\r\n<!-- never closed\n\n---\n# Retain\n"
    said += "- W @M: Owns all.\n```"
    messages = [
        {"sender": "human", "text": said, "content": []},
        {"sender": "assistant", "text": "I see."},
    ]
    source = tmp_path / "conversations.json"
    source.write_text(json.dumps([{**CHAT, "chat_messages": messages}]))
    report = bank.import_notes(source)
    text = (bank.root / report.added[0]).read_text("utf-8")
    assert text.split("\n---\n", 1)[1] == (
        "# Tides\n\n**User:** Half a \ufffd smile[2J\n&lt;!-- never closed\n\n---\n**Retain**\n"
        "- W @M: Owns all.\n```\n```\n\n**Assistant:** I see.\n"
    )
    assert bank.timeline() == ()


def test_names_no_other_system_takes(bank: Bank, tmp_path: Path) -> None:
    if os.name == "nt":
        pytest.skip("Windows makes no such files")
    vault = tmp_path / "Vault"
    vault.mkdir()
    names = ("CON", "a:b?", "what. ", "Ana", "ANA", "日" * 80, "🎉👩‍💻", "%41", "x" * 250)
    for name in names:
        (vault / f"{name}.md").write_text("Fine.")
    report = bank.import_notes(vault)
    stems = [Path(path).stem for path in report.added]
    assert len({stem.casefold() for stem in stems}) == len(names)
    assert max(len(stem.encode()) for stem in stems) <= 120
    assert not any(set(stem) & set('<>:"\\|?*%') or stem.endswith((".", " ")) for stem in stems)
    assert {"CON_", "a-b-", "what"} <= set(stems)
    assert bank.import_notes(vault).unchanged == len(names)


def test_an_empty_folder_and_a_folder_of_other_things(bank: Bank, tmp_path: Path) -> None:
    (tmp_path / "empty" / ".obsidian").mkdir(parents=True)
    report = bank.import_notes(tmp_path / "empty", form="obsidian")
    assert (report.added, report.left_out) == ((), ())
    (tmp_path / "empty" / "movie.mov").write_bytes(b"\0" * 100)
    (tmp_path / "empty" / "binary.md").write_bytes(b"\0\1\2")
    report = bank.import_notes(tmp_path / "empty", form="obsidian")
    assert left_out(report) == ["binary.md not-text", "movie.mov attachment"]


def test_invalid_utf8_is_named_and_read_with_replacement(bank: Bank, tmp_path: Path) -> None:
    (tmp_path / "Vault").mkdir()
    (tmp_path / "Vault" / "a.md").write_bytes(b"Caf\xe9 at noon.")
    report = bank.import_notes(tmp_path / "Vault")
    assert left_out(report) == ["a.md utf8-invalid"]
    assert "Caf\ufffd at noon." in (bank.root / report.added[0]).read_text("utf-8")


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


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def values(data: bytes) -> list[Any]:
    return [value for _, value in json_values(data)]


@given(st.lists(JSON), st.sampled_from((None, 1)), st.booleans())
def test_the_elements_of_an_array(
    expected: list[Any], indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(expected, indent=indent, ensure_ascii=ascii_only)
    data = text.encode("utf-8", "surrogatepass")
    assert values(data) == json.loads(data.decode("utf-8", "replace"))


@given(JSON.filter(lambda value: not isinstance(value, list)))
def test_any_other_value_is_itself(expected: Any) -> None:
    assert values(json.dumps(expected).encode()) == [expected]


@pytest.mark.parametrize(
    ("text", "read", "where"),
    [
        ('[1,\n {"a": tru', [1], (2, 8)),
        ("[1 2]", [1], (1, 4)),
        ('["a"', ["a"], (1, 5)),
        ("[1]\n]", [1], (2, 1)),
        ("", [], (1, 1)),
        ('[\n\n"never closed', [], (3, 1)),
        ("[NaN, 1", [pytest.approx(float("nan"), nan_ok=True), 1], (1, 8)),
    ],
)
def test_where_it_is_broken(text: str, read: list[Any], where: tuple[int, int]) -> None:
    found: list[Any] = []
    with pytest.raises(BrokenJson) as broken:
        found.extend(value for _, value in json_values(text.encode()))
    line, column = where
    assert f"at line {line}, column {column} " in str(broken.value)
    assert broken.value.line == line


def test_lines_are_counted_through_values() -> None:
    data = b'\xef\xbb\xbf[\n{"a":\n1},\n\n2]'
    assert list(json_values(data)) == [(2, {"a": 1}), (5, 2)]
