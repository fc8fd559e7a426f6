"""What a caller writes down: facts, notes and the core memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TypedDict, Unpack

from lorebank.agent import authored
from lorebank.agent.core_memory import CoreEdit, CoreWrite, edit_core, measured, orders_section
from lorebank.app.workspace import Day, OpenWorkspace, checked_keywords, refuse_other_than_text
from lorebank.dates.times import times_of
from lorebank.domain.facts import (
    NOBODY,
    Author,
    Citation,
    EvidenceMark,
    Fact,
    FactKind,
    Mention,
    Origin,
    Stance,
)
from lorebank.domain.judgments import Proposal
from lorebank.domain.reports import LintFinding, LintReport, UndoReport
from lorebank.errors import ConcurrentEdit, LockHeld, UsageError, WorkspaceError
from lorebank.index.items import facts_by_id, facts_by_place, facts_saying
from lorebank.language.secrets import find_secrets
from lorebank.language.words import estimate_tokens
from lorebank.markdown.document import read_document
from lorebank.markdown.fact_format import apply_fixes, format_fact, with_fixes
from lorebank.markdown.hidden import leaves_private_open, private_parts
from lorebank.markdown.origin import origin_mark, strip_recalled
from lorebank.nightly import run_record
from lorebank.recall.filters import parse_origin, parse_single_day
from lorebank.retain import compose
from lorebank.retain.kinds import not_names, parse_kind
from lorebank.workspace.atomic import read_if_exists
from lorebank.workspace.lock import WriterLock, append_lock
from lorebank.workspace.paths import core_path, edit_text, read_text_file
from lorebank.workspace.run_store import Change

_WRITTEN = "retain"
_MOST_PASSES = 5
"""Of fixes over one file; two have been needed."""
"""The records of what was written last by hand, whichever command wrote it."""


class RetainKeywords(TypedDict, total=False):
    """The details of a fact, next to its sentence; see `Bank.retain`."""

    kind: FactKind | str | None
    entities: Sequence[str]
    confidence: float | None
    day: Day
    """The day of the log that it goes to."""
    for_: Sequence[str]
    """Ids of opinions that it speaks for."""
    against: Sequence[str]
    replaces: Sequence[str] | str
    """Ids of facts that hold no longer because of it: the line ends in `(ends f-…)`, and taking it
    out brings them back."""
    origin: Origin | str
    """Whose word it is."""
    author: Author
    """The agent that writes, if one does: its line says so, holds no secret and no private part,
    and is of one of the last days."""
    allow_future: bool
    allow_secret: bool
    now: date | None


def retain(ws: OpenWorkspace, text: str, **details: Unpack[RetainKeywords]) -> Fact:
    """Append a fact under the retain section of a day's log and return it with its citation.

    `text` may be a typed line itself (`O(c=0.9) @Peter: …`); what is given by keyword wins: `kind`,
    `entities`, `confidence`, `day`, `for_`, `against`, `replaces`, `origin`, `author`,
    `allow_future`, `allow_secret` and `now`; `lorebank.app.writing.RetainKeywords` says what each
    means. What recall printed is cut out of the text, since it would be learned twice; `UsageError`
    where nothing else is left. `related` of the fact returned holds what it may restate, contradict
    or replace: rule on it (`Bank.rule`) while you know why.
    """
    from lorebank.inbox.pairs import about

    refuse_other_than_text(text, "what is retained")
    details = checked_keywords("retain", details, RetainKeywords)
    now = details.get("now")
    today = ws.day(now)
    author, ahead = details.get("author", NOBODY), details.get("allow_future", False)
    recorded = _log_day(details.get("day"), today, allow_future=ahead or author is not NOBODY)
    whose = Origin(parse_origin(details.get("origin", Origin.OWNER)))
    origin, author = authored.as_written_by(author, whose, today, recorded)
    by_agent = origin is Origin.AGENT  # whose secrets `admitted` refuses, whatever is allowed
    is_allowed = by_agent or details.get("allow_secret", False)
    news, *entities = (
        _given_text(ws, each, allow_secret=is_allowed)
        for each in (text, *details.get("entities", ()))
    )
    if by_agent:
        news, entities = authored.admitted_fact(news), list(map(authored.admitted, entities))
    public, private = private_parts(news)
    if private and not public:
        raise UsageError("nothing to retain: all of it is private", hint="edit the log itself")
    speaks = ((Stance.FOR, details.get("for_", ())), (Stance.AGAINST, details.get("against", ())))
    marks = [EvidenceMark(s, ws.full_opinion_id(o)) for s, opinions in speaks for o in opinions]
    _sync_if_free(ws)
    fact = compose.compose_fact(
        public,
        kind=parse_kind(details.get("kind")),
        entities=entities,
        confidence=details.get("confidence"),
        day=recorded,
        names_in=partial(_names_in, ws, recorded),
    )
    over = [*fact.ends, *(ws.find_fact(old).id for old in details.get("replaces", ()))]
    fact = replace(
        fact,
        marks=(*fact.marks, *marks),
        ends=tuple(dict.fromkeys(over)),
        origin=origin.least_trusted(fact.origin),
        author=author,
    )
    if doubt := compose.name_in_doubt(public):
        ws.say(doubt)
    known = next((f for f in facts_by_id(ws.index, fact.id) if not private), None)
    if known is not None:
        ws.say(f"already noted: {known.citation}; nothing was written")
        return replace(known, is_new=False)
    same = (f for f in facts_saying(ws.index, [fact.content]) if {*f.subjects} == {*fact.subjects})
    for before in [*same][-1:]:
        ws.say(f"noted before: {before.citation}")
    path, text = ws.log_path(recorded), f"{format_fact(fact)} {private}".rstrip()
    with append_lock(ws.root):
        line = ws.append_fact(path, text, recorded, undo=_WRITTEN)
    if ws.vectors_of is not None:
        ws.meaning.embed_texts([fact.content])
    _sync_if_free(ws)
    written = facts_by_place(ws.index, path, line)
    if written is None:  # somebody else holds the workspace, and indexes the line
        return replace(fact, citation=Citation(path, line, line))
    if ws.group:
        return written  # the inbox is the owner's, and not for a group
    return replace(written, related=about(ws.inbox_context(now), written))


def _sync_if_free(ws: OpenWorkspace) -> None:
    """Bring the index up to date unless somebody holds the workspace: a line never waits for a
    night, whose own last sync, or the next question, reads it."""
    with suppress(LockHeld), WriterLock(ws.root, timeout_s=0), ws.without_waiting():
        try:
            ws.finish_interrupted()
        except WorkspaceError as problem:  # no reason to refuse a line
            ws.say(f"{problem.message}; {problem.hint}")
        if not ws.is_locked_elsewhere:  # else the next question reads it
            ws.sync_files()


def log(
    ws: OpenWorkspace,
    text: str,
    *,
    day: Day = None,
    author: Author = NOBODY,
    allow_future: bool = False,
    allow_secret: bool = False,
    now: date | None = None,
) -> Citation:
    """Append a note to a day's log, as context of that day and no fact; where it stands.
    What is given by keyword as in `retain`."""
    today = ws.day(now)
    recorded = _log_day(day, today, allow_future=allow_future or author is not NOBODY)
    origin, author = authored.as_written_by(author, Origin.OWNER, today, recorded)
    text = _given_text(ws, text, allow_secret=allow_secret or origin is Origin.AGENT)
    if origin is Origin.AGENT:  # on one line, so that the mark is that of all it says
        text = f"{compose.one_paragraph(authored.admitted(text))}{origin_mark(origin, author)}"
    path = ws.log_path(recorded)
    places: list[Citation] = []

    def add(before: str | None) -> str:
        log = compose.new_log(recorded) if before is None else before
        headings = ws.read_settings.retain_headings
        written, line = compose.append_note(log, text, path=path, headings=headings)
        places.append(Citation(path, line, line + text.strip().count("\n")))
        return written

    with append_lock(ws.root):
        change = Change(*edit_text(ws.root, path, ws.config, add))
        ws.keep_for_undo(_WRITTEN, {path: change})
    _sync_if_free(ws)
    return places[-1]


def log_file(
    ws: OpenWorkspace, *, day: Day = None, allow_future: bool = False, now: date | None = None
) -> Path:
    """The file of a day's log, laid out where it does not exist yet."""
    recorded = _log_day(day, ws.day(now), allow_future=allow_future)
    path = ws.log_path(recorded)
    new = f"{compose.new_log(recorded)}\n## {ws.retain_title(recorded)}\n"
    with ws.writing():
        edit_text(ws.root, path, ws.config, lambda t: new if t is None else t)
    return ws.root / path


