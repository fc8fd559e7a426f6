"""Proposals: planned by reflect as pages of `bank/proposals/`, decided on by a person.

An open proposal is made anew from the facts in every run: it goes when they go. Text of a proposal
is output: never read as memory, never evidence. Nothing but `decide` and what its caller writes
touches the file that a proposal is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path

from lorebank.database.connection import Connection
from lorebank.domain.facts import Citation, Diagnostic
from lorebank.domain.judgments import Proposal, ProposalAction
from lorebank.errors import ConcurrentEdit, NotFound, PathRefused, UsageError
from lorebank.index.items import facts_by_id
from lorebank.language.secrets import redact
from lorebank.language.words import estimate_tokens
from lorebank.markdown.blocks import find_blocks
from lorebank.markdown.ledger import added_line
from lorebank.markdown.owner_pages import edit_core
from lorebank.markdown.proposal_pages import (
    AGENT_PROPOSALS,
    DECISIONS_PATH,
    PROPOSAL_PAGES,
    LineEdit,
    ProposalRuling,
    fits_on_page,
    format_ruling,
    is_proposal_block,
    parse_proposals,
    parse_rulings,
    render_proposal,
)
from lorebank.nightly.suggest import says
from lorebank.pages.core_memory import CoreMemory
from lorebank.pages.edits import PageEdit, plan_page_edit, read_text
from lorebank.workspace.layout import is_core
from lorebank.workspace.paths import core_path, read_text_file, write_text_file

MOST_ASKED = 20
"""Open requests of agents: a page of the inbox, so that an owner can read them all."""


def read_core_memory(root: Path, token_budget: int) -> tuple[CoreMemory, tuple[Diagnostic, ...]]:
    """The core memory with what was decided about it; an empty one where there is no file."""
    path = core_path(root)
    text = read_text(root, path)
    rulings, problems = parse_rulings(read_text(root, DECISIONS_PATH))
    size = estimate_tokens(text)
    if size > token_budget:
        message = f"holds about {size} tokens, over its budget of {token_budget}"
        problems = (*problems, Diagnostic(path, 0, "core-over-budget", message))
    return CoreMemory(path, redact(text).text, rulings, token_budget), problems


def plan_proposal_edits(
    planned: Mapping[str, Sequence[Proposal]], old: Mapping[str, str | None]
) -> tuple[PageEdit, ...]:
    """The edits that bring the pages of proposals up to date; pages without a change are left out.

    `old` gives the present texts. A block that a person edited stays as it is while its proposal
    is open.
    """
    edits = (_page_edit(path, old.get(path), found) for path, found in planned.items())
    return tuple(edit for edit in edits if edit.changes)


def _page_edit(path: str, old: str | None, proposals: Sequence[Proposal]) -> PageEdit:
    frame = PROPOSAL_PAGES[path]
    if old is None and not proposals:
        return PageEdit(path, None, None)
    blocks = [b for b in find_blocks(old or "", path)[0] if is_proposal_block(b.name)]
    mended = {block.name for block in blocks if block.edited}
    bodies = {p.id: render_proposal(p, path) for p in proposals if p.id not in mended}
    live = {p.id for p in proposals}
    gone = [block.name for block in blocks if block.name not in live]
    edit = plan_page_edit(path, old, bodies, frame=frame, drop=gone)
    if edit.new is not None and edit.new.split() == frame.split():
        return PageEdit(path, old, None, edit.diagnostics)
    return edit


def propose(root: Path, asked: Sequence[Proposal]) -> None:
    """Put what an agent asks for on its page; the caller holds the writer's lock.

    Raises `UsageError` for what the owner declined before, and where too much waits already.
    """
    rulings, _ = parse_rulings(read_text(root, DECISIONS_PATH))
    declined = {ruling.id for ruling in rulings if not ruling.accepted}
    if any(proposal.id in declined for proposal in asked):
        raise UsageError("the owner declined this before; nothing was proposed")
    if not all(fits_on_page(line) for each in asked for line in (each.old, each.new)):
        raise UsageError("a proposal is one line of plain text; nothing was proposed")
    file = read_text_file(root, AGENT_PROPOSALS)
    waiting = {p.id for p in parse_proposals(file.text, AGENT_PROPOSALS)[0]}
    if len(waiting | {proposal.id for proposal in asked}) > MOST_ASKED:
        raise UsageError(
            f"{len(waiting)} requests of agents wait for the owner; nothing was proposed",
            hint="the owner rules on them in the inbox",
        )
    bodies = {p.id: render_proposal(p, AGENT_PROPOSALS) for p in asked if p.id not in waiting}
    frame = PROPOSAL_PAGES[AGENT_PROPOSALS]
    edit = plan_page_edit(AGENT_PROPOSALS, file.text or None, bodies, frame=frame)
    write_text_file(root, file, edit.new or "")


def open_proposals(
    root: Path, pages: Iterable[str] = tuple(PROPOSAL_PAGES)
) -> tuple[tuple[Proposal, ...], tuple[Diagnostic, ...]]:
    """The proposals that wait, page by page, as they stand in the files now."""
    found: list[Proposal] = []
    problems: list[Diagnostic] = []
    for path in pages:
        proposals, unread = parse_proposals(read_text(root, path), path)
        found += proposals
        problems += unread
    return tuple(found), tuple(problems)


def find_proposal(root: Path, id: str) -> Proposal:
    """The open proposal of an id or a unique beginning of it."""
    found = [p for p in open_proposals(root)[0] if p.id.startswith(id)]
    if not found:
        raise NotFound(f"no open proposal '{id}'", hint="`lorebank proposals` lists them")
    if len(found) > 1:
        near = ", ".join(p.id for p in found[:5])
        raise UsageError(f"'{id}' is the beginning of several ids", hint=near)
    return found[0]


def check_grounds(root: Path, connection: Connection, proposal: Proposal) -> None:
    """`ConcurrentEdit` where none of the lines that a proposal stands on is there any more; for a
    line read out of prose, where one of its sentences is not."""
    if not proposal.grounds:
        return
    stands = (
        bool(facts_by_id(connection, ground.fact_id))
        if ground.fact_id
        else says(redact(read_text(root, ground.source.path)).text, ground.content)
        for ground in proposal.grounds
    )
    if all(stands) if proposal.action is ProposalAction.RETAIN else any(stands):
        return
    raise ConcurrentEdit(
        f"{proposal.id} stands on lines that are gone; nothing was written",
        hint="lorebank reflect brings the proposals up to date",
    )


def accept_core_edit(root: Path, proposal: Proposal) -> Citation | None:
    """Make the edit in the core memory; returns where the new line stands.

    `ConcurrentEdit` where the line to change is not what it was; nothing is written then.
    """
    if not is_core(proposal.target):
        raise PathRefused(f"{proposal.target}: is not the core memory")
    file = read_text_file(root, proposal.target)
    text, line = edit_core(file.text, proposal)
    write_text_file(root, file, text)
    return None if line is None else Citation(proposal.target, line, line)


def record(
    root: Path,
    proposal: Proposal,
    *,
    accepted: bool,
    day: date,
    reason: str = "",
    by: str = "",
    edit: LineEdit | None = None,
) -> None:
    """Note the decision in the ledger, then take the proposal off its page.

    The caller holds the writer's lock. A kill in between leaves a proposal that is decided and
    still shown; the next reflect takes it away.
    """
    facts = frozenset(ground.fact_id for ground in proposal.grounds if ground.fact_id)
    ruling = ProposalRuling(proposal.id, accepted, facts, day, " ".join(reason.split()), by, edit)
    file = read_text_file(root, DECISIONS_PATH)
    ledger, _ = added_line(file.text, format_ruling(ruling), title="Decisions on proposals")
    write_text_file(root, file, ledger)
    for path, frame in PROPOSAL_PAGES.items():
        page = read_text_file(root, path)
        if all(block.name != proposal.id for block in find_blocks(page.text, path)[0]):
            continue
        own = {proposal.id: ()}
        left = plan_page_edit(path, page.text, {}, drop=[proposal.id], own_notes=own).new or ""
        if left.split() == frame.split():
            (root / path).unlink()
        else:
            write_text_file(root, page, left)
