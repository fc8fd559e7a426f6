"""Clean, measure, wrap and colour text, where wide letters take two columns and combining marks
none; and phrases shared by several commands."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import lru_cache, partialmethod
from itertools import accumulate
from typing import TYPE_CHECKING

import click

from lorebank.records import Record

if TYPE_CHECKING:
    from lorebank.domain.answers import Hit, SearchHit
    from lorebank.domain.facts import Citation, Diagnostic, Evidence, Fact, Interval

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_LONGEST_SHOWN = 2_000
"""Characters of a line or passage; longer ones are pastes."""
_PIECE = re.compile(r"\s+|\S+")
_NEVER_FIRST = set(
    "、。，．・：；？！ー」』）］｝〉》】〕…,.;:!?)]}%々ぁぃぅぇぉっゃゅょァィゥェォッャュョ"
)
_NEVER_LAST = set("「『（［｛〈《【〔([{")


def clean(text: str) -> str:
    """Escape control characters (`\\x1b`) and direction overrides; tabs become spaces."""
    return _CONTROL.sub(
        lambda found: found.group().encode("unicode_escape").decode("ascii"),
        text.replace("\r\n", "\n").expandtabs(4),
    )


def display_width(text: str) -> int:
    """How many columns a text takes on a terminal.

    >>> display_width("café 東京")
    9
    """
    return len(text) if text.isascii() else sum(map(_letter_width, text))


@lru_cache(maxsize=4096)
def _letter_width(letter: str) -> int:
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def truncate(text: str, width: int) -> str:
    """The text on one line in at most `width` columns, with `…` if it was cut."""
    line = " ".join(text.split())
    if display_width(line) <= width:
        return line
    kept = sum(used < width for used in accumulate(map(_letter_width, line)))
    return f"{line[:kept].rstrip()}…"


def wrap(text: str, width: int, indent: str = "", *, first: str | None = None) -> list[str]:
    """Break a text into lines of at most `width` columns, each after `indent` (the first after
    `first`).

    Line breaks and their indent are kept. Words wider than a line stay whole, so that paths and
    links can be copied.
    """
    lines: list[str] = []
    lead = indent if first is None else first
    for paragraph in text.split("\n"):
        deep = len(paragraph) - len(paragraph.lstrip(" "))
        own = " " * min(deep, width // 4)  # limited, to leave room for words
        lines += _fill(paragraph, width, (indent if lines else lead) + own, indent + own)
    return lines


def _fill(paragraph: str, width: int, first: str, indent: str) -> list[str]:
    lines: list[str] = []
    line, used, gap = first, display_width(first), ""
    empty = True
    for piece in _pieces(paragraph):
        if piece.isspace():
            gap = " "
            continue
        size = display_width(piece)
        if not empty and used + len(gap) + size > width:
            lines.append(line)
            line, used, gap, empty = indent, display_width(indent), "", True
        if empty:
            gap = ""
        line, used, gap, empty = f"{line}{gap}{piece}", used + len(gap) + size, "", False
    lines.append(line.rstrip())
    return lines


def _pieces(paragraph: str) -> Iterator[str]:
    """Unbreakable pieces: words, and single wide letters with their punctuation."""
    for word in _PIECE.findall(paragraph):
        start = 0
        if not word.isascii() and not word.isspace():
            for end in range(1, len(word)):
                if _may_break(word[end - 1], word[end]):
                    yield word[start:end]
                    start = end
        yield word[start:]


def _may_break(before: str, after: str) -> bool:
    if after in _NEVER_FIRST or before in _NEVER_LAST or _letter_width(after) == 0:
        return False
    return _letter_width(before) == 2 or _letter_width(after) == 2


INDENT = "  "


class Look(Record):
    """Width, colour and audience of rendered text."""

    width: int = 100
    colour: bool = False
    terminal: bool = False
    """Whether output goes to a terminal, so that raw text must be escaped."""
    for_model: bool = False
    """Whether a model reads it: Markdown with ids, hints naming tools."""

    def title(self, text: str, level: int = 2) -> str:
        return f"{'#' * level} {text}" if self.for_model else self.strong(text)

    def hint(self, text: str) -> str:
        return in_words_of_tools(text) if self.for_model else text

    @property
    def bullet(self) -> str:
        return "- " if self.for_model else ""

    def _styled(self, text: str, **style: str | bool) -> str:
        return click.style(text, **style) if self.colour and text else text  # type: ignore[arg-type]

    dim = partialmethod(_styled, dim=True)
    """Secondary text: dates, sources, ids."""
    strong = partialmethod(_styled, bold=True)
    """Names and titles."""
    good = partialmethod(_styled, fg="green")
    """Evidence for, added lines, healthy states."""
    bad = partialmethod(_styled, fg="red")
    """Evidence against, removed lines, errors."""
    warn = partialmethod(_styled, fg="yellow")
    accent = partialmethod(_styled, fg="cyan")
    """Headings inside a patch, places."""

    def clean_line(self, text: str) -> str:
        """An untrusted text as one safe line."""
        return clean(" ".join(text.split("\n")))

    def paragraph(self, text: str, indent: str = "", *, first: str | None = None) -> list[str]:
        """An untrusted text, escaped and wrapped."""
        return wrap(clean(text), self.width, indent, first=first)

    def hanging(self, texts: Iterable[str]) -> list[str]:
        """Untrusted texts with a hanging indent."""
        return [line for text in texts for line in self.paragraph(text, INDENT, first="")]

    def dim_paragraph(self, text: str, indent: str = INDENT) -> list[str]:
        return [indent + self.dim(line[len(indent) :]) for line in self.paragraph(text, indent)]

    def cut(self, text: str, width: int) -> str:
        """An untrusted text on one line of at most `width` columns."""
        return truncate(clean(text), width)

    def byline(
        self, parts: Iterable[str], source: Citation | str, *, indent: str = INDENT
    ) -> list[str]:
        """The dim line under a sentence, ending with its source."""
        return self.parts([*parts, str(source)], indent)

    def parts(self, parts: Iterable[str], indent: str) -> list[str]:
        """Dim parts with dots between, preferably broken between parts, without empty ones."""
        lines: list[str] = []
        line = ""
        for part in filter(None, map(self.clean_line, parts)):
            longer = f"{line}{SEPARATOR}{part}" if line else part
            if line and display_width(indent + longer) > self.width:
                lines.append(line)
                longer = part
            line = longer
        wrapped = [each for line in [*lines, line] for each in wrap(line, self.width, indent)]
        return [indent + self.dim(line[len(indent) :]) for line in wrapped]

    def fact(self, fact: Fact, *, indent: str = "", with_id: bool = False) -> list[str]:
        parts = [
            fact.standing,
            whose(fact),
            fact.kind.value,
            times_phrase(fact),
            confidence_phrase(fact.confidence),
            ", ".join(dict.fromkeys(mention.name for mention in fact.mentions)),
            fact.id if with_id or self.for_model else "",
        ]
        return [
            *self.paragraph(excerpt(fact.content), indent, first=indent + self.bullet),
            *self.byline(parts, fact.citation, indent=indent + INDENT),
        ]

    def problems(self, problems: Sequence[Diagnostic], *, limit: int = 0) -> list[str]:
        """`path:line: message`, indented; beyond `limit` (0: none) only counted."""
        shown = problems[:limit] if limit else problems
        lines: list[str] = []
        for problem in shown:
            place = f"{problem.path}:{problem.line}" if problem.line else problem.path
            lines += self.paragraph(f"{place}: {problem.message}", INDENT * 2, first=INDENT)
        return lines + more_line(len(shown), len(problems), " (lorebank status lists them)")

    def evidence(self, evidence: Evidence, indent: str, *, known: str = "") -> str:
        """`+ 2025-12-01 +0.03 memory/2025-12-01.md#L9  the sentence`, cut to one line.

        The sentence is omitted if it is `known` already.
        """
        sign = {"for": self.good("+"), "against": self.bad("−")}.get(evidence.stance.value, "·")
        moved = evidence.reason if abs(evidence.delta) < UNSEEN else ""
        head = f"{evidence.date} {moved or signed(evidence.delta)} {evidence.source}"
        room = self.width - len(indent) - len(head) - 4
        line = f"{indent}{sign} {self.dim(head)}"
        if evidence.content in ("", known) or room < 24:
            return line
        return f"{line}  {self.cut(evidence.content, room)}"

    def move(self, statement: str, before: float | None, after: float) -> list[str]:
        """`0.80 → 0.74  the statement`, or `new → 0.74`."""
        start = " new" if before is None else confidence_phrase(before)
        end = confidence_phrase(after)
        lead = f"{INDENT}{start} → {end}  "
        first, *rest = self.paragraph(statement, " " * len(lead), first=lead)
        style = self.bad if before is not None and after < before else self.good
        return [f"{INDENT}{start} → {style(end)}{first[len(lead) - 2 :]}", *rest]

    def section(self, title: str, lines: Sequence[str]) -> list[str]:
        return ["", self.title(title), *lines] if lines else []


MODEL = Look(width=1_000_000, for_model=True)
"""Never wraps: a model pays for each indent."""
_COMMAND = re.compile(r"`?\blorebank (?P<tool>[a-z-]+)(?P<flags>(?: --?[a-z-]+)*)`?")
_FLAG = re.compile(r" --json\b|--(?!(?:decides|group|read-only|tools)\b)(?P<flag>[a-z][a-z-]*)")
"""Flags of the server itself stay: they are for whoever starts it."""


def in_words_of_tools(text: str) -> str:
    """Replace shell commands and flags by an agent's tools and arguments."""

    def tool(found: re.Match[str]) -> str:
        name = "undo" if "--undo" in found["flags"] else found["tool"]
        return f"`{name.replace('-', '_')}`"

    text = _COMMAND.sub(tool, text).replace("without --dry-run", "with dry_run=false")
    return _FLAG.sub(lambda found: (found["flag"] or "").replace("-", "_"), text)


