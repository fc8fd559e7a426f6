"""Hunks: a page edit cut into changes that can be accepted or rejected one by one.

A hunk is a run of changed lines; each opinion's line is one. The checksums of blocks, the
overview of the opinions page and the generated front matter are bookkeeping, no hunks. A hunk's id
comes from its page and its lines: the same change planned again bears the same id, so what was
rejected stays away until it reads differently, that is, until the evidence changed. Those a person
declined stand on `bank/reflections/rejected.md`:

- `h-3f2a1b2c4d` bank/entities/Peter.md (2025-12-10): Lives in Lisbon.

Taking the line out of the file lets the change be proposed again. A rejection is about the page
only: what is believed follows the evidence, and a pin or a `retracted` on `bank/opinions.md`.

A person decides by fact: hunks whose changed lines cite the same place are one `Change`, and so are
those of a line and of the one that takes its place. What cites nothing, such as an entry of the
index, goes with the page of the entity that it links to. A page that is new is one of its own, so
is a morning page of several: its lines stand and fall together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from difflib import SequenceMatcher
from hashlib import blake2b
from itertools import pairwise
from pathlib import PurePosixPath

from lorebank.domain.reports import Hunk
from lorebank.markdown import opinion_page
from lorebank.markdown.blocks import find_blocks, replace_blocks
from lorebank.markdown.plain import escape_inline
from lorebank.pages.digests import TODAY_PATH
from lorebank.pages.edits import PageEdit, plan_page_edit
from lorebank.records import Record

_CONTEXT = 2
"""Lines shown before and after a change: enough to recognise the place on a page of short lines."""
_SHA = re.compile(r"( sha=)[0-9a-zA-Z…]*(?= -->)")
REJECTED_PATH = "bank/reflections/rejected.md"
_HEAD = """# Rejected

Changes that reflect proposed and somebody declined. They are not made until they would read
differently; taking a line out lets the change be proposed again.

