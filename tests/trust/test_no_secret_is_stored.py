"""No byte of a secret reaches the derived folder, a page of the bank, or a model."""

import re
import zipfile
from datetime import date
from pathlib import Path

from lorebank import Bank
from support import WORDS_ONLY

CASES = Path(__file__).parents[1] / "language" / "secret_cases.tsv"
NOW = date(2026, 1, 10)
PRIVATE = "<private>\nmy hidden thought about Ana\n</private>"


def planted() -> tuple[list[str], list[str]]:
    """Lines that hold secrets, and the secrets."""
    lines = [
        line
        for line in CASES.read_text("utf-8").replace("~~", "").split("\n")
        if line and not line.startswith("#")
    ]
    secrets = [match[1] for line in lines if (match := re.search("«(.+)»", line))]
    return [line.replace("«", "").replace("»", "") for line in lines], secrets


def bytes_of(folder: Path) -> bytes:
    data = b""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            data += path.read_bytes() + b"\n"
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    data += b"\n".join(map(archive.read, archive.namelist()))
    return data


def test_nowhere_after_sync_recall_search_and_reflect(tmp_path: Path) -> None:
    lines, secrets = planted()
    memory, bank_folder = tmp_path / "memory", tmp_path / "bank"
    memory.mkdir()
    for number, line in enumerate(lines):
        day = f"2025-{number % 11 + 1:02}-{number % 27 + 1:02}"
        file = memory / f"{day}-{number}.md"
        fact = f"- W @Ana: {line}\n- O(c=0.8) @Ana: Prefers {line}\n"
        prose = f"Ana decided that {line}\n\n{PRIVATE}\n\n"
        file.write_text(f"# {day} {line}\n\n{prose}## Retain\n{fact}", "utf-8")
    (tmp_path / "memory.md").write_text("# Core\n\n" + "\n".join(lines), "utf-8")
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=NOW) as bank:
        bank.sync()
        bank.reflect(infer=True)
        page = bank_folder / "entities" / "Ana.md"
        page.write_text(page.read_text("utf-8") + f"\n{lines[0]}\n\n{lines[40]}\n", "utf-8")
        bank.retain("W @Ana: Moved to Lisbon.")
        written = page.read_bytes()
        bank.reflect(now=date(2026, 1, 11))
        for line in lines:
            bank.recall(line, k=3)
            bank.search(line, k=3)
        pack = bank.context(token_budget=100_000).text
        shared = bank.get("memory.md", shared=True).text
        problems = [p for p in bank.status().problems if p.code == "secret-redacted"]
        assert page.read_bytes() != written
        bank.undo_reflect()
        assert page.read_bytes() == written
    assert len(problems) >= 3 * len(secrets)
    derived = bytes_of(tmp_path / ".memory")
    pages = b"".join(p.read_bytes() for p in bank_folder.rglob("*.md") if p.name != "Ana.md")
    for secret in secrets:
        assert secret.encode() not in derived, secret
        assert secret.encode() not in pages, secret
        assert secret not in pack
        assert secret not in shared
        assert not any(secret in problem.message for problem in problems)
    assert b"hidden thought" not in derived
    assert b"hidden thought" not in pages