class CorePlace(TypedDict, total=False):
    """Where the core memory is changed; see `CoreEdit`."""

    old: str
    line: int | None
    section: str


def memory_write(
    ws: OpenWorkspace,
    action: str,
    text: str = "",
    *,
    author: Author = NOBODY,
    now: date | None = None,
    **where: Unpack[CorePlace],
) -> CoreWrite:
    """Change the core memory: `append` a text (at the end of `section`, where given), `replace`
    `old`, which must stand there exactly once, or `insert` before `line`.

    Warns when the page grows large and raises `CoreMemoryFull` past its limit. What an agent
    (`author`) would write is proposed to the owner instead (`CoreWrite.proposed`).
    """
    ws.refuse_in_group("the core memory")
    path = core_path(ws.root)
    text = _given_text(ws, text, allow_secret=True) if text else text
    edit = CoreEdit(action, text, **where)
    limits = ws.config.core_memory
    reports: list[CoreWrite] = []

    with ws.writing():
        if author is not NOBODY:
            before = read_text_file(ws.root, path).text
            request = authored.core_request(path, before, edit, author, ws.day(now))
            if isinstance(request, tuple):
                return _propose(ws, request, estimate_tokens(before))
            edit = request

        def change(before: str | None) -> str:
            edited = edit_core(before or "", edit)
            reports.append(measured(before or "", edited, limits, path=path, action=action))
            return edited.text

        written = Change(*edit_text(ws.root, path, ws.config, change))
        ws.keep_for_undo(_WRITTEN, {path: written})
    ws.sync_files()
    return reports[-1]


