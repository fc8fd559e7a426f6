"""Whose facts a run has to read: those with news, and those whose page is not what it should be.

A page shows more than the facts that name its entity: which of them were replaced or outweighed
since, by which names and links the others go, and the opinions. So the news of one entity reaches
others.
"""

from __future__ import annotations

from lorebank.index.connection import Connection
from lorebank.index.news import News, beside, months_of, touched_by_facts, touched_by_slots
from lorebank.reflect.pages import BankContent, PagePlan, Scope
from lorebank.reflect.settled import SettledPages
from lorebank.reflect.weighing import outweighed


def scope_of_run(
    connection: Connection, outline: BankContent, settled: SettledPages, news: News
) -> Scope | None:
    """What to read; `None` for everything, where no run has looked at every page yet."""
    if not settled.is_built:
        return None
    plan = PagePlan(outline)
    renamed = {
        slug
        for slug in plan.links.keys() | settled.links.keys()
        if plan.links.get(slug) != settled.links.get(slug)
    }
    turned = touched_by_facts(connection, outweighed(outline.opinions) ^ settled.outweighed)
    news = news | turned | News(beside(connection, renamed), months_of(connection, renamed))
    touched = touched_by_slots(connection, news.entities)
    open_pages = {
        slug
        for path, slug in plan.paths.items()
        if slug is not None and not settled.holds_beliefs(path, plan.beliefs_of(path))
    }
    return Scope(touched | open_pages, news.months)
