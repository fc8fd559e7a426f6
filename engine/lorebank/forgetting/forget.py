"""Forgetting: lines cut out of the notes, out of every page made of them, and out of the index.

In this order, so that the next command can finish what is killed: the undo store, the files one by
one, the index, the store of transcripts, the name of the run. At the end every file, by its name
and its bytes, and the index is searched; what is left is said with its place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from datetime import date
from pathlib import Path, PurePosixPath

from lorebank.database.connection import Connection, IndexProblem, texts_of
from lorebank.domain.facts import Diagnostic
from lorebank.domain.reports import ForgetReport, ForgottenLine
from lorebank.errors import ConcurrentEdit, LorebankError, NotFound, WorkspaceError
from lorebank.forgetting.rows import derived_counts, embedding_hashes, opinions_moved, scrub
from lorebank.forgetting.selection import (
    Conversations,
    ForgottenTurns,
    Order,
    Selected,
    select_lines,
)
from lorebank.forgetting.undo import Cut, KeptRun, carried, keep, read_run, runs_of, store_of
from lorebank.forgetting.undo import purge as purge_kept
from lorebank.forgetting.words import Copies, Finder, bytes_of, text_of, word_finder
from lorebank.generation.writing import forget_generated
from lorebank.index.embedding_cache import EmbeddingCache
from lorebank.markdown.forgotten import ForgottenRefs, Mended, blanked, mend_report, redact_blocks
from lorebank.markdown.ledger import added_line, without_lines
from lorebank.markdown.proposal_pages import DECISIONS_PATH, PROPOSAL_PAGES
from lorebank.markdown.source import newline_style
from lorebank.records import Mutable, Record
from lorebank.workspace import layout
from lorebank.workspace.atomic import read_if_exists, remove_temporaries, replace_bytes
from lorebank.workspace.files import SourceFile, entries_below
from lorebank.workspace.git import in_repository
from lorebank.workspace.given import open_source
from lorebank.workspace.layout import DERIVED_FOLDER, FORGOTTEN_PAGE
from lorebank.workspace.lock import append_lock
from lorebank.workspace.paths import is_linked, read_text_file

_ATTEMPTS = 4  # retries for a file that another process is writing


class Forgetting(Mutable):
    """One call, by a caller that holds the workspace's lock and has synced."""

    index: Callable[[], Connection]  # asked for each time: `sync` rebuilds a damaged index
    root: Path
    files: Callable[[], Sequence[SourceFile]]
    sync: Callable[[], object]
    cache: Path | None  # where vectors are cached, whether or not there is such a file
    conversations: Conversations | None = None  # transcripts, where any are read
    problems: list[Diagnostic] = field(default_factory=list)

    def preview(self, order: Order) -> ForgetReport:
        """What `forget` would cut; nothing is written."""
        plan = plan_cuts(self.root, self._select(order), order, self._turns_meant(order))
        return self._report(plan, None, dry_run=True)

    def forget(
        self, order: Order, *, today: date, done: Sequence[str] = (), purge: bool = False
    ) -> ForgetReport:
        """Cut what the order means. `done` are runs of the same order: it may name what only they
        held. A caller that will `purge` the run finishes it by that."""
        turns = self._turns_meant(order)
        try:
            selected = self._select(order)
        except NotFound:
            if not done:
                raise
            selected = Selected()
        plan = plan_cuts(self.root, selected, order, turns)
        if not plan.cuts:
            name = done[-1] if done else None
            return self._report(plan, name)
        name = store_of(self.root).next_name(today.isoformat())
        report = self._report(plan, name)
        hashes = tuple(sorted(embedding_hashes(self.index(), plan.cuts)))
        words = (order.names, order.match) if purge else None
        run = KeptRun(name, True, plan.cuts, plan.texts, hashes, order.digest, words)
        keep(self.root, run)
        with naming(f"`lorebank forget` (run {name})", name):
            edited = self._write_cuts(run)
        for path in edited:
            self._report_problem(path, "was edited meanwhile; forget it again")
        self._finish(run)
        return report.with_problems(self.problems)

    def resume(self, name: str) -> tuple[str, ...]:
        """Finish a run that was killed or failed; returns the files edited since, which it
        leaves."""
        run = read_run(self.root, name)
        edited = self._write_cuts(run)
        self._finish(run)
        if run.purge is not None:
            purge_kept(self.root, runs_of(self.root, run.order), Finder(*run.purge))
        return edited

    def prove(self, order: Order, report: ForgetReport, *, is_purged: bool) -> ForgetReport:
        """The report with how much was searched for what an order names, or for the lines that
        went, and what is left of it."""
        texts = [line.text for line in report.lines if line.id]
        finder = order.finder or (Copies(texts) if texts else None)
        if finder is None:
            return report
        hosts = [file.place for file in self.conversations.files] if self.conversations else []
        searched, left = places_left(self.root, finder, self.index(), hosts, is_purged=is_purged)
        return replace(report.with_problems(left), searched=searched)

    def _select(self, order: Order) -> Selected:
        return select_lines(self.index(), self.root, self.files(), order)

    def _turns_meant(self, order: Order) -> ForgottenTurns:
        if self.conversations is not None:
            return self.conversations.select(order)
        if order.is_of_conversations:
            hint = "they are where memory_search.sources names sessions"
            raise NotFound(f"no transcript {order.source}: none are read", hint=hint)
        return ForgottenTurns()

    def _write_cuts(self, run: KeptRun) -> tuple[str, ...]:
        """Write what of a run is not written yet; returns the files where that cannot be told."""
        edited = []
        for path, cut in run.cuts.items():
            for _ in range(_ATTEMPTS):
                present = read_if_exists(self.root / path)
                if present == cut.after or (present is None and cut.before):
                    break
                rest = _rest_of(path, cut, present or b"", run.texts)
                if rest is not None and self._write(path, rest):
                    break
            else:
                edited.append(path)
        return tuple(edited)

    def _finish(self, run: KeptRun) -> None:
        """Bring index and cache to what the files say now, with nothing left behind.

        Raises `WorkspaceError` where the disk fails; the run stays pending, for `resume`.
        """
        try:
            left = {}
            with append_lock(self.root):
                for folder in {self.root / PurePosixPath(path).parent for path in run.cuts}:
                    remove_temporaries(folder)
            self.sync()
            forget_generated(self.root)
            if self.cache is not None and self.cache.exists():
                gone = set(run.hashes) - embedding_hashes(self.index())
                with EmbeddingCache(self.cache) as cache:
                    cache.drop(gone)
            left[DERIVED_FOLDER] = scrub(self.index())
            if self.conversations is not None and FORGOTTEN_PAGE in run.cuts:
                left["sessions"] = self.conversations.apply()
            for place, reason in left.items():
                if reason:
                    message = f"{reason}; traces may be left there until the next forget"
                    self._report_problem(place, message)
            if not self.index().filename:  # what stands in the file could not be overwritten
                raise OSError("the index cannot be written")
            if run.purge is None:
                store_of(self.root).finish(run.name)
        except (IndexProblem, OSError) as error:
            raise WorkspaceError(
                f"the notes are cut, but {self.root / DERIVED_FOLDER} may still hold traces of "
                f"run {run.name}: {error}",
                hint="make sure that the disk has room and may be written: the next command that "
                "writes finishes this run first",
            ) from error

    def _write(self, path: str, cut: Cut) -> bool:
        """Whether the file was cut; not where it is no longer what was read."""
        try:
            # A page of forgotten lines may be new; a file that goes may have been empty.
            before = cut.before if cut.after is None else cut.before or None
            replace_bytes(self.root / path, cut.after, expected=before)
        except ConcurrentEdit:
            return read_if_exists(self.root / path) == cut.after
        return True

    def _report_problem(self, path: str, message: str) -> None:
        self.problems.append(Diagnostic(path, 0, "not-forgotten", message))

    def _report(self, plan: CutPlan, run: str | None, *, dry_run: bool = False) -> ForgetReport:
        ids = {line.id for line in plan.lines if line.id}
        return ForgetReport(
            run=run,
            dry_run=dry_run,
            lines=plan.lines,
            files=tuple(path for path, cut in sorted(plan.cuts.items()) if cut.after is None),
            pages=plan.pages,
            derived=derived_counts(self.index(), [line.source for line in plan.lines]),
            opinions=tuple(opinions_moved(self.index(), ids)),
            in_git=in_repository(self.root),
            problems=(*plan.problems, *self.problems),
            said=plan.said,
        )


