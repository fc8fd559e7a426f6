"""Proposals: planned by reflect as pages of `bank/proposals/`, decided on by a person.

Those for logs are retain lines for their prose; those for the core memory come from
`pages.core_memory`. An open proposal is planned again from the facts in every run: it goes when
they go. Text of a proposal is output: never read as memory, never evidence. Nothing but `decide`
and what its caller writes touches the file that a proposal is about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from lorebank.database.connection import Connection
from lorebank.domain.facts import Citation, Diagnostic, Fact, FactKind
from lorebank.domain.judgments import Ground, Proposal, ProposalAction, proposal_id
from lorebank.errors import ConcurrentEdit, PathRefused, UsageError
from lorebank.generation.writing import (
    CitedLine,
    Dropped,
    ModelInRun,
    Writer,
    digest,
    facts_in_prose,
)
from lorebank.index.items import facts_by_id
from lorebank.language.folding import fold, slugify
from lorebank.language.secrets import redact
from lorebank.language.words import estimate_tokens, words
from lorebank.markdown.blocks import find_blocks
from lorebank.markdown.document import read_document
from lorebank.markdown.fact_format import format_fact
from lorebank.markdown.ledger import added_line
from lorebank.markdown.owner_pages import edit_core
from lorebank.markdown.plain import escape_inline, plain_text
from lorebank.markdown.proposal_pages import (
    AGENT_PROPOSALS,
    DECISIONS_PATH,
    LOG_PROPOSALS,
    PROPOSAL_PAGES,
    LineEdit,
    ProposalRuling,
    decided,
    fits_on_page,
    format_ruling,
    is_proposal_block,
    parse_proposals,
    parse_rulings,
    render_proposal,
)
from lorebank.markdown.source import decode
from lorebank.nightly.infer import Sentence, infer_facts, sentences, stated_fact
from lorebank.pages.core_memory import CoreMemory
from lorebank.pages.edits import PageEdit, plan_page_edit, read_text
from lorebank.pages.facts import BankContent
from lorebank.records import Record
from lorebank.settings.tables import Config
from lorebank.workspace.files import read_bytes, walk
from lorebank.workspace.layout import FileRole, is_core
from lorebank.workspace.paths import core_path, read_text_file, resolve_memory_path, write_text_file

MOST = 50
"""Open suggestions, from the newest logs; older logs follow when these are decided."""
_AT_ONCE = 60
"""Sentences in one question to the model: a long day's log, and a short answer."""
_AUTHOR = frozenset(
    {"i", "me", "we", "us", "ich", "wir", "yo", "nosotros", "eu", "je", "nous", "io", "noi", "ik"}
    | {"wij", "我", "我们", "writer"}
)


def suggest_lines(
    root: Path,
    config: Config,
    content: BankContent,
    rulings: Sequence[ProposalRuling],
    *,
    everywhere: bool,
    model: ModelInRun,
    quarantined: Mapping[str, Sequence[tuple[int, int]]],
) -> tuple[Proposal, ...]:
    """The retain lines to propose, by log, the newest log first.

    What `model` makes of a log goes before what the rules find in the same sentences.
    Without `everywhere` only logs that have open suggestions are looked at: those are kept while
    the sentence they cite stands. Facts, what says in prose what a fact of the same log says, and
    lines in quarantine (path → first and last line) suggest nothing.
    """
    open_ones, _ = parse_proposals(read_text(root, LOG_PROPOSALS), LOG_PROPOSALS)
    begun = {proposal.target for proposal in open_ones}
    if not begun and not everywhere:
        return ()
    names = {
        slugify(name): entity.name
        for entity in content.entities.values()
        for name in (entity.slug, entity.name, *entity.aliases)
    }
    known = {(fact.recorded, fold(fact.content)) for fact in content.facts}
    retained: dict[str, list[Fact]] = defaultdict(list)
    for fact in content.facts:
        retained[fact.citation.path].append(fact)
    logs = [s for s in walk(root, config).files if s.role in (FileRole.LOG, FileRole.NOTE)]
    found: list[Proposal] = []
    for source in sorted(logs, key=lambda s: (-(s.recorded or date.min).toordinal(), s.path)):
        if source.recorded is None or (source.path not in begun and not everywhere):
            continue
        try:
            text, _ = decode(read_bytes(root, source), source.path)
        except OSError:
            continue
        document = read_document(redact(text).text, source.path)
        facts = retained.get(source.path, ())
        lines = ((fact.citation.start_line, fact.citation.end_line) for fact in facts)
        suspect = (*quarantined.get(source.path, ()), *lines)
        day = source.recorded
        prose = tuple(s for s in sentences(document) if not _lies_in(s.citation, suspect))
        suggestions = list(_read_by(model, source.path, prose, day, names))
        told = {sentence.citation for each in suggestions for sentence in each.sentences}
        suggestions += (
            _Suggestion(each.fact, (each.sentence,), f"{why[:1].upper()}{why[1:]}.")
            for each in infer_facts(document, day, names)
            for why in [f"reads as {each.reason}" if each.reason[:2] == "a " else each.reason]
            if each.sentence.citation not in told
            and not _lies_in(each.sentence.citation, suspect)
            and not any(_says_again(each.fact, fact) for fact in facts)
        )
        found += _proposals(suggestions, source.path, day, known, rulings)
        if len(found) >= MOST:
            break
    return tuple(found[:MOST])


