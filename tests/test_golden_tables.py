"""Each table of `tests/golden/` is read by the test it is named after; none is left over."""

import re
from pathlib import Path

from support import GOLDEN

READ = re.compile(r'@golden\("(\S+)"\)\n(?:@.+\n)*def test_(\w+)')
AT_ONCE = re.compile(r'\brows\("(\S+)", "(.+?)"\)')


def test_every_table_has_its_test() -> None:
    sources = [file.read_text("utf-8") for file in Path(__file__).parent.rglob("test_*.py")]
    read = [(page, name.replace("_", " ")) for text in sources for page, name in READ.findall(text)]
    read += [each for text in sources for each in AT_ONCE.findall(text)]
    written = [
        (page, title)
        for page in {page for page, _ in read}
        for title in re.findall("^## (.+)$", (GOLDEN / page).read_text("utf-8"), re.MULTILINE)
    ]
    assert len(read) > 50
    assert sorted(written) == sorted(read)  # each heading once, each read by one test


def test_every_page_is_read() -> None:
    sources = "".join(f.read_text("utf-8") for f in Path(__file__).parent.rglob("test_*.py"))
    assert [page.name for page in GOLDEN.iterdir() if f'"{page.name}"' not in sources] == []
