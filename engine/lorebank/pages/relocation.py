"""Relocation: facts typed on a bank page move down when reflect writes above them.

A plan cites lines; writing the plan may shift some of them. So the pages are planned again with the
places that the facts will have, until no place moves any more. What is shown, and written, is the
last plan, and a second run finds nothing to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from lorebank.domain import Citation, Fact, Opinion
from lorebank.markdown.facts import extract_facts
from lorebank.pages.edits import PageEdit
from lorebank.pages.pages import BankContent

_BANK = "bank/"


def relocate(
    content: BankContent, edits: Iterable[PageEdit], *, headings: Sequence[str]
) -> BankContent:
    """The content of all facts with every citation as it will be once the edits are written."""
    places = moved_places(content.facts, edits, headings=headings)
    if not places:
        return content
    return replace(
        content,
        facts=tuple(_fact_at(fact, places) for fact in content.facts),
        opinions=tuple(_opinion_at(opinion, places) for opinion in content.opinions),
    )


def moved_places(
    facts: Iterable[Fact], edits: Iterable[PageEdit], *, headings: Sequence[str]
) -> dict[Citation, Citation]:
    """Old place → new place, of those of the facts that the edits move."""
    places: dict[Citation, Citation] = {}
    by_page: dict[str, list[Fact]] = {}
    for fact in facts:
        if fact.citation.path.startswith(_BANK):
            by_page.setdefault(fact.citation.path, []).append(fact)
    for edit in edits:
        own = by_page.get(edit.path)
        if own and edit.new is not None:
            places |= _new_places(own, edit.path, edit.new, headings)
    return {old: new for old, new in places.items() if old != new}


def _new_places(
    facts: Sequence[Fact], path: str, text: str, headings: Sequence[str]
) -> dict[Citation, Citation]:
    """Old place → new place; several facts of one id keep their order."""
    extraction = extract_facts(text, path, recorded=None, headings=headings, everywhere=True)
    found: dict[str, list[Citation]] = {}
    for fact in extraction.facts:
        found.setdefault(fact.content, []).append(fact.citation)
    places: dict[Citation, Citation] = {}
    for fact in sorted(facts, key=lambda f: f.citation.start_line):
        there = found.get(fact.content)
        if there:
            places[fact.citation] = there.pop(0)
    return places


def _fact_at(fact: Fact, places: dict[Citation, Citation]) -> Fact:
    place = places.get(fact.citation)
    return fact if place is None else replace(fact, citation=place)


def _opinion_at(opinion: Opinion, places: dict[Citation, Citation]) -> Opinion:
    return replace(
        opinion,
        source=places.get(opinion.source, opinion.source),
        evidence=tuple(
            replace(evidence, source=places.get(evidence.source, evidence.source))
            for evidence in opinion.evidence
        ),
    )
