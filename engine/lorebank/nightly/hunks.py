"""Hunks: a page edit cut into changes that can be accepted or rejected one by one.

On most pages a hunk is a run of changed lines; on the opinions page it is one opinion's block, and
the overview follows the blocks. The checksums of blocks and the generated front matter are
bookkeeping, no hunks of their own. A hunk's id comes from its page and its lines: the same change
planned again bears the same id, so what was rejected stays away until it reads differently, that
is, until the evidence changed. Those a person declined stand on `bank/reflections/rejected.md`:

- `h-3f2a1b2c4d` bank/entities/Peter.md (2025-12-10): Lives in Lisbon.

Taking the line out of the file lets the change be proposed again. A rejection is about the page
only: what is believed follows the evidence, and a pin or a `retracted` on `bank/opinions.md`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from difflib import SequenceMatcher
from hashlib import blake2b

from lorebank.domain.reports import Hunk
from lorebank.markdown.blocks import Block, find_blocks, replace_blocks
from lorebank.markdown.opinion_page import OPINIONS_PATH, is_opinion_block, with_overview_entries
from lorebank.markdown.plain import escape_inline
from lorebank.pages.edits import PageEdit, plan_page_edit
from lorebank.records import Record

_CONTEXT = 2
_SHA = re.compile(r"( sha=)[0-9a-zA-Z…]*(?= -->)")
_MARKER = re.compile(r"<!-- lorebank:begin ([\w.-]+) .*-->")
REJECTED_PATH = "bank/reflections/rejected.md"
_HEAD = """# Rejected

Changes that reflect proposed and somebody declined. They are not made until they would read
differently; taking a line out lets the change be proposed again.

