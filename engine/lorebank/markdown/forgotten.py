"""What is forgotten: pages mended of what was made of it, and `bank/forgotten.md`.

Mending cuts out of a page the lines that are made of forgotten ones, and nothing else. A line is
such a trace where it cites a forgotten line, names its fact's id or holds its text; the list items
below it go with it. Of an opinion's line the statement stays unless it is forgotten itself.
Checksums of managed blocks are made again, but for a block that a person edited: it stays edited.

`bank/forgotten.md` says what was said in conversations and is not read again, one decision a line.

    - forget `sessions/a.jsonl` of main
    - forget `sessions/b.jsonl#L3-L7` of main 3f2a9c0d1e4b 77ab01c2d3e4
    - forget `sessions/c.jsonl#L1-L57` of main before 2025-11-20

A transcript is its host's and is not edited, so these lines keep out of every store what stands
there still. "of" names the agent whose transcript it is. The digits tell a message of some length
again where its host copies it, in whatever transcript; nothing that was said stands here. Deleting
a line undoes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from lorebank.domain.facts import Citation, Diagnostic, digest
from lorebank.markdown.blocks import Block, find_blocks, render_block
from lorebank.markdown.opinion_page import bare_line, opinion_of_line, without_entries
from lorebank.markdown.plain import escape_inline
from lorebank.markdown.proposal_pages import is_proposal_block
from lorebank.markdown.source import parse_day
from lorebank.records import Record

_LINK = re.compile(
    r"\[((?:\\.|[^\]\\])*?\.md)#L(\d+)(?:-L(\d+))?\]\(|(\S+?\.md)#L(\d+)(?:-L(\d+))?"
)
_GROUND = re.compile(r"- \d{4}-\d{2}-\d{2} ")
_IDS = re.compile(r"\b[fn]-[0-9a-f]{10}\b")
_LEAST_TEXT = 6
"""A shorter sentence ("Yes.") may stand anywhere; it is found by its citation and id alone."""


@dataclass(frozen=True)
class ForgottenRefs:
    """How lines are known that tell of what is forgotten."""

    places: tuple[Citation, ...] = ()
    ids: frozenset[str] = frozenset()
    texts: tuple[str, ...] = ()
    """Plain text of the forgotten sentences."""
    opinions: frozenset[str] = frozenset()
    """Ids of opinions that nothing states any more."""
    is_named: Callable[[str], object] = lambda text: None
    """Whether a line names what is forgotten: headings and links tell of it, too."""

    @cached_property
    def _by_path(self) -> dict[str, list[Citation]]:
        found: dict[str, list[Citation]] = {}
        for place in self.places:
            found.setdefault(place.path, []).append(place)
        return found

    @cached_property
    def needles(self) -> tuple[str, ...]:
        """The texts as pages write them."""
        long = [text for text in self.texts if len(text) >= _LEAST_TEXT]
        texts = [form for text in long for form in (text, " ".join(text.split()))]
        return tuple(dict.fromkeys(form for t in texts for form in (t, escape_inline(t))))

    def names_in(self, line: str) -> bool:
        """Whether a line holds the text, the id or the name of something forgotten."""
        if any(needle in line for needle in self.needles):
            return True
        if self.is_named(line):
            return True
        return bool(self.ids) and any(found in self.ids for found in _IDS.findall(line))

    def cites_in(self, line: str) -> bool:
        if ".md#L" not in line:
            return False
        for linked, a, b, plain, c, d in _LINK.findall(line):
            path = (linked or plain).replace("\\[", "[").replace("\\]", "]").lstrip("([`")
            first = int(a or c)
            last = int(b or d or first)
            for place in self._by_path.get(path, ()):
                if place.start_line <= last and first <= place.end_line:
                    return True
        return False


@dataclass
class Mended:
    """A page's text without the traces, and the lines that went."""

    text: str
    gone: list[tuple[int, str]] = field(default_factory=list)
    """1-based line in the page as it was, and what it said."""


