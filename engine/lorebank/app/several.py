"""Several banks asked together: each opened, asked on its own, and their answers merged.

One that cannot be asked is named in the result and fails nothing; only what would fail in every
bank alike, such as a date that nobody understands, is an error.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self, TypeVar, Unpack

from lorebank.app.bank import Bank
from lorebank.app.questions import RecallKeywords
from lorebank.app.workspace import Opening, listed, opinion_sort_key
from lorebank.domain.answers import (
    Answer,
    BankPart,
    EntitiesOfBanks,
    FileText,
    OpinionsOfBanks,
    RegisteredBank,
    SearchHit,
    SearchOfBanks,
)
from lorebank.domain.facts import Diagnostic
from lorebank.errors import LorebankError, UsageError, WorkspaceError
from lorebank.recall.several import Asked, merge_answers, merge_searches
from lorebank.settings.tables import RecallSettings
from lorebank.workspace.registry import Registry, load_registry, split_place

T = TypeVar("T")


class Banks:
    """Registered banks that are asked together.

    >>> with Banks.open(["home", "work"]) as banks:    # doctest: +SKIP
    ...     for hit in banks.recall("when is the boiler serviced?").hits:
    ...         print(hit.bank, hit.content, hit.source)

    A bank is opened when it is first asked. Days and `now` are as in `Bank`.
    """

    def __init__(
        self, banks: Sequence[RegisteredBank], registry: Registry, open_named: Callable[[str], Bank]
    ) -> None:
        self.banks = tuple(banks)
        self._registry = registry
        self._open_named = open_named
        self._opened: dict[str, Bank] = {}

    @classmethod
    def open(cls, names: Sequence[str] | None = None, **how: Unpack[Opening]) -> Self:
        """The banks of these names, in that order; all that are registered without any. `how` is
        as in `Bank.open`.

        Raises `WorkspaceError` for an unknown name, and where none is registered.
        """
        environ = how.get("environ")
        registry = load_registry(os.environ if environ is None else environ)
        banks = (
            registry.banks if names is None else map(registry.named, dict.fromkeys(listed(names)))
        )
        asked = tuple(dict.fromkeys(banks))
        if not asked:
            raise WorkspaceError(
                "no bank is registered", hint="`lorebank bank add NAME DIR` registers one"
            )
        return cls(asked, registry, lambda name: Bank.open(registry.root(name), **how))

    def only(self, names: Sequence[str]) -> Self:
        """Those of the banks that have one of these names, opened already or not."""
        kept = [bank for bank in self.banks if bank.name in listed(names)]
        chosen = type(self)(kept, self._registry, self._open_named)
        chosen._opened = self._opened
        return chosen

    def recall(self, query: str, **asked: Unpack[RecallKeywords]) -> Answer:
        """`Bank.recall` of every bank, merged by rank; `Answer.banks` says what each had to say.

        A bank without evidence is left out as soon as another has some; see `recall.several`.
        """
        if asked.get("why_not") is not None:
            raise UsageError("why-not is asked of one bank", hint="name it: --bank NAME")
        answers = self._ask(lambda bank: bank.recall(query, **asked))
        k, budget = asked.get("k") or RecallSettings().k, asked.get("token_budget")
        return merge_answers(answers, query, k=k, token_budget=budget)

    def search(self, query: str, *, k: int = 10, **limits: Any) -> SearchOfBanks:
        """`Bank.search` of every bank's notes, merged by rank; transcripts are no bank's."""
        asked = self._ask(lambda bank: bank.search(query, k=k, sessions=False, **limits))
        return _search(query, asked, k)

    def memory_search(self, query: str, *, k: int = 6, **limits: Any) -> SearchOfBanks:
        """`Bank.memory_search` of every bank, merged by rank; its settings say whether snippets
        cite."""
        asked = self._ask(
            lambda bank: bank.memory_search(query, k=k, sessions=False, **limits).hits
        )
        return _search(query, asked, k)

    def opinions(self, entity: str | None = None, **filters: Any) -> OpinionsOfBanks:
        """`Bank.opinions` of every bank, the surest first: one rule makes all confidences."""
        asked = self._ask(lambda bank: bank.opinions(entity, **filters))
        rows = [(each.part.bank, opinion) for each in asked for opinion in each.said or ()]
        parts = tuple(replace(each.part, results=len(each.said or ())) for each in asked)
        return OpinionsOfBanks(tuple(sorted(rows, key=lambda row: opinion_sort_key(row[1]))), parts)

    def entity(self, name: str, **filters: Any) -> EntitiesOfBanks:
        """`Bank.entity` of every bank that knows the name; two banks' entities are never one."""
        asked = self._ask(lambda bank: bank.entity(name, **filters))
        views = tuple((each.part.bank, each.said) for each in asked if each.said is not None)
        parts = tuple(replace(each.part, results=int(each.said is not None)) for each in asked)
        return EntitiesOfBanks(views, parts)

    def fallbacks(self) -> tuple[Diagnostic, ...]:
        """`Bank.fallbacks` of every bank that was asked."""
        return tuple(found for bank in self._opened.values() for found in bank.fallbacks())

    def get(self, place: str, **lines: Any) -> FileText:
        """`Bank.get` of a place as answers cite it here: `work:memory/2025-11-27.md#L3`."""
        name, path = split_place(place, self._registry)
        if name is None or name not in {bank.name for bank in self.banks}:
            raise UsageError(
                f"'{place}' names none of these banks", hint="write NAME:PATH, as answers cite it"
            )
        return self._bank(name).get(path, **lines)

    def close(self) -> None:
        """Close every bank that was opened."""
        while self._opened:
            self._opened.popitem()[1].close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _bank(self, name: str) -> Bank:
        if name not in self._opened:
            self._opened[name] = self._open_named(name)
        return self._opened[name]

    def _ask(self, question: Callable[[Bank], T]) -> list[Asked[T]]:
        """What each bank says; raises only where none can say anything."""
        asked: list[Asked[T]] = []
        problems: list[LorebankError] = []
        for each in self.banks:
            part = BankPart(each.name, each.path)
            try:
                asked.append(Asked(part, question(self._bank(each.name))))
            except UsageError:
                raise
            except LorebankError as problem:
                problems.append(problem)
                asked.append(Asked(replace(part, error=problem.message, hint=problem.hint)))
            except OSError as problem:
                problems.append(WorkspaceError(f"{each.path}: {problem.strerror or problem}"))
                asked.append(Asked(replace(part, error=problems[-1].message)))
        if len(problems) == len(asked):
            raise _of_all(problems, [each.part for each in asked])
        return asked


