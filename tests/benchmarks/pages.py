"""Pages as an editor would have them: the fixtures' entity pages against an editor's judgment.

    python tests/benchmarks/pages.py [-v]

`fixtures/<name>.editor.json` was written from the logs alone, by somebody who had seen neither the
code nor a page: for the main entities the points that belong in a page's first ten lines, lines
that do not, and lines that hold no longer. Printed for each fixture: points covered there, lines
there that must not be, lines told as current that are stale, how often each source line is shown,
pages with fewer than two cited lines, and the size of the page of opinions.
"""

import json
import re
import shutil
import sys
import tempfile
from collections import Counter
from datetime import date
from pathlib import Path

from lorebank import Bank

FIXTURES = Path(__file__).parents[2] / "fixtures"
ENVIRON = {"LOREBANK_EMBEDDER__PROVIDER": "none", "LOREBANK_CONFIG": "/nonexistent"}
SCREEN = 10
PLACE = re.compile(r"([\w\-./ ]+\.md)#L(\d+)(?:-L?(\d+))?")
BLOCK = re.compile(r"lorebank:begin.*?-->(.*?)<!-- *lorebank:end", re.DOTALL)
NO_LONGER = re.compile(r"~~|\b(?:until|before|formerly|no longer|superseded)\b", re.IGNORECASE)


def main() -> None:
    for path in sorted(FIXTURES.glob("*.editor.json")):
        name = path.name.removesuffix(".editor.json")
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / name
            shutil.copytree(FIXTURES / name, root)
            counts, faults = judge(root, json.loads(path.read_text("utf-8")))
        print(
            f"{name:9} points {counts['covered']} of {counts['points']},"
            f" must not {counts['struck']} of {counts['unwanted']},"
            f" stale told as current {counts['current']} of {counts['stale']},"
            f" copies a line {counts['shown'] / max(counts['sources'], 1):.2f},"
            f" thin pages {counts['thin']}, opinions.md {counts['opinions'] / 1000:.1f} kB"
        )
        if "-v" in sys.argv:
            print(*faults, sep="\n")


def judge(root: Path, wanted: dict) -> tuple[Counter[str], list[str]]:
    with Bank.open(root, environ=ENVIRON) as bank:
        bank.reflect(now=date.fromisoformat(wanted["now"]))
        page_of = {entity.name: entity.page for entity in bank.entities()}
    counts: Counter[str] = Counter()
    faults = []
    for name, judgment in wanted["entities"].items():
        page = root / (page_of.get(name) or f"bank/entities/{name}.md")
        lines = lines_of(page.read_text("utf-8") if page.is_file() else "")
        screen = lines[:SCREEN]
        points = {place for point in judgment["must"] for place in point["lines"]}
        for point in judgment["must"]:
            counts["points"] += 1
            if any(cites(line, place) for line in screen for place in point["lines"]):
                counts["covered"] += 1
            else:
                faults.append(f"  missing · {name}: {point['says']} {point['lines']}")
        for unwanted in judgment["must_not"]:
            counts["unwanted"] += 1
            if any(tells(line, unwanted, points) for line in screen):
                counts["struck"] += 1
                faults.append(f"  must not · {name}: {unwanted['lines']}")
        for stale in judgment["stale"]:
            counts["stale"] += 1
            if any(tells(line, stale, set()) for line in screen):
                counts["current"] += 1
                faults.append(f"  stale · {name}: {stale['says']} {stale['lines']}")
    shown = Counter(
        (path, first)
        for page in (root / "bank").rglob("*.md")
        for block in BLOCK.findall(page.read_text("utf-8"))
        for line in block.splitlines()
        for path, first, _ in places_in(line)
    )
    counts["sources"], counts["shown"] = len(shown), shown.total()
    for page in (root / "bank/entities").glob("*.md"):
        cited = {place[:2] for place in places_in(page.read_text("utf-8"))}
        counts["thin"] += len(cited) < 2
    counts["opinions"] = (root / "bank/opinions.md").stat().st_size
    return counts, faults


def lines_of(page: str) -> list[str]:
    """The lines that say something: no front matter, headings, marks or names of parts."""
    body = re.sub(r"\A---\n.*?\n---\n", "", page, flags=re.DOTALL).splitlines()
    return [line for line in body if line.strip() and not re.match(r"#|<!--|\*\*[^*]+\*\*$", line)]


def places_in(text: str) -> set[tuple[str, int, int]]:
    found = PLACE.findall(text)
    return {(path.split("../")[-1], int(first), int(last or first)) for path, first, last in found}


def cites(line: str, place: str) -> bool:
    [(path, first, last)] = places_in(place)
    return any(p == path and a <= last and first <= b for p, a, b in places_in(line))


def tells(line: str, unwanted: dict, points: set[str]) -> bool:
    """Whether a line shows one of these places as current; with words, whether it says them."""
    if NO_LONGER.search(line) or not any(cites(line, place) for place in unwanted["lines"]):
        return False
    if words := unwanted.get("words"):
        return any(word.casefold() in line.casefold() for word in words)
    return points.isdisjoint(unwanted["lines"])


if __name__ == "__main__":
    main()