"""
_LINE = re.compile(r"^[-*]\s+`?(?P<id>h-[0-9a-f]{10})\b", re.MULTILINE)
_SHOWN = 120
"""Characters of a declined change that the page of rejections repeats: one line of a terminal."""
_MARKUP = re.compile(r"\s*\(?\[[^\]]*\]\([^()]*\)[^)]*\)?|^[-+]\s*(?:- )?|<!--.*-->|^[-+]\*\*.*")
_LONG = 4_000
"""From this many lines on, difflib may pass over frequent ones: its time is quadratic otherwise."""
_CITATION = re.compile(r"\[((?:\\.|[^\]\\\[])+?#L\d+(?:-L\d+)?)\]\([^)\s]*\)")
_BULLET = re.compile(r"\A(?:#+|[-*])\s+")
_LINE_ID = re.compile(r" \^o-[0-9a-f]+\Z")

_WIKILINK = re.compile(r"\[\[([^\]|]+)")
_ENTITIES = "bank/entities/"
_SECTION = "### "
_BEFORE_SECTION = re.compile(rf"\n+(?={_SECTION})")

_Span = tuple[int, int, int, int]
"""Lines `[i1:i2]` of the old text become `[j1:j2]` of the new one."""


class _BlockChange(Record):
    hunk: Hunk
    block: str = ""
    """The managed block that it changes; empty where the page is taken whole."""
    span: _Span = (0, 0, 0, 0)


def hunks_of(edit: PageEdit) -> tuple[Hunk, ...]:
    return tuple(change.hunk for change in _block_changes(edit))


def without_hunks(edit: PageEdit, is_rejected: Callable[[str], bool]) -> tuple[PageEdit, int]:
    """The edit without the hunks of these ids, and how many those were."""
    changes = _block_changes(edit)
    rejected = [change for change in changes if is_rejected(change.hunk.id)]
    if not rejected:
        return edit, 0
    if len(rejected) == len(changes):
        return replace(edit, new=edit.old), len(rejected)
    old, new = _bodies(edit.old), _bodies(edit.new)
    names = {change.block for change in rejected}
    bodies = {}
    for name in names & old.keys():
        lines = list(new.get(name, ()))
        for change in reversed([change for change in rejected if change.block == name]):
            i1, i2, j1, j2 = change.span
            lines[j1:j2] = old[name][i1:i2]
        bodies[name] = _BEFORE_SECTION.sub("\n\n", "\n".join(lines)).strip("\n")
    if opinion_page.OPINIONS_BLOCK in bodies and edit.path == opinion_page.OPINIONS_PATH:
        bodies["overview"] = opinion_page.overview_of(bodies[opinion_page.OPINIONS_BLOCK])
    text = replace_blocks(edit.new or "", bodies)
    text = plan_page_edit(edit.path, text, {}, drop=names - old.keys()).new or ""
    return replace(edit, new=text), len(rejected)


def _block_changes(edit: PageEdit) -> list[_BlockChange]:
    """The changes block by block; what stands outside of blocks, the generated front matter,
    follows them."""
    old, new = _bodies(edit.old), _bodies(edit.new)
    # What a person wrote into a block moves below it in the same breath, or not at all.
    kept_by_hand = any(problem.code == "hand-edit-kept" for problem in edit.diagnostics)
    is_bookkept = edit.path == opinion_page.OPINIONS_PATH
    same_blocks = is_bookkept or list(old) == list(new)
    if edit.old is None or edit.new is None or kept_by_hand or not same_blocks:
        return [_whole(edit)] if edit.changes else []
    return [
        change
        for name in dict.fromkeys([*new, *old])
        if not (is_bookkept and name in opinion_page.BOOKKEEPING)
        for change in _line_changes(edit.path, name, old.get(name, []), new.get(name, []))
    ]


def _bodies(text: str | None) -> dict[str, list[str]]:
    blocks = find_blocks(text or "")[0]
    return {block.name: block.body.replace("\r\n", "\n").split("\n") for block in blocks}


def _whole(edit: PageEdit) -> _BlockChange:
    old, new = (_SHA.sub(r"\1", text or "").split("\n") for text in (edit.old, edit.new))
    if edit.old is None:
        old = []
    elif edit.new is not None:
        spans = _spans(old, new)
        old = [line for i1, i2, _, _ in spans for line in old[i1:i2]]
        new = [line for _, _, j1, j2 in spans for line in new[j1:j2]]
    return _BlockChange(_hunk(edit.path, old, new, _signed(old, new)))


def _line_changes(
    path: str, block: str, old: Sequence[str], new: Sequence[str]
) -> list[_BlockChange]:
    found = []
    for span in _spans(old, new):
        i1, i2, j1, j2 = span
        gone, come = old[i1:i2], new[j1:j2]
        before = [f"({block})", *old[:i1]][-_CONTEXT:]
        around = [[f" {li}" for li in part if li] for part in (before, old[i2 : i2 + _CONTEXT])]
        shown = [*around[0], *_signed(gone, come), *around[1]]
        found.append(_BlockChange(_hunk(path, gone, come, shown), block, span))
    return found


def _spans(old: Sequence[str], new: Sequence[str]) -> list[_Span]:
    """The changed stretches. A section that comes or goes is one: whichever of them is rejected, no
    line ends up below the heading of others."""
    before, after = _sections(old), _sections(new)
    names, new_names = ([name for name, _, _ in sections] for sections in (before, after))
    found: list[_Span] = []
    matcher = SequenceMatcher(None, names, new_names, autojunk=False)
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        gone, come = before[a1:a2], after[b1:b2]
        if tag == "equal":
            for (_, i1, i2), (_, j1, j2) in zip(gone, come, strict=True):
                own = _line_spans(old[i1:i2], new[j1:j2])
                found += [(i1 + i3, i1 + i4, j1 + j3, j1 + j4) for i3, i4, j3, j4 in own]
        else:
            i = before[a1][1] if a1 < len(before) else len(old)
            j = after[b1][1] if b1 < len(after) else len(new)
            found += [(i1, i2, j, j) for _, i1, i2 in gone]
            found += [(i, i, j1, j2) for _, j1, j2 in come]
    return found


def _sections(lines: Sequence[str]) -> list[tuple[str, int, int]]:
    """Heading, start and end of each section, without the blank lines behind it; the first is what
    stands above all headings."""
    starts = [0, *(n for n, line in enumerate(lines) if line.startswith(_SECTION))]
    found = []
    for place, (start, end) in enumerate(pairwise([*starts, len(lines)])):
        while end > start and not lines[end - 1].strip():
            end -= 1
        found.append((lines[start] if place else "", start, end))
    return found


def _line_spans(old: Sequence[str], new: Sequence[str]) -> list[_Span]:
    """The changed stretches of a section; those with nothing but blank lines between them are one,
    and the line of an opinion is one of its own."""
    joined: list[_Span] = []
    before, after = (list(_line_keys(lines)) for lines in (old, new))
    matcher = SequenceMatcher(None, before, after, autojunk=len(old) + len(new) > _LONG)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            pairs = zip(range(i1, i2), range(j1, j2), strict=True)
            joined += [(i, i + 1, j, j + 1) for i, j in pairs if old[i] != new[j]]
        elif opinions := [j for j in range(j1, j2) if opinion_page.opinion_of_line(new[j])]:
            starts = [j1] if tag == "replace" else [j1, *opinions[1:]]
            ends = [*starts[1:], j2]
            joined += [(i1, i2, j, end) for j, end in zip(starts, ends, strict=True)]
        elif joined and not any(line.strip() for line in old[joined[-1][1] : i1]):
            joined[-1] = (joined[-1][0], i2, joined[-1][2], j2)
        else:
            joined.append((i1, i2, j1, j2))
    return joined


def _line_keys(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The opinion that a line states, or else the one that it stands below and its words."""
    opinion = ""
    for line in lines:
        own = opinion_page.opinion_of_line(line)
        opinion = own or opinion
        yield opinion, "" if own else line


