"""No text, however hostile, takes more than linear time to read.

Each unit below is repeated to 50 kB, as prose and as one fact, read and written to an index, and
asked for its dates:
in linear time that takes some .2 s of CPU, with a quadratic expression 3 s and more. The process is
ended after a minute or two, since the worst took hours.
"""

import subprocess
import sys
from pathlib import Path

import pytest

UNITS = (
    *("a", "-", "@", "@a ", "[", "[[", "(", "x:", "http://", "http://a.", "a=", "password: ", "*"),
    *("`", "<", "<!--", "<private>", "#", "> ", "1", "1-", "a-b-", "aB", "a.", "a/", "\t", "|"),
    *("| a | b |\n", "- [ ] a\n", "  - a\n", "Anna Berg ", "mon ", "1 Jan ", "O(c=", "é", "人"),
    *("https://a@b:", "-----BEGIN ", "key_", "for of to ", "&lt;", "until ", "3 to 4 "),
    *("word ", "He went to the mill on Friday, then bought 3 kg of rye, "),
)
LONG_LINES = (
    *("@", "@Bob ", "[[a]] ", "[[", "[a](", "a=", "a-b-", "1-", "2026-01-01 ", "a *b **c "),
    *("&lt;", "DE89370400440532013000 ", "He moved to a mill, then he sold it. ", "word "),
    *("password: ", "key_", "3 March 2026 ", "on Monday and on Tuesday "),
)
"""Repeated to 1 MB; ordinary prose is the slowest."""
FILES = (
    ("'# ' + 'word ' * 100_000 + '\\n'", "- He went to the mill.\n"),
    ("'---\\n' + ''.join(f'k{i}: v{i}\\n' for i in range(5_000)) + '---\\n'", "It is so.\n\n"),
    ("'---\\ntags: [ x' + \"'\" * 400_000 + ']\\n---\\n'", "- He went to the mill.\n"),
    *(("''", unit) for unit in ("Retain:\n\nIt is so.\n\n", "a\n\n", "- a\n", "> - " * 30 + "a\n")),
    ("''", "|" + "1|" * 2000 + "\n" + "|-" * 2000 + "|\n"),
    ("''", "0b7e4a1c-93d2-4f5a-8c1e-2d9f60a7b3e4\n"),
    ("'## Retain\\n'", "- W @a: x\n"),
    ("''", "- [ ] a\n"),
)
"""A beginning, and what follows on it up to 1 MB: what is said of all lines is kept once."""
resource = pytest.importorskip("resource", reason="Windows cannot limit CPU time")
CPU_SECONDS = 180
PROGRAM = """
import time
from datetime import date
from lorebank.dates.phrases import find_phrases
from lorebank.index.sync import ReadSettings
from lorebank.database.connection import open_in_memory
from lorebank.index.reading import read_file
from lorebank.index.writing import delete_files, insert_files
from lorebank.markdown.document import MOST_LINES
from lorebank.markdown.sections import RETAIN_HEADINGS
from lorebank.workspace.files import SourceFile
from lorebank.workspace.layout import FileRole

index = open_in_memory(None)
settings = ReadSettings(
    retain_headings=RETAIN_HEADINGS, chunk_tokens=400, chunk_overlap=80,
    plain_mentions=True, not_mentions=(), origins=(),
)
for unit in UNITS:
    for before in ("", "## Retain\\n- W @A: "):
        print(repr(unit), repr(before), flush=True)
        begun = time.process_time()
        data = (before + unit * (50_000 // len(unit))).encode()
        log = SourceFile("memory/2025-01-01.md", len(data), 1, date(2025, 1, 1), FileRole.LOG)
        insert_files(index, [(read_file(data, "hash", log, settings), 1)])
        delete_files(index, [log.path])
        for day in (date(2025, 1, 1), date(2025, 1, 15)):  # as a page of it is made
            find_phrases(data.decode(), day)
        assert time.process_time() - begun < 2
for unit in LONG_LINES:  # what stands behind the first thousands is no longer looked into
    for before in ("", "## Retain\\n- W @A: "):
        print(repr(unit), repr(before), flush=True)
        begun = time.process_time()
        data = (before + unit * (1_000_000 // len(unit))).encode()
        read = read_file(data, "hash", log, settings)
        insert_files(index, [(read, 1)])
        delete_files(index, [log.path])
        assert time.process_time() - begun < 4
        codes = {each.code for each in read.diagnostics}
        assert "long-line" in codes
        assert ("many-mentions" in codes) == (unit in ("@Bob ", "[[a]] "))
        assert ("many-dates" in codes) == (not before and unit in LONG_LINES[-2:])
note = SourceFile("memory/mill.md", 1, 1, None, FileRole.NOTE)
for begins, unit in FILES:
    for source in (log, note):
        print(repr(begins), repr(unit[:40]), source.path, flush=True)
        begun = time.process_time()
        text = eval(begins)
        data = (text + unit * ((1_000_000 - len(text)) // len(unit))).encode()
        read = read_file(data, "hash", source, settings)
        insert_files(index, [(read, 1)])
        delete_files(index, [source.path])
        assert time.process_time() - begun < 12
        codes = {each.code for each in read.diagnostics}
        assert ("many-lines" in codes) == (sum(map(bool, data.splitlines())) > MOST_LINES)
print("done")
"""


def limit_cpu() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))


def test_repeated_marks_are_read_in_linear_time(tmp_path: Path) -> None:
    program = tmp_path / "read.py"
    program.write_text(
        f"UNITS, LONG_LINES, FILES = {UNITS!r}, {LONG_LINES!r}, {FILES!r}\n{PROGRAM}",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, preexec_fn=limit_cpu
    )
    last = (done.stdout.strip() or done.stderr).split("\n")[-1]
    assert last == "done", f"stopped at {last}\n{done.stderr[-2000:]}"