@contextmanager
def naming(what: str, forget: str = "") -> Iterator[None]:
    """Say in an error what stays unfinished by it, and of a run of `forget` how to take it back."""
    try:
        yield
    except WorkspaceError as error:
        back = f"; or take it back with `lorebank forget --undo {forget}`" if forget else ""
        hint = f"mend that, and the next command that writes finishes it{back}"
        raise type(error)(f"{what} is unfinished: {error.message}", hint=hint) from error


def _rest_of(path: str, cut: Cut, present: bytes, texts: Sequence[str]) -> Cut | None:
    """What an interrupted run has still to do in a file; `None` where that was edited."""
    if present == cut.before:
        return cut
    after = None if cut.after is None else carried(cut.before, cut.after, present)
    if after is None and cut.derived:
        text, encoding = text_of(present)
        after = bytes_of(mender(path)(text, ForgottenRefs(texts=tuple(texts))).text, encoding)
    return None if after is None else Cut(present, after)


# -- the new bytes of every file that says the lines, or is made of them --------------------------

_LEDGERS = frozenset({*layout.LEDGER_PAGES, DECISIONS_PATH}) - {FORGOTTEN_PAGE}
_TELLING = 20
"""A line that is no fact (a heading, a rule) is looked for elsewhere only if it is that long."""