def redact_blocks(text: str, traces: ForgottenRefs) -> Mended:
    """The page with its managed blocks mended; what a person wrote between them stays."""
    done = Mended(text)
    blocks, _ = find_blocks(text)
    dropped = frozenset(
        b.name for b in blocks if is_proposal_block(b.name) and _rests_on(b.body, traces)
    )
    dropped |= traces.opinions
    pieces: list[str] = []
    position = 0
    for block in blocks:
        source = text[block.start : block.end]
        pieces += (text[position : block.start], _mended(block, source, traces, dropped, done.gone))
        position = block.end
    done.text = "".join([*pieces, text[position:]])
    left = set(map(opinion_of_line, done.text.splitlines()))
    gone = {opinion_of_line(line) for _, line in done.gone} - left
    done.text = without_entries(done.text, traces.opinions | gone)
    return done


def mend_report(text: str, traces: ForgottenRefs) -> Mended:
    """A report of the engine's own (a journal, rejected hunks) without what it quotes."""
    gone: list[tuple[int, str]] = []
    kept = _without(text.split("\n"), 1, traces.names_in, gone)
    return Mended("\n".join(kept), gone)


def blanked(text: str, places: Iterable[tuple[int, int]]) -> str:
    """The text with these lines (1-based, inclusive) empty.

    An empty line stays where each one stood, so that every citation of the others holds.
    """
    lines = text.split("\n")
    for start, end in places:
        for number in range(start - 1, min(end, len(lines))):
            lines[number] = "\r" if lines[number].endswith("\r") else ""
    return "\n".join(lines)


def _rests_on(proposal: str, traces: ForgottenRefs) -> bool:
    """Whether the very lines of a proposal tell of something forgotten, or all it stands on."""
    lines = [line.rstrip("\r") for line in proposal.split("\n")]
    traced = {line for line in lines if traces.names_in(line) or traces.cites_in(line)}
    grounds = {line for line in lines if _GROUND.match(line)}
    return bool(traced - grounds) or (bool(traced) and grounds <= traced)


def _mended(
    block: Block,
    source: str,
    traces: ForgottenRefs,
    dropped: Collection[str],
    gone: list[tuple[int, str]],
) -> str:
    if block.name in dropped:
        body = block.body.split("\n")
        gone.extend((block.first_line + 1 + n, line.rstrip("\r")) for n, line in enumerate(body))
        return ""
    before = block.body
    newline = "\r\n" if "\r\n" in source else "\n"
    after = before.replace("\r\n", "\n")

    def traced(line: str) -> bool:
        is_forgotten = opinion_of_line(line) in traces.opinions
        return is_forgotten or traces.names_in(line) or traces.cites_in(line)

    lines = after.split("\n")
    for number, line in enumerate(lines):
        if opinion_of_line(line) and traced(line) and not traced(bare_line(line)):
            gone.append((block.first_line + 1 + number, line))
            lines[number] = bare_line(line)
    after = "\n".join(_without(lines, block.first_line + 1, traced, gone))
    if after == before.replace("\r\n", "\n"):
        return source
    if block.edited:
        first, _, rest = source.partition("\n")
        end = rest.rpartition("\n")[2]
        middle = after.replace("\n", newline) + newline if after else ""
        return f"{first}\n{middle}{end}"
    return render_block(block.name, after).replace("\n", newline)


def _without(
    lines: list[str], first: int, traced: Callable[[str], bool], gone: list[tuple[int, str]]
) -> list[str]:
    """The lines less the traced ones and what is set further in below them."""
    kept: list[str] = []
    below: int | None = None
    for number, line in enumerate(lines, first):
        indent = len(line) - len(line.lstrip())
        if below is not None and line.strip() and indent > below:
            gone.append((number, line.rstrip("\r")))
            continue
        below = None
        if traced(line):
            gone.append((number, line.rstrip("\r")))
            below = indent
        else:
            kept.append(line)
    return kept


