"""A thousand hand edits, ten runs: what people write outside the managed blocks is theirs."""

import random
import re
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.markdown.blocks import find_blocks
from support import WORDS_ONLY

NOW = date(2025, 12, 20)
PEOPLE = [f"{name}-{family}" for name in ("Ada", "Bo", "Cy", "Di") for family in ("Ek", "Frost")]
EDITS = (550, *(50 for _ in range(9)))
"""So many before each of ten runs: a thousand."""
WRITTEN = (
    *("Mine {n}.", "# Mine {n}", "## Between {n}", "- W @Ada-Ek: Owns {n} boats.", "> quoted {n}"),
    *("trailing {n}   ", "\t{n}", "é `x {n}", "日本語 {n}", "[[Andy]] {n}", "<private>mine {n}"),
    *(
        "```",
        "~~~ x{n}",
        "<!-- mine {n}",
        "-->",
        "---",
        "***",
        "key: {n}",
        "a\u2028b {n}",
        "\x0c{n}",
    ),
    *("<!-- lorebank:end timeline -->", "<!-- lorebank:begin mine{n} -->", "{n}\\", "| a | {n} |"),
)
Edit = Callable[[str, random.Random, str], str]


def places(text: str) -> list[int]:
    """Where a line may begin outside the blocks and the front matter."""
    taken = [range(block.start, block.end + 1) for block in find_blocks(text)[0]]
    head = re.match(r"\ufeff?---\r?\n.*?^---\r?\n", text, re.S | re.M)
    least = head.end() if head else len(text) - len(text.removeprefix("\ufeff"))
    starts = [least, *(m.end() for m in re.finditer(r"\n", text)), len(text)]
    return [p for p in starts if p >= least and not any(p in span for span in taken)]


def insert_line(text: str, chance: random.Random, line: str) -> str:
    place = chance.choice(places(text))
    before = "" if not place or text[place - 1] == "\n" else "\n"
    ending = chance.choice(["\n", "\n\n", "\r\n", "  \n"])
    return text[:place] + before + line + ending + text[place:]


def append_without_newline(text: str, _: random.Random, line: str) -> str:
    return text + line if len(text) in places(text) else text


def write_front_matter(text: str, _: random.Random, line: str) -> str:
    """A key of one's own at the end of the front matter."""
    key = f"mine{abs(hash(line)) % 1000}: {line.strip() or 'x'!r}\n"
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    head = re.match(r"---\r?\n.*?(?=^---\r?$)", text[len(mark) :], re.S | re.M)
    if head is None:
        return text
    return text[: len(mark) + head.end()] + key + text[len(mark) + head.end() :]


def add_byte_order_mark(text: str, *_: object) -> str:
    return text if text.startswith("\ufeff") else "\ufeff" + text


def end_lines_with_crlf(text: str, *_: object) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def delete_a_mark(text: str, chance: random.Random, _: str) -> str:
    marks = [*re.finditer(r"^<!-- lorebank:(begin|end) [^\n]*\n", text, re.M)]
    if not marks:
        return text
    mark = chance.choice(marks)
    return text[: mark.start()] + text[mark.end() :]


def delete_a_block(text: str, chance: random.Random, _: str) -> str:
    blocks = find_blocks(text)[0]
    if not blocks:
        return text
    block = chance.choice(blocks)
    return text[: block.start] + text[block.end :]


def double_a_block(text: str, chance: random.Random, _: str) -> str:
    blocks = find_blocks(text)[0]
    if not blocks:
        return text
    block = chance.choice(blocks)
    return text + "\n" + text[block.start : block.end] + "\n"


PLAIN: tuple[Edit, ...] = (insert_line,) * 12 + (append_without_newline, write_front_matter)
RARE: tuple[Edit, ...] = (add_byte_order_mark, end_lines_with_crlf)
MARKS: tuple[Edit, ...] = (delete_a_mark, delete_a_block, double_a_block)


def outside(data: bytes) -> str:
    """All that is not generated: the text without its blocks and the keys that reflect keeps."""
    text = data.decode()
    for block in reversed(find_blocks(text)[0]):
        text = text[: block.start] + text[block.end :]
    return re.sub(r"^(?:first_seen|last_seen|facts): .*\n", "", text, flags=re.M)


def lines(text: str) -> Counter[str]:
    """Every line and how often it stands there; a last one without an ending may get one."""
    return Counter(line.rstrip("\r") for line in text.split("\n") if line.strip())


def edit_by_hand(pages: list[Path], edits: int, chance: random.Random, kinds: list[Edit]) -> None:
    for number in range(edits):
        page = chance.choice(pages)
        line = chance.choice(WRITTEN).replace("{n}", str(number))
        text = chance.choice(kinds)(page.read_bytes().decode(), chance, line)
        page.write_bytes(text.encode())


def write_log(root: Path, turn: int, chance: random.Random) -> None:
    told = [f"- W @{chance.choice(PEOPLE)}: Owns boat {turn}{n}." for n in range(3)]
    told += [f"- O @{chance.choice(PEOPLE)}: Likes green tea.", f"- B: Painted fence {turn}."]
    log = root / "memory" / f"2025-12-{turn + 1:02}.md"
    log.write_text("## Retain\n\n" + "\n".join(told) + "\n", "utf-8")


@pytest.mark.parametrize("marks", [False, True], ids=["text", "text and marks"])
def test_a_thousand_edits_survive_ten_runs(tmp_path: Path, marks: bool) -> None:
    chance = random.Random(7)
    (tmp_path / "memory").mkdir()
    first = [f"- W @{name} @{PEOPLE[0]}: Lives in Porto." for name in PEOPLE]
    (tmp_path / "memory" / "2025-11-30.md").write_text("## Retain\n\n" + "\n".join(first) + "\n")
    kinds = [*PLAIN * 3, *RARE, *(MARKS if marks else ())]
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=NOW) as bank:
        bank.reflect()
        pages = sorted((tmp_path / "bank").glob("[ew]*.md")) + sorted(tmp_path.glob("bank/e*/*.md"))
        checked = 0
        for turn, edits in enumerate(EDITS):
            edit_by_hand(pages, edits, chance, kinds)
            write_log(tmp_path, turn, chance)
            before = {page: page.read_bytes() for page in pages}
            report = bank.reflect(force=True)
            assert report.changed
            moved = {p.path for p in report.problems if p.code == "hand-edit-kept"}
            for page, data in before.items():
                after = page.read_bytes()
                if page.relative_to(tmp_path).as_posix() not in moved:
                    assert outside(after).startswith(outside(data).rstrip("\r\n")), page
                    checked += after != data
                assert lines(outside(data)) <= lines(after.decode()), page
        assert checked >= 7  # pages that a run changed, compared byte for byte
        last = {page: page.read_bytes() for page in pages}
        assert bank.reflect().changed == ()
        assert {page: page.read_bytes() for page in pages} == last
