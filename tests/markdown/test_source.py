"""Bytes to text, text to lines."""

import subprocess
import sys

from lorebank.markdown.source import decode, newline_style, split_lines
from support import golden


@golden("markdown.md")
def test_decoding(data: bytes, text: str, problems: list[tuple[int, str, str]]) -> None:
    decoded, found = decode(data, "a.md")
    assert decoded == text
    assert [(p.line, p.code) for p in found] == [problem[:2] for problem in problems]
    assert all(problem[2] in p.message for p, problem in zip(found, problems, strict=True))


def test_a_binary_file_is_reported_in_few_lines() -> None:
    assert len(decode(b"\xff" * 100_000, "a.md")[1]) == 20


@golden("markdown.md")
def test_only_lf_and_crlf_end_a_line(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


def test_the_newline_style_is_that_of_most_lines() -> None:
    assert [newline_style(text) for text in ("", "a\n", "a\r\nb\r\nc\n", "a\r\nb\n")] == [
        "\n",
        "\n",
        "\r\n",
        "\n",
    ]


def test_importing_the_extractors_does_not_import_the_parser() -> None:
    modules = "facts, passages, ledger, blocks, front_matter"
    code = (
        f"import sys; from lorebank.markdown import {modules}; print('markdown_it' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