def _hunk(path: str, gone: Sequence[str], come: Sequence[str], lines: Sequence[str]) -> Hunk:
    said = "\n".join([path, *_signed(gone, come)])
    digest = blake2b(said.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
    return Hunk(f"h-{digest}", path, "\n".join(lines))


def _signed(gone: Iterable[str], come: Iterable[str]) -> list[str]:
    return [*(f"-{line}" for line in gone), *(f"+{line}" for line in come)]


def parse_rejections(text: str) -> frozenset[str]:
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


class Change(Record):
    """One thing to decide on, with all the places that it changes."""

    text: str
    """What comes, or what goes where nothing comes, with the place it stands on."""
    about: tuple[str, ...]
    """The entities whose pages it changes."""
    hunks: tuple[Hunk, ...]

    @property
    def source(self) -> str:
        """The line behind it: `memory/2026-03-16.md#L4`; empty where none is cited."""
        cited = (place for hunk in self.hunks for place in _cited(hunk))
        return next(cited, "")

    def other_lines(self, hunk: Hunk) -> list[str]:
        """The lines of one of its places that say more than its text."""
        lines = [line for line in changed_lines(hunk) if _is_told(line)]
        return [line[0] + " " + said for line in lines if (said := plain(line)) != self.text]


def changes_of(hunks: Sequence[Hunk]) -> tuple[Change, ...]:
    """The hunks by what they tell of, in the order of their first ones."""
    groups: list[tuple[set[str], list[Hunk]]] = []
    for hunk in sorted(hunks, key=_only_makes_room):
        places = set() if _is_new_page(hunk) else {*_cited(hunk), *hunk.newer}
        shared = [group for group in groups if group[0] & places]
        if hunk.path == TODAY_PATH and len(shared) != 1:  # it tells of a whole night
            places, shared = set(), []
        if not shared and _only_makes_room(hunk):
            near = [g for g in groups if any(h.path == hunk.path for h in g[1])]
            linked = [g for g in groups if _links_to(hunk, g[1])]
            shared = (near or linked)[-1:]
        first = shared[0] if shared else (set[str](), list[Hunk]())
        if not shared:
            groups.append(first)
        for group in shared[1:]:
            first[0].update(group[0])
            first[1].extend(group[1])
            groups.remove(group)
        first[0].update(places)
        first[1].append(hunk)
    return tuple(
        Change(
            _text(group),
            tuple(dict.fromkeys(PurePosixPath(h.path).stem for h in group if _ENTITIES in h.path)),
            tuple(group),
        )
        for _, group in groups
    )


def with_newer(hunks: Iterable[Hunk], newer: Mapping[str, str]) -> tuple[Hunk, ...]:
    """The hunks with the places of the lines that took the place of those they cite."""
    return tuple(
        replace(hunk, newer=tuple(sorted({newer[at] for at in _cited(hunk) if at in newer})))
        for hunk in hunks
    )


def changed_lines(hunk: Hunk) -> list[str]:
    return [line for line in hunk.diff.split("\n") if line[:1] in ("+", "-")]


def plain(line: str) -> str:
    """A changed line without its sign and markup, links as the places they lead to."""
    return _CITATION.sub(r"\1", _BULLET.sub("", _LINE_ID.sub("", line[1:].strip())))


def _text(hunks: Sequence[Hunk]) -> str:
    """The most informative line: an opinion's statement, then what comes, then what goes."""
    if _is_new_page(hunks[0]) or hunks[0].path == TODAY_PATH:
        lines = [line for line in changed_lines(hunks[0]) if _CITATION.search(line)]
        count = "1 line" if len(lines) == 1 else f"{len(lines)} lines"
        return f"{'new ' * _is_new_page(hunks[0])}page {hunks[0].path}, {count}"
    lines = [line for hunk in hunks for line in changed_lines(hunk) if _is_told(line)]
    best = min(
        lines, key=lambda li: (not opinion_page.opinion_of_line(li), li[0] != "+"), default=""
    )
    return plain(best) if best else f"the form of {hunks[0].path}"


def _only_makes_room(hunk: Hunk) -> bool:
    """Whether nothing cited comes: a line that goes, or a count of what stands elsewhere."""
    return not any(line[0] == "+" and _CITATION.search(line) for line in changed_lines(hunk))


def _links_to(hunk: Hunk, others: Iterable[Hunk]) -> bool:
    """Whether its changed lines link to the page of an entity that one of the others changes."""
    names = {PurePosixPath(h.path).stem for h in others if _ENTITIES in h.path}
    return not names.isdisjoint(_WIKILINK.findall("\n".join(changed_lines(hunk))))


def _is_new_page(hunk: Hunk) -> bool:
    lines = hunk.diff.split("\n")
    return all(line[:1] == "+" for line in lines) and any("lorebank:begin" in li for li in lines)


def _is_told(line: str) -> bool:
    """Whether a changed line says something: no blank, marker, label or front matter."""
    said = line[1:].strip()
    labels = ("<!--", "**", "# ", "## ", "---", "first_seen:", "last_seen:", "facts:")
    return bool(said) and not said.startswith(labels)


def _cited(hunk: Hunk) -> Iterable[str]:
    return (found[1] for line in changed_lines(hunk) for found in _CITATION.finditer(line))
