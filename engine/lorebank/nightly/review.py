"""Review by decision: what one fact or belief changes, on all pages, is decided once.

Hunks whose changed lines cite the same place tell of the same thing. A page that is new is one
decision of its own: its lines stand and fall together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from lorebank.domain.reports import Hunk
from lorebank.records import Record

_CITATION = re.compile(r"\[((?:\\.|[^\]\\\[])+?#L\d+(?:-L\d+)?)\]\([^)\s]*\)")
_MARKUP = re.compile(r"\A(?:#+|[-*])\s+")


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
    for hunk in hunks:
        places = {hunk.id} if _is_new_page(hunk) else set(_cited(hunk)) or {hunk.id}
        shared = [group for group in groups if group[0] & places]
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
            tuple(dict.fromkeys(PurePosixPath(h.path).stem for h in group if _is_of_entity(h))),
            tuple(group),
        )
        for _, group in groups
    )


def _is_of_entity(hunk: Hunk) -> bool:
    return hunk.path.startswith("bank/entities/")


def changed_lines(hunk: Hunk) -> list[str]:
    """The lines that go and come, with their sign."""
    return [line for line in hunk.diff.split("\n") if line[:1] in ("+", "-")]


def plain(line: str) -> str:
    """A changed line without its sign and markup, links as the places they lead to."""
    return _CITATION.sub(r"\1", _MARKUP.sub("", line[1:].strip()))


def _text(hunks: Sequence[Hunk]) -> str:
    """The line that tells best: an opinion's statement, then what comes, then what goes."""
    if _is_new_page(hunks[0]):
        lines = [line for line in changed_lines(hunks[0]) if _CITATION.search(line)]
        return f"new page {hunks[0].path}, {len(lines)} lines"
    lines = [line for hunk in hunks for line in changed_lines(hunk) if _is_told(line)]
    best = min(lines, key=lambda li: (not li.startswith("+### "), li[0] != "+"), default="")
    return plain(best) if best else f"the form of {hunks[0].path}"


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