def _says_again(inferred: Fact, retained: Fact) -> bool:
    """Whether more than half of what is inferred stands in a line that was retained."""
    said = frozenset(words(inferred.content))
    return 2 * len(said.intersection(words(retained.content))) > len(said)


def _lies_in(place: Citation, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(place.start_line <= end and place.end_line >= start for start, end in ranges)


def says(text: str, sentence: str) -> bool:
    return any(each.text == sentence for each in sentences(read_document(text, "")))


class _Suggestion(Record):
    fact: Fact
    sentences: tuple[Sentence, ...]
    why: str
    words: tuple[str, ...] = ()
    """What distinguishes it from other suggestions of the same sentences."""


def _read_by(
    model: ModelInRun, path: str, prose: Sequence[Sentence], day: date, names: Mapping[str, str]
) -> Iterator[_Suggestion]:
    """What a chat model reads out of a log's sentences; a log is sent once."""
    letters = {kind.letter: kind for kind in FactKind}
    for start in range(0, len(prose), _AT_ONCE):
        some = prose[start : start + _AT_ONCE]
        lines = [CitedLine(sentence.text, (day,)) for sentence in some]

        def read(
            writer: Writer, lines: Sequence[CitedLine] = lines
        ) -> tuple[Mapping[str, Any], Sequence[Dropped]]:
            kept, dropped = facts_in_prose(writer, lines, day)
            rows = [[each.kind.letter, each.about, each.text, list(each.lines)] for each in kept]
            return {"model": writer.model, "facts": rows}, dropped

        answer = model.ask(path, digest("infer", day, [s.text for s in some]), read) or {}
        for letter, about, text, numbers in answer.get("facts", ()):
            cited = tuple(some[number] for number in numbers)
            subject = "" if fold(about) in _AUTHOR else about
            fact = stated_fact(letters[letter], text, subject, cited, day, names)
            why = f"Read by {escape_inline(answer['model'])}; its words stand in the lines below."
            yield _Suggestion(fact, cited, why, (fact.content,))


def _proposals(
    suggestions: Iterable[_Suggestion],
    path: str,
    day: date,
    known: set[tuple[date | None, str]],
    rulings: Sequence[ProposalRuling],
) -> Iterator[Proposal]:
    for each in suggestions:
        line = format_fact(each.fact)
        said = (plain_text(sentence.text) for sentence in each.sentences)
        id = proposal_id("retain", path, *said, *each.words)
        if (day, fold(each.fact.content)) in known or not fits_on_page(line):
            continue
        if decided(rulings, id, ()):
            continue
        yield Proposal(
            id=id,
            action=ProposalAction.RETAIN,
            target=path,
            old="",
            new=line,
            why=each.why,
            grounds=tuple(Ground(s.citation, s.text, day) for s in each.sentences),
        )


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
    """Of the pages that change; a block that a person edited stays while its proposal is open."""
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
    """Under the writer's lock; `UsageError` for what was declined, or where too much waits."""
    rulings, _ = parse_rulings(read_text(root, DECISIONS_PATH))
    declined = {ruling.id for ruling in rulings if not ruling.accepted}
    if any(proposal.id in declined for proposal in asked):
        raise UsageError("the owner declined this before; nothing was proposed")
    lines = (line for each in asked for line in (*each.old.split("\n"), each.new))
    if not all(map(fits_on_page, lines)):
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


def accept_edit(root: Path, proposal: Proposal, config: Config) -> Citation | None:
    """Where a new line stands; `ConcurrentEdit`, nothing written, where the old one is another."""
    resolve_memory_path(root, proposal.target, config)
    if proposal.action is not ProposalAction.REMOVE and not is_core(proposal.target):
        raise PathRefused(f"{proposal.target}: is not the core memory")
    file = read_text_file(root, proposal.target)
    text, line = edit_core(file.text, proposal)
    write_text_file(root, file, text)
    return None if line is None else Citation(proposal.target, line, line)


def record(
    root: Path, proposal: Proposal, *, accepted: bool, day: date, by: str, edit: LineEdit | None
) -> None:
    """Note the decision in the ledger, then take the proposal off its page.

    The caller holds the writer's lock. A kill in between leaves a proposal that is decided and
    still shown; the next reflect takes it away.
    """
    facts = frozenset(ground.fact_id for ground in proposal.grounds if ground.fact_id)
    ruling = ProposalRuling(proposal.id, accepted, facts, day, "", by, edit)
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