def remember(
    ws: OpenWorkspace, text: str, *, to: str = "auto", **details: Unpack[RetainKeywords]
) -> authored.Remembered:
    """Write down what one was asked to remember, where it belongs: orders into the core memory,
    decisions, preferences and durable facts into the retain section of a day's log, context of
    the day into the log as a note. `to` names the place: `core`, `fact` or `log`; what else is
    given by keyword is as in `retain`.
    """
    details = checked_keywords("remember", details, RetainKeywords)
    author, now = details.get("author", NOBODY), details.get("now")
    if author is not NOBODY and authored.is_order(text):
        to = "core"  # where it becomes a proposal
    is_allowed = details.get("allow_secret", False) or author is not NOBODY
    found = authored.route(_given_text(ws, text, allow_secret=is_allowed), to=to)
    details["allow_secret"] = True
    if found.place is authored.Place.FACT:
        fact = retain(ws, found.text, **details)
        said = compose.as_understood(fact.kind, fact.content, fact.mentions, fact.times)
        return authored.Remembered("fact", found.reason, found.text, fact.citation, fact.id, said)
    if found.place is authored.Place.LOG:
        day, ahead = details.get("day"), details.get("allow_future", False)
        place = log(
            ws, found.text, day=day, author=author, allow_future=ahead, allow_secret=True, now=now
        )
        shown = " ".join(private_parts(found.text)[0].split())
        recorded = _log_day(day, ws.day(now), allow_future=True)
        names, times = _names_in(ws, recorded, shown), times_of(shown, recorded)
        said = compose.as_understood("note", shown, names, times)
        return authored.Remembered("log", found.reason, found.text, place, understood=said)
    path = core_path(ws.root)
    core = read_text_file(ws.root, path).text
    for number, line in enumerate(core.split("\n"), 1):
        if line.strip() == f"- {found.text}":
            ws.say(f"already noted: {path}#L{number}; nothing was written")
            place = Citation(path, number, number)
            return authored.Remembered("core", found.reason, found.text, place)
    page = core if authored.is_order(found.text) else ""
    done = memory_write(
        ws, "append", f"- {found.text}", author=author, now=now, section=orders_section(page)
    )
    place = Citation(done.path, done.start_line, done.end_line)
    where = "proposal" if done.proposed else "core"
    return authored.Remembered(where, found.reason, found.text, place, warning=done.warning)