class CutPlan(Record):
    """New bytes by path, and what of them is cut from pages."""

    cuts: Mapping[str, Cut]
    pages: tuple[ForgottenLine, ...]
    """Lines of bank pages that go because they are made of the forgotten ones."""
    texts: tuple[str, ...]
    """What no kept copy may hold, once it is purged."""
    lines: tuple[ForgottenLine, ...] = ()
    """The lines of notes that go."""
    said: tuple[ForgottenLine, ...] = ()
    """What of conversations goes."""
    problems: tuple[Diagnostic, ...] = ()


def plan_cuts(root: Path, selected: Selected, order: Order, turns: ForgottenTurns) -> CutPlan:
    """Plan the cut; nothing is written. The `turns` get their lines of `bank/forgotten.md`."""
    problems: list[Diagnostic] = []
    notes = {line.source.path for line in selected.lines} | set(selected.files)
    cuts: dict[str, Cut] = {}
    raw: dict[str, None] = {}
    is_meant = word_finder(match=order.match)
    for path in sorted(notes):
        data = _read(root, path, problems)
        if data is None:
            continue
        raw |= dict.fromkeys(_lines_cut(data, path, selected, is_meant))
        cuts[path] = Cut(data, _without(data, path, selected))
    traces = _traces(selected, order)
    pages: list[ForgottenLine] = []
    for path in _bank_pages(root):
        cut = cuts.get(path)
        if cut is not None and cut.after is None:
            continue
        data = _read(root, path, problems) if cut is None else cut.before
        if data is None or not selected.lines:
            continue
        text, encoding = text_of(data if cut is None else cut.after or b"")
        mended = mender(path)(text, traces)
        if mended.gone:
            pages += [ForgottenLine.of(path, number, text) for number, text in mended.gone if text]
            cuts[path] = Cut(data, bytes_of(mended.text, encoding), derived=cut is None)
    if turns.tombstones:
        page = read_text_file(root, FORGOTTEN_PAGE)
        cuts[FORGOTTEN_PAGE] = Cut(page.data or b"", _with_tombstones(page.text, turns).encode())
    cuts = {path: cut for path, cut in cuts.items() if cut.before != cut.after}
    texts = dict.fromkeys((*traces.needles, *order.names, *raw))
    lines = tuple(selected.lines)
    return CutPlan(cuts, tuple(pages), tuple(texts), lines, turns.turns, tuple(problems))


def _with_tombstones(text: str, turns: ForgottenTurns) -> str:
    known = {line.strip() for line in text.splitlines()}
    new = [line for line in turns.tombstones if line not in known]
    return added_line(text, newline_style(text).join(new), title="Forgotten")[0] if new else text


def _traces(selected: Selected, order: Order) -> ForgottenRefs:
    texts = [line.text for line in selected.lines if line.kind or len(line.text) >= _TELLING]
    # With a day, what is newer stays, and what tells of it.
    meant = (order.names, order.match) if order.before is None else ()
    return ForgottenRefs(
        places=tuple(line.source for line in selected.lines),
        ids=frozenset(line.id for line in selected.lines if line.id),
        texts=tuple(dict.fromkeys(texts)),
        is_named=word_finder(*meant),
    )


def mender(path: str) -> Callable[[str, ForgottenRefs], Mended]:
    """What cuts traces out of a page."""
    if path in _LEDGERS or (layout.is_generated(path) and path not in PROPOSAL_PAGES):
        return mend_report
    return redact_blocks


def _lines_cut(
    data: bytes, path: str, selected: Selected, is_meant: Callable[[str], object]
) -> Iterator[str]:
    """The longer of the lines that go, and those that hold what is meant, as they stand there."""
    lines = text_of(data)[0].split("\n")
    for place in selected.places(path):
        for line in lines[place.start_line - 1 : place.end_line]:
            if len(line.strip()) >= _TELLING or is_meant(line):
                yield line.strip()


def _without(data: bytes, path: str, selected: Selected) -> bytes | None:
    if path in selected.files:
        return None
    places = selected.places(path)
    text, encoding = text_of(data)
    if path in _LEDGERS:
        return bytes_of(without_lines(text, places), encoding)
    mark, text = text[: text.startswith("\ufeff")], text.removeprefix("\ufeff")
    lines = blanked(text, [(p.start_line, p.end_line) for p in places]).split("\n")
    for place in places:
        if (kept := selected.kept.get(place)) is not None:
            end = "\r" if lines[place.start_line - 1].endswith("\r") else ""
            stays = [f"{line.rstrip()}{end}" for line in kept.split("\n")]
            lines[place.start_line - 1 : place.end_line] = stays
    return bytes_of(mark + "\n".join(lines), encoding)


