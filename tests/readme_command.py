"""Prints one of the README's two commands, as written there: `demo` or `test`.

The commands are the first two fenced `sh` blocks of the README; `.ci/run` evaluates them.
"""

import re
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def readme_command(name: str) -> str:
    """The command of that name; `ValueError` where the README does not hold two `sh` blocks."""
    blocks = re.findall(r"^```sh\n(.*?)\n```$", README.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    if len(blocks) < 2 or any("\n" in block for block in blocks[:2]):
        raise ValueError("the README must begin with two one-line sh blocks")
    return blocks[("demo", "test").index(name)]


if __name__ == "__main__":
    sys.stdout.write(readme_command(sys.argv[1]) + "\n")
