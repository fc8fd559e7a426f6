"""What an agent's memory is known to need, row by row; each row has tests named after it.

The rows are the features that OpenClaw's documentation describes, by number (`F27`); a test of one
is called `test_f27_…`, of two `test_f53_f54_…`. A row stands here once it is built: then it must
have a test, and a test of a row that does not stand here is told as well.
"""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
NAMED = re.compile(r"^(?:async )?def test_((?:f\d\d_)+)", re.MULTILINE)

ROWS = {
    2: "memory is a part that can be switched off",
    3: "daily logs are appended to",
    4: "what a session starts with, in its order",
    5: "a page of lasting facts, under either of its names",
    6: "what is the owner's stays out of groups",
    8: "what belongs on which page",
    9: "remember this: written to disk",
    10: "a reminder before a conversation is compacted",
    11: "the reminder can be turned off",
    12: "when it is due",
    13: "its two prompts can be overridden",
    14: "an answer that is not delivered",
    15: "once a compaction",
    16: "not where nothing can be written",
    19: "settings are taken over from where OpenClaw keeps them",
    20: "which provider is taken where none is named",
    21: "where keys come from",
    22: "a login for chat is no key for embeddings",
    23: "an endpoint of the user's own",
    24: "Gemini",
    25: "OpenAI, and what speaks as it does",
    26: "settings of the endpoint win over the account's, header by header",
    27: "a fallback only where the primary fails",
    28: "the reason of a fallback is kept",
    29: "a local model, by file or by name",
    30: "the default among local GGUF models",
    31: "a missing program of a local model is named",
    32: "further folders of notes; links are not followed",
    33: "asynchronous jobs, off by default",
    34: "jobs are waited for, or fetched later",
    35: "jobs at a time",
    36: "jobs of each provider that has them",
    37: "a large amount is one job",
    38: "snippets with file and lines",
    40: "snippets are short, and say who answered",
    41: "search never gives a whole file",
    42: "a file by lines",
    43: "paths outside memory are refused",
    44: "both tools are gone where memory is off",
    45: "only Markdown",
    46: "where the index is kept",
    47: "when the index is brought up to date",
    48: "another model or chunk size is embedded anew, and said",
    52: "candidates for each hit that is wanted",
    54: "the weighted union of words and meaning",
    55: "weights are shares",
    56: "without vectors words answer",
    57: "without full text vectors answer",
    62: "the worked example of hits that differ",
    65: "the day of what has none in its name",
    66: "the worked example of decay",
    68: "the embedding cache",
    69: "transcripts only where both settings ask for them",
    70: "a grown transcript waits until it is worth reading",
    71: "a search reads no transcript",
    72: "hits in transcripts are snippets, and all there is to read",
    73: "one agent never sees another's",
    74: "sqlite-vec where it loads",
    75: "the same answers without it",
    76: "another build of it on request",
    77: "another engine ranks, on request",
    78: "a missing program is named",
    79: "a home of its own",
    80: "collections and their refreshes",
    81: "begun with the server",
    82: "the first refresh in the background, or awaited",
    83: "which of its searches, and the retry",
    84: "whatever fails there is answered here",
    85: "its batches are its own",
    86: "a slow first search",
    87: "which program",
    88: "the default memory as a collection",
    89: "further folders as collections",
    90: "sanitised sessions as a collection",
    91: "when it refreshes, and how long it may take",
    92: "how much it may answer",
    93: "who may search",
    94: "keys of sessions, short and raw",
    95: "a refused search is logged",
    96: "files elsewhere",
    97: "citations",
    98: "which engine answered",
}


def files_by_row() -> dict[int, list[str]]:
    """Row → the files with a test named after it."""
    found: dict[int, list[str]] = {}
    for file in sorted(TESTS.rglob("test_*.py")):
        for names in NAMED.findall(file.read_text("utf-8")):
            for name in names.rstrip("_").split("_"):
                found.setdefault(int(name[1:]), []).append(file.relative_to(TESTS).as_posix())
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"F{row:02}")
def test_each_row_has_a_test_named_after_it(row: int) -> None:
    assert files_by_row().get(row), f"F{row:02} ({ROWS[row]}) has no test_f{row:02}_…"


def test_each_row_that_is_tested_is_listed() -> None:
    assert sorted(set(files_by_row()) - ROWS.keys()) == []
