"""From selected lines to new bytes of every file that says them or is made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from lorebank.domain.facts import Diagnostic
from lorebank.domain.reports import ForgottenLine
from lorebank.forgetting.conversations import ForgottenTurns
from lorebank.forgetting.selection import Order, Selected
from lorebank.forgetting.undo import Cut
from lorebank.forgetting.words import bytes_of, text_of, word_finder
from lorebank.markdown.forgotten import Mended, Traces, blanked, mend_blocks, mend_report
from lorebank.markdown.ledger import added_line, without_lines
from lorebank.markdown.proposal_pages import DECISIONS_PATH, PROPOSAL_PAGES
from lorebank.markdown.source import newline_style
from lorebank.records import Record
from lorebank.workspace.layout import BANK_FOLDER, FORGOTTEN_PAGE, LEDGER_PAGES, is_generated
from lorebank.workspace.paths import is_linked, read_text_file

_LEDGERS = frozenset({*LEDGER_PAGES, DECISIONS_PATH}) - {FORGOTTEN_PAGE}
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


def _traces(selected: Selected, order: Order) -> Traces:
    texts = [line.text for line in selected.lines if line.kind or len(line.text) >= _TELLING]
    # With a day, what is newer stays, and what tells of it.
    meant = (order.names, order.match) if order.before is None else ()
    return Traces(
        places=tuple(line.source for line in selected.lines),
        ids=frozenset(line.id for line in selected.lines if line.id),
        texts=tuple(dict.fromkeys(texts)),
        is_named=word_finder(*meant),
    )


def mender(path: str) -> Callable[[str, Traces], Mended]:
    """What cuts traces out of a page."""
    if path in _LEDGERS or (is_generated(path) and path not in PROPOSAL_PAGES):
        return mend_report
    return mend_blocks


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
    folder = root / BANK_FOLDER
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