SEPARATOR = " · "


def count(number: int, noun: str, plural: str | None = None) -> str:
    """`1 fact`, `2 facts`, `2 entities`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def count_of(number: int, plural: str) -> str:
    """As `count`, for a plural: `1 entity`, `2 facts`."""
    ending, singular = ("ies", "y") if plural.endswith("ies") else ("s", "")
    return count(number, plural.removesuffix(ending) + singular, plural)


def day_phrase(when: date | Interval | None) -> str:
    """A day or a span of days: `2025-11-27 – 2025-12-01`, `since 2025-11-27`, `undated`."""
    if when is None:
        return "undated"
    if isinstance(when, date):
        return when.isoformat()
    if when.start and when.end:
        span = f"{when.start} – {when.end}"
        return when.start.isoformat() if when.start == when.end else span
    if when.start:
        return f"since {when.start}"
    return f"until {when.end}" if when.end else "any time"


_TIMES_SHOWN = 2
"""Two are the ends of a move, more are a list to be read there."""


def times_phrase(item: Fact | Hit) -> str:
    """The first two times in the text, or else the day it was written."""
    shown = [day_phrase(time) for time in item.times[:_TIMES_SHOWN]]
    shown += ["…"] if len(item.times) > _TIMES_SHOWN else []
    return ", ".join(shown) or day_phrase(item.occurred or item.recorded)


def confidence_phrase(confidence: float | None) -> str:
    return "" if confidence is None else f"{confidence:.2f}"


def unconfirmed(item: Fact | Hit | SearchHit) -> str:
    """The mark of quarantined items with their origin; else empty."""
    return f"unconfirmed: {item.origin.value}" if item.quarantined else ""


def whose(item: Fact | Hit) -> str:
    """The origin, unless it is the owner."""
    if item.origin.value == "agent":
        return f"by {item.author.agent or 'an agent'}"
    return unconfirmed(item)


def size_phrase(size: int) -> str:
    if size < 1_000_000:
        return f"{(size + 999) // 1000} kB"
    return f"{size / 1_000_000:.1f} MB"


UNSEEN = 0.005
"""A smaller move is invisible with two decimals; the reason is shown instead."""


def signed(delta: float) -> str:
    return f"{'−' if delta < 0 else '+'}{abs(delta):.2f}"


def excerpt(text: str, terms: Iterable[str] = ()) -> str:
    """A text as it is; of one that would bury all others the part that holds the terms, and how
    long it is."""
    if len(text) <= _LONGEST_SHOWN:
        return text
    from lorebank.recall.snippets import snippet  # few texts are long

    part = snippet(text, terms, limit=_LONGEST_SHOWN)
    return f"{part} (cut: {len(text):,} characters, all in the file)"


def more_line(shown: int, of: int, hint: str = "", indent: str = INDENT) -> list[str]:
    """`… and 3 more`, unless all are shown."""
    return [f"{indent}… and {of - shown:,} more{hint}"] if shown < of else []


def blocks(found: Iterable[Iterable[str]]) -> list[str]:
    lines: list[str] = []
    for block in found:
        lines += ["", *block] if lines else block
    return lines