_ITEM = re.compile(r"\s*[-*+]\s+")
_LINE = re.compile(
    r"forget\s+`(?P<place>.+)`\s+of\s+(?P<agent>\S+)"
    r"(?:\s+before\s+(?P<day>\d{4}-\d\d-\d\d))?(?P<keys>(?:\s+[0-9a-f]{12})*)\s*\Z"
)
_KEY_BYTES = 6
_SHORTEST_KEYED = 20
"""Characters. A shorter message ("yes, please") is forgotten at its place only: others say the
same, and a digest of it would give it away to whoever tries short sentences."""


class Tombstone(Record):
    """One line: a transcript, or lines of it."""

    path: str
    first: int = 0
    """1-based; 0 for no lines: all that stands there and will, unless there is a day."""
    last: int = 0
    before: date | None = None
    """What was said on an earlier day; of the lines, then, those that bear no day."""
    keys: tuple[str, ...] = ()
    """Of messages that stand in these lines, see `message_key`."""

    def covers(self, line: int, day: date | None) -> bool:
        """Whether it forgets what stands on this line of its transcript, said on this day."""
        if self.before is not None and day is not None:
            return day < self.before
        if self.first:
            return self.first <= line <= self.last
        return self.before is None


class Forgotten(Record):
    """All that an agent's transcripts are read without."""

    tombstones: Mapping[str, tuple[Tombstone, ...]] = field(default_factory=dict)  # by path
    keys: frozenset[str] = frozenset()

    def holds(self, path: str, line: int, day: date | None, text: str) -> bool:
        """Whether a message of a transcript is forgotten."""
        if any(each.covers(line, day) for each in self.tombstones.get(path, ())):
            return True
        return bool(self.keys) and message_key(text) in self.keys

    def fingerprint(self) -> str:
        """Changes with whatever lets other turns pass; empty where all do."""
        if not self.tombstones and not self.keys:
            return ""
        told = (sorted(self.tombstones.items(), key=repr), sorted(self.keys))
        return digest(repr(told), _KEY_BYTES)


NOTHING = Forgotten()


def message_key(text: str) -> str:
    """Hex digits by which a copied message is recognised; empty for one too short for that."""
    return digest(text, _KEY_BYTES) if len(text) >= _SHORTEST_KEYED else ""


def format_tombstone(tombstone: Tombstone, agent: str) -> str:
    """A line of the page.

    >>> format_tombstone(Tombstone("sessions/a.jsonl", 3, 3), "main")
    '- forget `sessions/a.jsonl#L3` of main'
    """
    place = tombstone.path
    if tombstone.first:
        place = str(Citation(place, tombstone.first, tombstone.last))
    day = f" before {tombstone.before.isoformat()}" if tombstone.before else ""
    return " ".join([f"- forget `{place}` of {agent}{day}", *tombstone.keys])


def parse_forgotten(
    text: str, path: str = "", *, agent: str = ""
) -> tuple[Forgotten, tuple[Diagnostic, ...]]:
    """What a page says of an agent's transcripts, and the list items that say nothing; a copied
    message is forgotten whoever the agent is."""
    found: dict[str, list[Tombstone]] = {}
    keys: set[str] = set()
    problems: list[Diagnostic] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if (item := _ITEM.match(line)) is None:
            continue
        found_line = _LINE.match(line, item.end())
        tombstone = _tombstone(found_line) if found_line else None
        if found_line is None or tombstone is None:
            message = "forgets nothing; write `sessions/….jsonl` in backticks, or with #L3-L7"
            problems.append(Diagnostic(path, number, "forgotten-unread", message))
            continue
        keys |= set(tombstone.keys)
        if found_line["agent"] == agent:
            found.setdefault(tombstone.path, []).append(tombstone)
    by_path = {path: tuple(each) for path, each in found.items()}
    return Forgotten(by_path, frozenset(keys)), tuple(problems)


def _tombstone(line: re.Match[str]) -> Tombstone | None:
    day = parse_day(line["day"])
    if line["day"] and day is None:
        return None
    keys = tuple(line["keys"].split())
    try:
        place = Citation.parse(line["place"])
    except ValueError:
        return Tombstone(line["place"], before=day, keys=keys)
    return Tombstone(place.path, place.start_line, place.end_line, day, keys)
