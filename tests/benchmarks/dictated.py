"""Dictated sentences: `python tests/benchmarks/dictated.py FILE.jsonl [-v]`.

Each record has the names that the workspace knows (`known`), a sentence (`text`), and what retain
should make of it: the letter of its `kind`, and whom it mentions (`entities`).
"""

import json
import sys
import tempfile
from datetime import date
from pathlib import Path

from lorebank import Bank

DAY = date(2025, 3, 3)


def main(path: str, *, verbose: bool) -> None:
    records = [json.loads(line) for line in Path(path).read_text("utf-8").splitlines() if line]
    kinds = names = 0
    for record in records:
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "memory" / "2025-03-01.md"
            log.parent.mkdir()
            known = "".join(f"- W @[[{name}]]: Is known here.\n" for name in record["known"])
            log.write_text(f"## Retain\n{known}", "utf-8")
            environ = {"LOREBANK_EMBEDDER__PROVIDER": "none", "LOREBANK_CONFIG": "/nonexistent"}
            with Bank.open(folder, environ=environ) as bank:
                fact = bank.retain(record["text"], now=DAY)
                slugs = {entity.slug: entity.name for entity in bank.entities()}
        found = {slugs.get(mention.slug, mention.name) for mention in fact.mentions}
        kind_right = fact.kind.letter == record["kind"]
        names_right = found == set(record["entities"])
        kinds += kind_right
        names += names_right
        if verbose and not (kind_right and names_right):
            print(record["id"], record["lang"], fact.kind.letter, sorted(found), record["text"])
    print(f"kind right {kinds} of {len(records)}, names right {names} of {len(records)}")


if __name__ == "__main__":
    main(sys.argv[1], verbose="-v" in sys.argv)