def _bank_pages(root: Path) -> list[str]:
    folder = root / layout.BANK_FOLDER
    found = [file.relative_to(root).as_posix() for file in folder.rglob("*.md") if file.is_file()]
    kept = {FORGOTTEN_PAGE}  # made of no line: what it says is the owner's, whatever is forgotten
    return sorted(path for path in found if path not in kept and not is_linked(root, path))


def _read(root: Path, path: str, problems: list[Diagnostic]) -> bytes | None:
    if Path(path).is_absolute() or is_linked(root, path):
        message = "lies outside of the workspace; cut it there"
        problems.append(Diagnostic(path, 0, "not-forgotten", message))
        return None
    try:
        return (root / path).read_bytes()
    except OSError as problem:
        problems.append(Diagnostic(path, 0, "not-forgotten", f"cannot be read: {problem.strerror}"))
        return None


# -- the search at the end -----------------------------------------------------------------------

LEFT, NAME, UNREAD = "left", "left-name", "left-unsearched"
MAYBE, HOST = "left-maybe", "left-with-host"
"""A word that may be none of the names, and a transcript: neither was to be cut."""
_KEPT = tuple(f"{DERIVED_FOLDER}/{area}/" for area in ("forgotten", "undo"))
_CACHES = tuple(f"{DERIVED_FOLDER}/{name}" for name in ("index", "embeddings", "sessions"))
_MOST_MAYBES = 20


def places_left(
    root: Path, finder: Finder, index: Connection, hosts: Collection[Path], *, is_purged: bool
) -> tuple[int, list[Diagnostic]]:
    """How many files were searched, and where what is meant still stands. `hosts` are transcripts,
    which stay; what is kept for undo is searched once it is purged; `.git` is its owner's."""
    odd: list[Diagnostic] = []
    found: list[Diagnostic] = []
    searched = 0
    caches = []
    for path, _ in entries_below(root, odd.append):
        if ".git" in path.split("/") or (path.startswith(_KEPT) and not is_purged):
            continue
        searched += 1
        if path.startswith(_CACHES):
            caches.append(path)
            continue
        found += _in_path(path, finder)
        is_host = layout.is_transcript(path) or root / path in hosts
        for each in _in_file(root, path, finder):
            found.append(
                replace(each, code=HOST) if is_host and each.code in (LEFT, MAYBE) else each
            )
    found += [_unread(each.path, each.message) for each in odd]
    maybes = [each for each in found if each.code == MAYBE]
    if not any(each.code in (LEFT, NAME) for each in found):  # what they are made of holds none
        for path in caches:
            told = finder.places((root / path).read_bytes())
            if any(told.values()) or (told and not maybes):
                found.append(Diagnostic(path, 0, LEFT, "holds it; delete it, it is made again"))
        if any(map(finder.is_certain_match, texts_of(index))):
            found.append(Diagnostic(_CACHES[0], 0, LEFT, "holds it; run lorebank index --full"))
    if more := maybes[_MOST_MAYBES:]:
        found = [each for each in found if each not in more]
        message = f"and {len(more)} more lines with such a word"
        found.append(Diagnostic(more[0].path, more[0].line, MAYBE, message))
    return searched, found


def _in_path(path: str, finder: Finder) -> Iterator[Diagnostic]:
    name = path.rpartition("/")[2]
    stems = [*path.split("/")[:-1], name.partition(".")[0]]
    for is_sure in finder.lines([f"#{stem}" for stem in stems]).values():
        yield Diagnostic(path, 0, NAME if is_sure else MAYBE, "its name tells of it")
        return


def _in_file(root: Path, path: str, finder: Finder) -> Iterator[Diagnostic]:
    try:
        source = open_source(root / path)
    except (LorebankError, OSError) as error:
        yield _unread(path, str(error))
        return
    try:
        for entry in source.paths:
            inside = f"{path}!{entry}" if entry else path
            if entry:
                yield from _in_path(inside, finder)
            for number, is_sure in sorted(finder.places(source.read(entry)).items()):
                what = "holds it" if is_sure else "may hold it, or another word"
                yield Diagnostic(inside, number, LEFT if is_sure else MAYBE, what)
    except OSError as error:
        yield _unread(path, f"cannot be read: {error.strerror}")
    finally:
        source.close()
    yield from (_unread(f"{path}!{odd.path}", odd.message) for odd in source.left_out)


def _unread(path: str, reason: str) -> Diagnostic:
    return Diagnostic(path, 0, UNREAD, f"was not searched: {reason}")
