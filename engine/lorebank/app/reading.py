"""Reading: the text of a file, facts by time, the morning page, what is to come."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

from lorebank.app.workspace import Day, OpenWorkspace
from lorebank.domain.answers import Agenda, FileText, NamedIn
from lorebank.domain.facts import Fact
from lorebank.errors import PathRefused, UsageError
from lorebank.workspace.layout import is_owners


def get(
    ws: OpenWorkspace,
    path: str,
    *,
    start_line: int | None = None,
    lines: int | None = None,
    shared: bool = False,
    group: bool = False,
) -> FileText:
    """The text of a memory file, whole or by lines; `path` may carry `#L10-L20`.

    A path that begins with `qmd/`, as the sidecar's hits elsewhere do, is read from the
    collection it names. `shared` gives the text as a model may read it: private parts blank,
    secrets masked. Raises `PathRefused` for whatever is outside the workspace's memory and the
    collections, and in a `group` for the core memory; `NotFound` for a file that is not there.
    """
    from lorebank.markdown.hidden import hide, shareable
    from lorebank.workspace.paths import read_excerpt

    def for_group(text: str) -> str:
        return shareable(hide(text, "")[0])  # managed blocks tell of the core memory

    def in_collection(named: str) -> Path | None:
        if ws.sidecar is None or not named.startswith("qmd/"):
            return None
        return ws.sidecar.resolve(named)

    group = group or ws.group
    found = read_excerpt(
        ws.root,
        path,
        ws.config,
        start_line=start_line,
        lines=lines,
        elsewhere=in_collection,
        as_shown=for_group if group else shareable if shared else str,
    )
    if group and is_owners(found.path):
        raise PathRefused(f"{found.path} is not read in a group", hint="it is the owner's")
    return found


def timeline(
    ws: OpenWorkspace,
    entity: str | None = None,
    *,
    since: Day = None,
    until: Day = None,
    now: date | None = None,
) -> tuple[Fact, ...]:
    """Facts by when they happened, newest first; of an entity, those that only name it too."""
    from lorebank.index.items import facts_by_time
    from lorebank.index.succession import mark_superseded
    from lorebank.recall.filters import parse_interval

    slug = ws.slug_of(entity)
    interval = parse_interval(since, until, ws.day(now))
    facts = facts_by_time(ws.index, entity=slug, interval=interval, named=True)
    return mark_superseded(ws.index, facts, today=ws.day(now))


def prose_naming(
    ws: OpenWorkspace,
    entity: str,
    *,
    since: Day = None,
    until: Day = None,
    now: date | None = None,
) -> tuple[NamedIn, ...]:
    """Passages of prose that name an entity, in the order of `timeline`."""
    from lorebank.index.items import prose_by_time
    from lorebank.recall.filters import parse_interval

    interval = parse_interval(since, until, ws.day(now))
    return prose_by_time(ws.index, entity=ws.find_entity(entity).slug, interval=interval)


def today(ws: OpenWorkspace, now: date | None = None) -> str:
    """The morning page in Markdown, at most twenty lines: what is new, who changed their mind,
    what is due and overdue, what waits for a decision. Nothing is written."""
    from lorebank.pages.content import read_content
    from lorebank.pages.digests import TODAY_PATH
    from lorebank.pages.pages import PagePlan

    ws.refuse_in_group("the morning page")
    day = ws.day(now)
    content = read_content(ws.index, ws.root, ws.config, day, None, ws.vectors_of)
    content = replace(content, waiting=ws.judgments_waiting(day, content))
    return PagePlan(content).digest(TODAY_PATH)


def agenda(ws: OpenWorkspace, now: date | None = None, days: int = 14) -> Agenda:
    """What is to come in the next `days` days and what is open, overdue things first."""
    from lorebank.index.agenda import read_agenda

    if days < 0:
        raise UsageError(f"days must not be negative, not {days}")
    return read_agenda(ws.index, ws.day(now), days)
