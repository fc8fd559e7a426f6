"""Random histories of a workspace against a model of it: a dict from token to its line's text.

Each fact holds a token of its own. Whatever commands, hand edits and losses of the index come
between, a token is found if and only if its line stands in the notes, at the line that is cited.
"""

import shutil
import tempfile
from datetime import date, timedelta
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    precondition,
    rule,
)

from lorebank import Bank
from support import WORDS_ONLY

FIRST = date(2026, 3, 2)
NAMES = st.sampled_from(["Ilse", "Tomas", "the Boathouse", "Ren"])
ENDINGS = st.sampled_from(["", "\n", "\r\n", " \n\n\n"])


class Store(RuleBasedStateMachine):
    """One workspace; `model` holds what its notes say."""

    facts = Bundle("facts")
    forgotten = Bundle("forgotten")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.root = Path(self.folder)
        (self.root / "memory").mkdir()
        self.day = FIRST
        self.model: dict[str, str] = {}
        self.runs: list[str] = []
        self.count = 0
        self.bank = self.opened()

    def opened(self) -> Bank:
        return Bank.open(self.root, environ=WORDS_ONLY)

    def teardown(self) -> None:
        self.bank.close()
        shutil.rmtree(self.folder)

    def new_token(self) -> str:
        self.count += 1
        return f"zq{self.count:04d}x"

    def log(self) -> Path:
        return self.root / "memory" / f"{self.day}.md"

    @rule(target=facts, name=NAMES)
    def retain(self, name: str) -> str:
        token = self.new_token()
        text = f"Keeps the crate {token} dry."
        self.bank.retain(f"W @{name}: {text}", now=self.day)
        self.model[token] = text
        return token

    @rule(target=facts, name=NAMES, ending=ENDINGS)
    def write_by_hand(self, name: str, ending: str) -> str:
        token = self.new_token()
        text = f"Weighed the crate {token} at noon."
        before = self.log().read_bytes() if self.log().exists() else b"# A day\n"
        joint = b"" if before.endswith(b"\n") else b"\n"
        line = f"\n## Retain\n- B @{name}: {text}{ending}".encode()
        self.log().write_bytes(before + joint + line)
        self.bank.sync(embed=False)
        self.model[token] = text
        return token

    @rule(token=consumes(facts))
    def delete_by_hand(self, token: str) -> None:
        for file in (self.root / "memory").glob("*.md"):
            data = file.read_bytes()
            if token.encode() in data:
                kept = [x for x in data.splitlines(keepends=True) if token.encode() not in x]
                file.write_bytes(b"".join(kept))
        self.bank.sync(embed=False)
        self.model.pop(token, None)

    @rule(target=forgotten, token=consumes(facts))
    def forget(self, token: str) -> object:
        if token not in self.model:
            return multiple()
        report = self.bank.forget(match=token, now=self.day)
        assert report.run is not None
        return report.run, token, self.model.pop(token)

    @rule(target=facts, run=consumes(forgotten))
    def undo_forget(self, run: tuple[str, str, str]) -> object:
        name, token, text = run
        report = self.bank.undo_forget(name, force=True)
        if not any(path.startswith("memory/") for path in report.restored):
            return multiple()  # the note was changed by hand since, and is left as it is
        self.model[token] = text
        return token

    @rule()
    def reflect(self) -> None:
        report = self.bank.reflect(now=self.day)
        if report.run:
            self.runs.append(report.run)

    @precondition(lambda self: self.runs)
    @rule()
    def undo_reflect(self) -> None:
        self.bank.undo_reflect(self.runs.pop(), force=True)

    @rule()
    def lose_the_index(self) -> None:
        self.bank.close()
        for file in (self.root / ".memory").glob("index*"):
            file.unlink()
        self.bank = self.opened()

    @rule()
    def damage_the_index(self) -> None:
        self.bank.close()
        for file in (self.root / ".memory").glob("index.sqlite"):
            data = bytearray(file.read_bytes())
            data[len(data) // 3 : len(data) // 3 + 512] = b"\xff" * 512
            file.write_bytes(data)
        self.bank = self.opened()

    @rule()
    def next_day(self) -> None:
        self.day += timedelta(days=1)

    @invariant()
    def what_is_noted_is_found_where_it_is_cited(self) -> None:
        newest = f"zq{self.count:04d}x"
        for token in {*list(self.model)[-2:], newest, "zq0001x"}:
            found = [
                hit
                for hit in self.bank.recall(f'"{token}"', now=self.day, remember=False).hits
                if token in hit.content and hit.source.path.startswith("memory/")
            ]
            if token not in self.model:
                assert not found, f"{token} is gone"
                continue
            [hit] = found
            lines = (self.root / hit.source.path).read_text("utf-8").split("\n")
            assert self.model[token] in lines[hit.source.start_line - 1]


TestStore = Store.TestCase
TestStore.settings = settings(max_examples=12, stateful_step_count=14, deadline=None)
