"""What a person decides: the inbox, proposals, confirming, forgetting."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from typing import TypedDict, Unpack

from lorebank.agent.authored import cut_request, is_by
from lorebank.app.conversations import conversations, sync_sessions
from lorebank.app.workspace import (
    Day,
    OpenWorkspace,
    checked_count,
    checked_keywords,
    listed,
    member_of,
)
from lorebank.domain.facts import NOBODY, Author, InboxKind
from lorebank.domain.judgments import Comparison, Decision, Inbox, Proposal
from lorebank.domain.reports import (
    ConfirmReport,
    ForgetReport,
    ForgottenLine,
    PurgeReport,
    UndoReport,
)
from lorebank.errors import ConfigurationError, NotFound, PathRefused, UsageError
from lorebank.forgetting.forget import Forgetting, naming
from lorebank.forgetting.selection import Order
from lorebank.forgetting.undo import interrupted, read_run, restore, runs_of, store_of
from lorebank.forgetting.undo import purge as purge_kept
from lorebank.forgetting.words import Finder
from lorebank.generation.writing import Writer, open_writer
from lorebank.inbox import registry
from lorebank.inbox.sources import InboxContext
from lorebank.index.items import load_facts
from lorebank.language.folding import slugify
from lorebank.nightly.proposals import MOST_ASKED, open_proposals, propose
from lorebank.nightly.run_record import undo_run
from lorebank.recall.filters import parse_day
from lorebank.trust.quarantine import (
    Choice,
    chosen,
    format_confirmation,
    quarantined_items,
    withdraw_confirmations,
    write_confirmations,
)
from lorebank.workspace.layout import FORGOTTEN_PAGE
from lorebank.workspace.lock import WriterLock
from lorebank.workspace.paths import read_text_file


def inbox(
    ws: OpenWorkspace,
    kind: InboxKind | str | None = None,
    k: int | None = None,
    now: date | None = None,
    *,
    likely: bool = False,
) -> Inbox:
    """What waits for a decision, newest and weightiest first: pairs of lines, names, proposed
    edits, facts in quarantine; of one `kind` only, `k` items at most. `likely` leaves out pairs
    that are little alike, which are seldom about one thing."""
    k = None if k is None else checked_count(k)
    ws.embed_pending_statements()  # so that the same is asked whichever command ran before
    kind = None if kind is None else member_of(InboxKind, kind, "kind")
    return registry.waiting(_owners_inbox(ws, now), kind=kind, k=k, likely=likely)


def rule(
    ws: OpenWorkspace,
    verdicts: Mapping[str, str],
    *,
    by: str,
    decides: bool = True,
    now: date | None = None,
) -> tuple[Decision, ...]:
    """Settle items: id → one of the item's `choices`. An item is named by its id, by that of one
    of its lines (`f-…`, `o-…`, `p-…`) or by several of these; unique beginnings are enough.

    Each becomes one ledger line under `bank/`, signed `by` and dated; `unrule` takes it back
    exactly. What is settled is not asked again unless a line it rests on changes. Nothing is
    written where one of the verdicts cannot be; who does not decide in the owner's name (`decides`)
    lets nothing in, and ends none of the owner's lines by an agent's.
    """
    with ws.writing():
        ws.sync_files()
        ws.embed_pending_statements()
        context = _owners_inbox(ws, now)
        before = set(registry.settled(context))
        registry.rule(context, verdicts, by=by, decides=decides)
        ws.sync_files()
        return tuple(each for each in registry.settled(context) if each not in before)


def unrule(
    ws: OpenWorkspace,
    ids: Collection[str] | None = None,
    *,
    by: str | None = None,
    now: date | None = None,
) -> tuple[Decision, ...]:
    """Take verdicts back: those on these items, all `by` a name, or both. Returns them."""
    with ws.writing():
        ws.sync_files()
        taken = registry.revoke(
            _owners_inbox(ws, now), ids=None if ids is None else listed(ids), by=by
        )
        ws.sync_files()
    return taken


def decisions(
    ws: OpenWorkspace, by: str | None = None, now: date | None = None
) -> tuple[Decision, ...]:
    """The verdicts that stand, all or those `by` a name, as their ledgers have them."""
    signer = None if by is None else registry.signature(by)
    return tuple(
        d for d in registry.settled(_owners_inbox(ws, now)) if signer is None or d.by == signer
    )


def proposals(ws: OpenWorkspace) -> tuple[Proposal, ...]:
    """Edits that wait for a decision, as they stand under `bank/proposals/`."""
    return open_proposals(ws.root)[0]


def _owners_inbox(ws: OpenWorkspace, now: date | None) -> InboxContext:
    ws.refuse_in_group("the inbox")
    return ws.inbox_context(now)


def judge(ws: OpenWorkspace, *, k: int = 20, now: date | None = None) -> tuple[Decision, ...]:
    """Have the generator of the settings rule on what it is sure of among `k` pairs of lines.

    Its verdicts are signed with its name: `unrule(by=…)` takes them all back. Raises
    `ConfigurationError` where no generator is named, `ProviderError` where it fails; what it said
    before that stands.
    """
    with ws.writing(), _model(ws) as writer:
        ws.sync_files()
        judged = registry.judge(_owners_inbox(ws, now), writer, k=k)
        ws.sync_files()
        done = registry.settled(_owners_inbox(ws, now)) if judged.verdicts else ()
    _say_judged(ws, judged)
    name = registry.signature(writer.model)
    return tuple(each for each in done if each.id in judged.verdicts and each.by == name)


def compare_verdicts(
    ws: OpenWorkspace, *, k: int = 20, now: date | None = None
) -> tuple[Comparison, ...]:
    """What the generator says of the `k` pairs of lines on which others ruled last, beside their
    verdicts. Nothing is written; errors as for `judge`."""
    with _model(ws) as writer:
        judged, found = registry.compare(_owners_inbox(ws, now), writer, k=k)
    _say_judged(ws, judged)
    return found


@contextmanager
def _model(ws: OpenWorkspace) -> Iterator[Writer]:
    models = open_writer(ws.config, ws.environ, ws.say, ws.all_names, ws.given_generator)
    with models as writer:
        if writer is None:
            raise ConfigurationError(
                "no generator is named", hint="set generator.provider in your own settings"
            )
        yield writer


def _say_judged(ws: OpenWorkspace, judged: registry.Judged) -> None:
    """Say how many pairs the model was asked about, and raise what stopped it."""
    ws.say(str(judged))
    if judged.failure is not None:
        raise judged.failure


def confirm(
    ws: OpenWorkspace,
    *ids: str,
    source: str = "",
    all_from: str = "",
    reason: str = "",
    undo: bool = False,
    now: date | None = None,
) -> ConfirmReport:
    """Vouch for what is in quarantine: facts or passages by id, a file or lines of it
    (`source`), or all of an origin (`all_from="imported"`); a line of `bank/confirmed.md` each.

    From then on it counts like the owner's own word. `undo` takes the lines off again, which
    restores exactly what was before. Raises `NotFound` for what no note says.
    """
    ws.refuse_in_group("confirming")
    choice = Choice(ids, source, all_from)
    with ws.writing():
        ws.sync_files()
        before = quarantined_items(ws.index)
        lines = chosen(ws.index, choice, day=ws.day(now), reason=reason)
        places = () if undo else write_confirmations(ws.root, lines)
        if undo:
            withdraw_confirmations(ws.root, lines)
        ws.sync_files()
    moved = before ^ quarantined_items(ws.index)
    facts = load_facts(ws.index, moved)
    return ConfirmReport(
        line="\n".join(format_confirmation(line).removeprefix("- ") for line in lines),
        source=places[0][1] if places else None,
        facts=facts,
        passages=len(moved) - len(facts),
    )


class ForgetKeywords(TypedDict, total=False):
    """What is to be forgotten; see `forget`."""

    entity: str
    source: str
    match: str
    before: Day
    author: Author
    """The agent that asks, if one does: it cuts the lines that it wrote itself, and of all others
    the owner is asked in the inbox (`ForgetReport.proposed`)."""


def forget(
    ws: OpenWorkspace,
    *ids: str,
    dry_run: bool = False,
    purge: bool = False,
    now: date | None = None,
    **selected: Unpack[ForgetKeywords],
) -> ForgetReport:
    """Cut lines out of the notes, of the pages made of them and of the index; see
    `ForgetReport`.

    What goes: facts, passages or opinions by id; all that names an `entity`, with its page; a
    file or lines of it (`source`); lines that hold some words (`match`; `Ann*` for a part of one).
    A fact goes whole, a list item without the items nested in it. `before` narrows
    that to notes of earlier days; alone, it means those notes. With `dry_run` nothing is
    written. What is cut is kept for `undo_forget` until it is purged: at once with `purge`.

    Where transcripts are read, so goes what was said in them, but by id: they themselves are
    left as they are, and lines of `bank/forgotten.md` keep them from being read again.
    """
    ws.refuse_in_group("forgetting")
    selected = checked_keywords("forget", selected, ForgetKeywords)
    today = ws.day(now)
    day = parse_day(selected.get("before"), today, "before")
    entity = selected.get("entity", "")
    with ws.writing(finish=not dry_run) as finished:
        ws.sync_files()
        forgetting = open_forgetting(ws)
        missing: NotFound | None = None
        try:
            named = _named_to_forget(ws, entity, forgetting) if entity else ("", (), "")
        except NotFound as not_found:
            named, missing = (slugify(entity), (entity,), ""), not_found
        source, match = selected.get("source", ""), selected.get("match", "")
        order = Order(ids, *named, source=source, match=match, before=day)
        order.check()
        kept = runs_of(ws.root, order.digest) if purge or finished else ()
        done = [run for run in kept if purge or run in finished]
        author = selected.get("author", NOBODY)
        if missing and not done:
            nothing = forgetting.preview(Order(before=date.min))
            left = forgetting.prove(order, nothing, is_purged=purge)
            if author is not NOBODY or left.is_done:
                raise missing
            return left
        if author is not NOBODY:
            return _forget_own(ws, forgetting, order, author, today, dry_run=dry_run)
        if dry_run:
            return forgetting.preview(order)
        report = forgetting.forget(order, today=today, done=done, purge=purge)
        if not purge:
            return forgetting.prove(order, report, is_purged=False)
        runs = [*done, *([report.run] if report.run and report.run not in done else [])]
        report = replace(report, purged=_purge(ws, runs, order.finder or Finder()))
        return forgetting.prove(order, report, is_purged=True)


def _forget_own(
    ws: OpenWorkspace,
    forgetting: Forgetting,
    order: Order,
    author: Author,
    today: date,
    *,
    dry_run: bool,
) -> ForgetReport:
    """Forget for an agent: lines that it wrote go, by id; the owner is asked about the others."""
    meant = forgetting.preview(order)
    said = {line: _lines_of(ws, line) for line in meant.lines if line.id}
    others = [line for line, texts in said.items() if not is_by(author, texts)]
    if len(others) > MOST_ASKED:
        raise UsageError(
            f"{len(others)} lines are not {author.agent}'s own; nothing was cut",
            hint=f"ask for {MOST_ASKED} at a time; only the owner cuts more, in the shell",
        )
    asked = tuple(
        cut_request(line.source.path, said[line], author, today) for line in others if not dry_run
    )
    if asked:
        propose(ws.root, asked)
    foreign = {line.id for line in others}
    own = tuple(dict.fromkeys(line.id for line in said if line.id not in foreign))
    if not own:
        report = replace(meant, dry_run=dry_run, lines=(), files=(), pages=(), derived={})
        report = replace(report, opinions=(), said=())
    elif dry_run:
        report = forgetting.preview(Order(own))
    else:
        report = forgetting.forget(Order(own), today=today)
    return replace(report, proposed=tuple(others))


def _lines_of(ws: OpenWorkspace, line: ForgottenLine) -> list[str]:
    lines = read_text_file(ws.root, line.source.path).text.replace("\r\n", "\n").split("\n")
    return lines[line.source.start_line - 1 : line.source.end_line]


def _purge(ws: OpenWorkspace, runs: Sequence[str], finder: Finder | None = None) -> PurgeReport:
    """Without words to look for, other files than notes are not searched."""
    report = purge_kept(ws.root, runs, finder or Finder())
    return report if finder else replace(report, unread=ws.unindexed_files())


def finish_interrupted(ws: OpenWorkspace) -> tuple[str, ...]:
    """Finish each forget and each undo that was interrupted, as the run that it was, and say so;
    the caller holds the lock. Returns the forgets."""
    forgets = []
    for store, name, command, found in interrupted(ws.root):
        is_forget, is_undo = store.area == "forgotten", store.is_undoing(name)
        if not (is_forget or is_undo):
            continue  # reflect completes its own
        left: tuple[str, ...]
        try:
            with naming(command, "" if is_undo else name):
                if not is_undo:
                    forgetting = open_forgetting(ws)
                    left = forgetting.resume(name)
                    forgets.append(name)
                    for problem in forgetting.problems:
                        ws.say(f"{problem.path}: {problem.message}")
                elif is_forget:
                    left = restore(ws.root, name, force=True).kept
                else:
                    area = store.area.partition("/")[2]
                    left = undo_run(ws.root, name, force=True, area=area).kept
        except (NotFound, PathRefused) as unusable:  # nothing can be done with such a record
            store.finish(name)
            ws.say(f"{found.path}: {unusable.message}; the files stay as they are")
            continue
        is_kept = not is_undo and name in store.names()
        back = f"; `lorebank forget --undo {name}` takes it back" * is_kept
        but = f" but for {', '.join(left)}, edited since" if left else ""
        ws.say(f"{command} was interrupted and is finished now{but}{back}")
    return tuple(forgets)


def undo_forget(
    ws: OpenWorkspace, run: str | None = None, *, force: bool = False, author: Author = NOBODY
) -> UndoReport:
    """Give the notes of a run (the last where `None`) their lines back, byte for byte.

    Raises `NotFound` where nothing is kept of it, `ConcurrentEdit` where a note was changed
    since, other than by appending; with `force` such notes are left alone and named. An agent
    (`author`) takes back only a run that cut nothing but its own lines.
    """
    with WriterLock(ws.root):
        if author is not NOBODY and not is_by(author, read_run(ws.root, run).cut_lines()):
            raise UsageError("what others wrote was cut: only its owner puts it back")
        report = restore(ws.root, run, force=force)
        ws.sync_files()
        if FORGOTTEN_PAGE in report.restored:
            sync_sessions(ws, force=True)
    return report


def purge_forgotten(ws: OpenWorkspace, run: str | None = None) -> PurgeReport:
    """Drop what is kept of forgotten lines, of one run or of all; there is no way back then."""
    with ws.writing():
        ws.sync_files()
        runs = store_of(ws.root).names() if run is None else (read_run(ws.root, run).name,)
        return _purge(ws, runs)


def _named_to_forget(
    ws: OpenWorkspace, name: str, forgetting: Forgetting
) -> tuple[str, tuple[str, ...], str]:
    """Slug, names and page of an entity; conversations may name one that no note does."""
    try:
        known = ws.find_entity(name)
    except NotFound:
        spoken = forgetting.conversations
        if spoken is None or not spoken.name(name):
            raise
        return slugify(name), (name,), ""
    return known.slug, (known.name, *known.aliases), known.page or ""


def open_forgetting(ws: OpenWorkspace) -> Forgetting:
    return Forgetting(
        lambda: ws.index,
        ws.root,
        files=lambda: ws.walk().files,
        sync=ws.sync_files,
        cache=ws.cache_path(),
        conversations=conversations(ws),
    )
