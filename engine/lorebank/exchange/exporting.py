"""One export: which facts go out, in which form, and where to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

from lorebank.domain import Entity, Fact, FactKind, Opinion
from lorebank.errors import UsageError
from lorebank.exchange.pages import Page, bank_pages
from lorebank.exchange.reports import ExportReport
from lorebank.exchange.target import write_target_file, write_target_folder
from lorebank.exchange.write_csv import facts_csv
from lorebank.exchange.write_jsonl import facts_jsonl
from lorebank.exchange.write_markdown import page_markdown
from lorebank.exchange.write_site import page_html
from lorebank.records import dataclass


class ExportForm(StrEnum):
    """What can be written."""

    JSONL = "jsonl"
    CSV = "csv"
    MARKDOWN = "markdown"
    SITE = "site"


_TABLES: Mapping[ExportForm, Callable[[Sequence[Fact]], str]] = MappingProxyType(
    {ExportForm.JSONL: facts_jsonl, ExportForm.CSV: facts_csv}
)
_BUNDLES: Mapping[ExportForm, tuple[str, Callable[[Page], str]]] = MappingProxyType(
    {ExportForm.MARKDOWN: (".md", page_markdown), ExportForm.SITE: (".html", page_html)}
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which facts go out."""

    kinds: tuple[FactKind, ...] = ()
    """Any where empty."""
    since: date | None = None
    """Those that happened, or were recorded, on that day or later."""
    quarantined: bool = False
    """Whether facts go out that nobody vouched for."""

    def takes(self, fact: Fact) -> bool:
        last = fact.recorded
        if fact.occurred and fact.occurred.end:
            last = fact.occurred.end
        recent = self.since is None or (last is not None and last >= self.since)
        return recent and (not self.kinds or fact.kind in self.kinds)


def export_bank(
    form: str,
    facts: Sequence[Fact],
    entities: Sequence[Entity],
    opinions: Sequence[Opinion],
    *,
    wanted: Wanted,
    target: Path | None = None,
    force: bool = False,
) -> ExportReport:
    """Write the facts that are wanted; a table without a target is handed back as text.

    `UsageError` for an unknown form, and for a bundle of pages without a target.
    """
    chosen = _chosen(form)
    fitting = [fact for fact in facts if wanted.takes(fact)]
    taken = [fact for fact in fitting if wanted.quarantined or not fact.quarantined]
    left_out = len(fitting) - len(taken)
    if chosen in _TABLES:
        text = _TABLES[chosen](taken)
        if target is None:
            return ExportReport(chosen.value, len(taken), left_out, text=text)
        write_target_file(target, text, force=force)
        return ExportReport(chosen.value, len(taken), left_out, str(target))
    if target is None:
        raise UsageError(f"{chosen} is a folder of pages", hint="say where: --output FOLDER")
    suffix, write = _BUNDLES[chosen]
    held = opinions if not wanted.kinds or FactKind.OPINION in wanted.kinds else ()
    pages = bank_pages(taken, entities, held)
    files = {f"{page.path}{suffix}": write(page) for page in pages}
    write_target_folder(target, files, force=force)
    return ExportReport(chosen.value, len(taken), left_out, str(target), tuple(files))


def _chosen(form: str) -> ExportForm:
    try:
        return ExportForm(form)
    except ValueError:
        known = ", ".join(ExportForm)
        raise UsageError(f"'{form}' is no form of an export", hint=f"one of {known}") from None