"""
_LINE = re.compile(r"^[-*]\s+`?(?P<id>h-[0-9a-f]{10})\b", re.MULTILINE)
_SHOWN = 120
_MARKUP = re.compile(r"\s*\(?\[[^\]]*\]\([^()]*\)[^)]*\)?|^[-+]\s*(?:- )?|<!--.*-->|^[-+]\*\*.*")
_LONG = 4_000
"""From so many lines on, difflib may pass over frequent ones: its time is quadratic otherwise."""

_Span = tuple[int, int, int, int]
"""Lines `[i1:i2]` of the old text become `[j1:j2]` of the new one."""


class _Change(Record):
    hunk: Hunk
    spans: tuple[_Span, ...] = ()


def hunks_of(edit: PageEdit) -> tuple[Hunk, ...]:
    """The changes of an edit, in the order of the page."""
    return tuple(change.hunk for change in _changes(edit))


def without_hunks(edit: PageEdit, is_rejected: Callable[[str], bool]) -> tuple[PageEdit, int]:
    """The edit without the hunks of these ids, and how many those were."""
    changes = _changes(edit)
    rejected = [change for change in changes if is_rejected(change.hunk.id)]
    if not rejected:
        return edit, 0
    if len(rejected) == len(changes):
        text = edit.old
    elif edit.path == OPINIONS_PATH:
        text = _opinions_without(edit, {change.hunk.id for change in rejected})
    else:
        text = _lines_without(edit, [span for change in rejected for span in change.spans])
    return replace(edit, new=text), len(rejected)


def _changes(edit: PageEdit) -> tuple[_Change, ...]:
    kept_by_hand = any(problem.code == "hand-edit-kept" for problem in edit.diagnostics)
    if edit.old is None or edit.new is None or kept_by_hand:
        # What a person wrote into a block moves below it in the same breath, or not at all.
        return (_whole(edit),) if edit.changes else ()
    if edit.path == OPINIONS_PATH:
        return tuple(_Change(hunk) for _, hunk in _opinion_hunks(edit))
    old, new = _plain_lines(edit.old), _plain_lines(edit.new)
    if [old[i] for i in _markers(old)] != [new[i] for i in _markers(new)]:
        return (_whole(edit),)
    return _line_changes(edit.path, old, new)


def _markers(lines: Sequence[str]) -> list[int]:
    """Where the markers of blocks stand."""
    return [number for number, line in enumerate(lines) if "<!-- lorebank:" in line]


def _whole(edit: PageEdit) -> _Change:
    old, new = _plain_lines(edit.old or ""), _plain_lines(edit.new or "")
    gone, come = ([], new) if edit.old is None else (old, new)
    if edit.old is not None and edit.new is not None:
        gone, come = _only_changed(old, new)
    return _Change(_hunk(edit.path, gone, come, _signed(gone, come)))


def _only_changed(old: Sequence[str], new: Sequence[str]) -> tuple[list[str], list[str]]:
    spans = _spans(old, new)
    gone = [line for i1, i2, _, _ in spans for line in old[i1:i2]]
    return gone, [line for _, _, j1, j2 in spans for line in new[j1:j2]]


def _line_changes(path: str, old: Sequence[str], new: Sequence[str]) -> tuple[_Change, ...]:
    heads = _front_matter_end(old), _front_matter_end(new)
    found = []
    for span in _spans_between_markers(old, new):
        i1, i2, j1, j2 = span
        if i2 <= heads[0] and j2 <= heads[1]:
            continue
        lines = _around(old[max(i1 - _CONTEXT, 0) : i1])
        lines += _signed(old[i1:i2], new[j1:j2])
        lines += _around(old[i2 : i2 + _CONTEXT])
        found.append(_Change(_hunk(path, old[i1:i2], new[j1:j2], lines), (span,)))
    return tuple(found)


def _spans_between_markers(old: Sequence[str], new: Sequence[str]) -> Iterator[_Span]:
    """The changed stretches, none of which reaches over a marker: lines of two blocks that happen
    to be alike are never taken for one another."""
    i, j = 0, 0
    ends = zip([*_markers(old), len(old)], [*_markers(new), len(new)], strict=True)
    for i_end, j_end in ends:
        ours, theirs = old[i:i_end], new[j:j_end]
        for i1, i2, j1, j2 in _joined(_spans(ours, theirs), ours):
            yield i1 + i, i2 + i, j1 + j, j2 + j
        i, j = i_end + 1, j_end + 1


def _around(lines: Sequence[str]) -> list[str]:
    """Lines of the page that stay; markers show as the name of their block."""
    shown = (_MARKER.sub(r"(\1)", line) for line in lines if "lorebank:end" not in line)
    return [f" {line}" for line in shown if line.strip()]


def _spans(old: Sequence[str], new: Sequence[str]) -> list[_Span]:
    """The changed stretches; common beginnings and ends are not looked at twice."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    ours, theirs = old[start : len(old) - end], new[start : len(new) - end]
    matcher = SequenceMatcher(None, ours, theirs, autojunk=len(ours) + len(theirs) > _LONG)
    return [
        (i1 + start, i2 + start, j1 + start, j2 + start)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def _joined(spans: Iterable[_Span], old: Sequence[str]) -> list[_Span]:
    """Stretches with nothing but blank lines between them are one."""
    joined: list[_Span] = []
    for span in spans:
        if joined and not any(line.strip() for line in old[joined[-1][1] : span[0]]):
            joined[-1] = (joined[-1][0], span[1], joined[-1][2], span[3])
        else:
            joined.append(span)
    return joined


def _lines_without(edit: PageEdit, rejected: Sequence[_Span]) -> str:
    assert edit.old is not None and edit.new is not None
    old, new = edit.old.split("\n"), edit.new.split("\n")
    lines: list[str] = []
    position = 0
    for i1, i2, j1, j2 in sorted(rejected, key=lambda span: span[2]):
        lines += new[position:j1] + old[i1:i2]
        position = j2
    text = "\n".join([*lines, *new[position:]])
    # With the checksums of the blocks as their bodies now are.
    own = {block.name for block in find_blocks(edit.new)[0] if not block.edited}
    return replace_blocks(text, {b.name: b.body for b in find_blocks(text)[0] if b.name in own})


def _opinion_hunks(edit: PageEdit) -> list[tuple[str, Hunk]]:
    """Opinion id → its change, of those whose blocks differ."""
    old, new = _opinion_blocks(edit.old), _opinion_blocks(edit.new)
    found = []
    for name in dict.fromkeys([*new, *old]):
        before = old[name].body.replace("\r\n", "\n") if name in old else None
        after = new[name].body.replace("\r\n", "\n") if name in new else None
        if before != after:
            lines = (before or "").split("\n"), (after or "").split("\n")
            gone, come = _only_changed(*lines)
            title = next((f" {line}" for line in lines[1] if line.startswith("#")), "")
            shown = _signed(gone, come)
            shown = shown if not title or f"+{title[1:]}" in shown else [title, *shown]
            found.append((name, _hunk(edit.path, [name, *gone], come, shown)))
    return found


def _opinions_without(edit: PageEdit, rejected: set[str]) -> str:
    """The new page with the blocks and overview entries of these opinions as they were."""
    assert edit.new is not None
    old, new = _opinion_blocks(edit.old), _opinion_blocks(edit.new)
    names = {name for name, hunk in _opinion_hunks(edit) if hunk.id in rejected}
    back = {name: old[name].body for name in names if name in old}
    before, after = (
        next((b.body for b in find_blocks(text or "")[0] if b.name == "overview"), "")
        for text in (edit.old, edit.new)
    )
    if after:
        back["overview"] = with_overview_entries(after, before, names)
    drop = {name for name in names if name not in old and name in new}
    text = replace_blocks(edit.new, back)
    return plan_page_edit(edit.path, text, {}, drop=drop).new or ""


def _opinion_blocks(text: str | None) -> dict[str, Block]:
    blocks = find_blocks(text or "")[0]
    return {block.name: block for block in blocks if is_opinion_block(block.name)}


def _hunk(path: str, gone: Sequence[str], come: Sequence[str], lines: Sequence[str]) -> Hunk:
    said = "\n".join([path, *(f"-{line}" for line in gone), *(f"+{line}" for line in come)])
    digest = blake2b(said.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
    return Hunk(f"h-{digest}", path, "\n".join(lines))


def _signed(gone: Iterable[str], come: Iterable[str]) -> list[str]:
    return [*(f"-{line}" for line in gone), *(f"+{line}" for line in come)]


def _plain_lines(text: str) -> list[str]:
    return [_SHA.sub(r"\1", line) if "sha=" in line else line for line in text.split("\n")]


def _front_matter_end(lines: Sequence[str]) -> int:
    """The number of lines of the front matter, its fences included."""
    if not lines or lines[0].lstrip("\ufeff").rstrip() != "---":
        return 0
    for number, line in enumerate(lines[1:], start=2):
        if line.rstrip() == "---":
            return number
    return 0


def parse_rejections(text: str) -> frozenset[str]:
    """The ids of the hunks that the page names."""
    return frozenset(match["id"] for match in _LINE.finditer(text))


def with_rejections(text: str, hunks: Iterable[Hunk], day: date) -> str:
    """The page with these hunks added to it; those it names already are not added again."""
    known = parse_rejections(text)
    lines = []
    for hunk in (hunk for hunk in hunks if hunk.id not in known):
        # The first line that comes, else the first that goes, as plain text.
        changed = sorted(hunk.diff.split("\n"), key=lambda line: line[:1] != "+")
        plain = (_MARKUP.sub("", line).strip(" #") for line in changed if line[:1] in ("+", "-"))
        gist = next((text for text in plain if any(c.isalnum() for c in text)), "")
        gist = gist if len(gist) <= _SHOWN else gist[: _SHOWN - 1] + "…"
        lines.append(f"- `{hunk.id}` {hunk.path} ({day.isoformat()}): {escape_inline(gist)}\n")
    head = text if text.endswith("\n") or not text else f"{text}\n"
    return (head or _HEAD) + "".join(lines) if lines else text