def lint(ws: OpenWorkspace, *, fix: bool = False, now: date | None = None) -> LintReport:
    """Lines that are better written otherwise, each with what it would become.

    With `fix` those that need no judgement are rewritten; `undo_lint` takes that back.
    """
    from lorebank.index.status import lint_findings

    headings = ws.read_settings.retain_headings
    found: list[LintFinding] = []
    after: dict[str, tuple[str, str]] = {}
    findings = sorted(
        (*lint_findings(ws.index), *_unknown_marks(ws)), key=lambda each: (each.source, each.code)
    )
    for path, group in groupby(findings, lambda each: each.source.path):
        text = mended = (ws.root / path).read_bytes().decode("utf-8-sig", "replace")
        due = tuple(group)
        for _ in range(_MOST_PASSES if fix else 1):
            fixed = with_fixes(due, mended, headings)
            found += fixed
            before, mended = mended, apply_fixes(fixed, mended)
            if mended == before:
                break
            due = _laid_bare(path, mended, headings)
        if mended != text:
            after[path] = (text, mended)
    if not fix or not after:
        return LintReport(tuple(found))
    changes: dict[str, Change] = {}
    with ws.writing():
        for path, (text, mended) in after.items():
            # A file that changed since it was read is left alone: its line numbers are old.
            def edit(present: str | None, text: str = text, mended: str = mended) -> str:
                return mended if present == text else present or ""

            changes[path] = Change(*edit_text(ws.root, path, ws.config, edit))
        run = ws.keep_for_undo("lint", changes, ws.day(now))
    ws.sync_files()
    return LintReport(tuple(found), tuple(sorted(after)), run)


def _laid_bare(path: str, text: str, headings: Sequence[str]) -> tuple[LintFinding, ...]:
    """What could be fixed in a text that fixes have changed: a line below one that was typed."""
    from lorebank.markdown.document import read_document
    from lorebank.markdown.facts import extract_facts

    advice = extract_facts(read_document(text, path), recorded=None, headings=headings).advice
    findings = (LintFinding(Citation(path, a.line, a.line), a.code, a.message) for a in advice)
    return tuple(each for each in with_fixes(tuple(findings), text, headings) if each.fix)


def _unknown_marks(ws: OpenWorkspace) -> Iterator[LintFinding]:
    from lorebank.beliefs.forming import stated_opinions
    from lorebank.index.items import all_facts, marked_facts
    from lorebank.index.opinions import load_opinions
    from lorebank.nightly.lookback import unknown_marks

    if marked := marked_facts(ws.index):  # few workspaces have any
        facts = all_facts(ws.index)
        opinions = {each.id for each in load_opinions(ws.index)} | stated_opinions(facts)
        for fact, id_, why in unknown_marks(marked, {each.id for each in facts}, opinions):
            yield LintFinding(fact.citation, "mark-unknown", f"{why}: {id_}")


def undo_lint(ws: OpenWorkspace, run: str | None = None) -> UndoReport:
    """Take the fixes of a run of lint back, the last without a name."""
    with WriterLock(ws.root):
        report = run_record.undo_run(ws.root, run, area="lint")
    ws.sync_files()
    return report


def undo_retain(ws: OpenWorkspace) -> UndoReport:
    """Take out again what `retain`, `remember`, `log` or `memory_write` wrote last, and say what it
    was; also from a file that was written on since, where the line stands there once."""
    name = next(reversed(run_record.undo_store(ws.root, _WRITTEN).names()), "")
    changes = run_record.load_run(ws.root, name, _WRITTEN).changes if name else {}
    added = {path: lines for path, change in changes.items() if (lines := _added_item(change))}
    with WriterLock(ws.root):
        try:
            report = run_record.undo_run(ws.root, None, area=_WRITTEN)
        except ConcurrentEdit:  # a note stands below it by now
            cuts = {path: _without_lines(ws, path, lines) for path, lines in added.items()}
            if not cuts or None in cuts.values():
                raise
            found = {path: cut for path, cut in cuts.items() if cut}
            report = run_record.undo_store(ws.root, _WRITTEN).put_back(name, found, ())
    ws.sync_files()
    for lines in added.values():
        ws.say(f"taken out: {b' '.join(map(bytes.strip, lines)).decode('utf-8', 'replace')}")
    return report