def open_bank(name: str, **how: Unpack[Opening]) -> Bank:
    """The bank registered under a name, opened as by `Bank.open`."""
    return Bank.open(bank=name, **how)


def registered_banks(environ: Mapping[str, str] | None = None) -> tuple[RegisteredBank, ...]:
    """The banks that the user has named, in the order of `banks.toml`."""
    return load_registry(os.environ if environ is None else environ).banks


def recall_all(
    query: str,
    banks: Sequence[str] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    **asked: Unpack[RecallKeywords],
) -> Answer:
    """Ask several registered banks once, all of them where `banks` names none; see `Banks`."""
    with Banks.open(banks, environ=environ) as opened:
        return opened.recall(query, **asked)


def _search(query: str, asked: Sequence[Asked[tuple[SearchHit, ...]]], k: int) -> SearchOfBanks:
    hits = merge_searches(asked, k=k)
    counts = Counter(hit.bank for hit in hits)
    parts = tuple(replace(each.part, results=counts[each.part.bank]) for each in asked)
    return SearchOfBanks(query=query, hits=hits, banks=parts)


def _of_all(problems: Sequence[LorebankError], parts: Sequence[BankPart]) -> LorebankError:
    first = problems[0]
    if all(str(problem) == str(first) for problem in problems):
        return first
    reasons = "; ".join(f"{part.bank}: {part.error}" for part in parts)
    kind = type(first) if len({type(problem) for problem in problems}) == 1 else WorkspaceError
    return kind(f"no bank could be asked: {reasons}", hint=first.hint)