def _added_item(change: Change) -> list[bytes]:
    """The lines of the list item that was written: the new ones from the last bullet on."""
    old, new = ((each or b"").splitlines() for each in (change.before, change.after))
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    start = next(
        (n for n, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), len(old)
    )
    while new and not new[-1].strip():
        del new[-1]
    bullets = [n for n in range(start, len(new)) if new[n][:1] in (b"-", b"*", b"+")]
    return new[bullets[-1] :] if bullets else []


def _without_lines(ws: OpenWorkspace, path: str, item: Sequence[bytes]) -> Change | None:
    """A file without an item, where that stands in it once and has nothing more nested below it."""
    present = read_if_exists(ws.root / path) or b""
    lines = present.splitlines(keepends=True)
    bare, size = [line.rstrip(b"\r\n") for line in lines], len(item)
    found = [n for n in range(len(bare)) if bare[n : n + size] == item]
    below = b"".join(lines[found[-1] + size : found[-1] + size + 1]) if found else b""
    if len(found) != 1 or (below[:1].isspace() and below.strip()):
        return None
    del lines[found[0] : found[0] + size]
    return Change(present, b"".join(lines))


def _names_in(ws: OpenWorkspace, day: date, text: str) -> tuple[Mention, ...]:
    """The known names in a sentence; where there are none, the name it opens with, if what it says
    is plainly said of somebody: "Anna is allergic to nuts"."""
    from lorebank.names.plain_mentions import names_in_sentence
    from lorebank.nightly.infer import infer_facts

    ws.sync_if_stale()
    if known := names_in_sentence(ws.index, text, not_names()):
        return known
    stated = infer_facts(read_document(f"{text}\n", ""), day, {})
    subjects = [m for each in stated for m in each.fact.mentions if m.subject]
    return tuple(m for m in subjects[:1] if text.startswith(m.name))


def _propose(ws: OpenWorkspace, asked: Sequence[Proposal], core_tokens: int) -> CoreWrite:
    from lorebank.markdown.proposal_pages import AGENT_PROPOSALS
    from lorebank.nightly.proposals import propose

    propose(ws.root, asked)
    ids = tuple(proposal.id for proposal in asked)
    text = read_text_file(ws.root, AGENT_PROPOSALS).text
    lines = [n for n, line in enumerate(text.split("\n"), 1) if any(i in line for i in ids)]
    size = core_tokens, ws.config.core_memory.limit_tokens
    said = f"not written: proposed to the owner, who rules on it in the inbox ({', '.join(ids)})"
    return CoreWrite(AGENT_PROPOSALS, "propose", lines[0], lines[-1], *size, said, ids)


def _log_day(day: Day, today: date, *, allow_future: bool) -> date:
    recorded = parse_single_day(day, today, "date") or today
    if recorded > today and not allow_future:
        hint = "write it down today and name the day in the sentence, or --allow-future"
        raise UsageError(f"--date {recorded} is in the future; a log is about past days", hint=hint)
    return recorded


def _given_text(ws: OpenWorkspace, text: str, *, allow_secret: bool) -> str:
    """A text that may be written, without what recall printed; `UsageError` for one that may not.

    Every writer of sentences passes here, whoever asks for it."""
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise UsageError("the text holds half a character, which no file can hold")
    if leaves_private_open(text):
        hint = "close it with </private>; in backticks it is a word of the text"
        raise UsageError("nothing was written: <private> is never closed", hint=hint)
    if not allow_secret and find_secrets(text):
        hint = "leave it out, or --allow-secret; the index masks it either way"
        raise UsageError("nothing was written: the text holds what looks like a secret", hint=hint)
    stripped = strip_recalled(text)
    if not stripped.removed:
        return text
    if not stripped.text.strip():
        hint = "write down what is new in words of its own"
        raise UsageError("nothing to write: the text is what recall printed", hint=hint)
    ws.say(f"left out {len(stripped.removed)} recalled lines: they are remembered already")
    return stripped.text
