"""Text for people: cleaned, measured, wrapped and coloured; and the phrases several commands share.

Wide letters (Chinese, Japanese, Korean, most emoji) take two columns, combining marks none.
"""

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
_PIECE = re.compile(r"\s+|\S+")
_NEVER_FIRST = set(
    "、。，．・：；？！ー」』）］｝〉》】〕…,.;:!?)]}%々ぁぃぅぇぉっゃゅょァィゥェォッャュョ"
)
_NEVER_LAST = set("「『（［｛〈《【〔([{")


def clean(text: str) -> str:
    """Control characters made visible (`\\x1b`), so that no note can drive the terminal.

    Line feeds stay and tabs become spaces; overrides of the writing direction are shown as well.
    """
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
    """The text on one line in at most `width` columns, with `…` where it was cut."""
    line = " ".join(text.split())
    if display_width(line) <= width:
        return line
    kept = sum(used < width for used in accumulate(map(_letter_width, line)))
    return f"{line[:kept].rstrip()}…"


def wrap(text: str, width: int, indent: str = "", *, first: str | None = None) -> list[str]:
    """Break a text into lines of at most `width` columns, each behind `indent`.

    `first` stands before the first line in place of `indent`. A line break in the text stays one,
    and so does the indent behind it. A word wider than the line stays whole, so that a path or a
    link can be copied.
    """
    lines: list[str] = []
    lead = indent if first is None else first
    for paragraph in text.split("\n"):
        deep = len(paragraph) - len(paragraph.lstrip(" "))
        own = " " * min(deep, width // 4)  # as far as it leaves room for words
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
    """What must stay together: words, and single wide letters with their punctuation."""
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
    """A width in columns and whether to colour; without colour every style is the bare text."""

    width: int = 100
    colour: bool = False
    terminal: bool = False
    """Whether a person is looking: what is raw for a pipe is made safe to show."""
    for_model: bool = False
    """Whether a model reads it: Markdown with ids, hints in the words of tools."""

    def title(self, text: str, level: int = 2) -> str:
        return f"{'#' * level} {text}" if self.for_model else self.strong(text)

    def hint(self, text: str) -> str:
        """What to call next."""
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
    """What deserves a look."""
    accent = partialmethod(_styled, fg="cyan")
    """Headings inside a patch, places."""

    def clean_line(self, text: str) -> str:
        """A text of any origin as one line that is safe to show."""
        return clean(" ".join(text.split("\n")))

    def paragraph(self, text: str, indent: str = "", *, first: str | None = None) -> list[str]:
        """A text of any origin, safe to show and wrapped."""
        return wrap(clean(text), self.width, indent, first=first)

    def hanging(self, texts: Iterable[str]) -> list[str]:
        """Texts of any origin whose further lines are set in."""
        return [line for text in texts for line in self.paragraph(text, INDENT, first="")]

    def dim_paragraph(self, text: str, indent: str = INDENT) -> list[str]:
        return [indent + self.dim(line[len(indent) :]) for line in self.paragraph(text, indent)]

    def cut(self, text: str, width: int) -> str:
        """A text of any origin on one line of at most `width` columns."""
        return truncate(clean(text), width)

    def byline(
        self, parts: Iterable[str], source: Citation | str, *, indent: str = INDENT
    ) -> list[str]:
        """The dim line under a sentence; its source ends it."""
        return self.parts([*parts, str(source)], indent)

    def parts(self, parts: Iterable[str], indent: str) -> list[str]:
        """Dim parts with dots between, broken between parts where they fit, empty ones left out."""
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
            *self.paragraph(fact.content, indent, first=indent + self.bullet),
            *self.byline(parts, fact.citation, indent=indent + INDENT),
        ]

    def problems(self, problems: Sequence[Diagnostic], *, limit: int = 0) -> list[str]:
        """Each as `path:line: what`, set back; beyond `limit` (0: none) only their number."""
        shown = problems[:limit] if limit else problems
        lines: list[str] = []
        for problem in shown:
            place = f"{problem.path}:{problem.line}" if problem.line else problem.path
            lines += self.paragraph(f"{place}: {problem.message}", INDENT * 2, first=INDENT)
        return lines + more_line(len(shown), len(problems), " (lorebank status lists them)")

    def evidence(self, evidence: Evidence, indent: str, *, known: str = "") -> str:
        """`+ 2025-12-01 +0.03 memory/2025-12-01.md#L9  the sentence`, cut to one line.

        A sentence that is `known`, as it stands above already, is left out.
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
        """`0.80 → 0.74  the statement`; where it was not held before, `new → 0.74`."""
        start = " new" if before is None else confidence_phrase(before)
        end = confidence_phrase(after)
        lead = f"{INDENT}{start} → {end}  "
        first, *rest = self.paragraph(statement, " " * len(lead), first=lead)
        style = self.bad if before is not None and after < before else self.good
        return [f"{INDENT}{start} → {style(end)}{first[len(lead) - 2 :]}", *rest]

    def section(self, title: str, lines: Sequence[str]) -> list[str]:
        return ["", self.title(title), *lines] if lines else []


MODEL = Look(width=1_000_000, for_model=True)
"""Wide enough that no line is broken: a model pays for each indent."""
_COMMAND = re.compile(r"`?\blorebank (?P<tool>[a-z-]+)(?P<flags>(?: --?[a-z-]+)*)`?")
_FLAG = re.compile(r" --json\b|--(?!(?:decides|group|read-only|tools)\b)(?P<flag>[a-z][a-z-]*)")
"""Flags of the server itself stay: they are for whoever starts it."""


def in_words_of_tools(text: str) -> str:
    """Commands and flags of the shell as the tools and arguments that they are for an agent."""

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
    """As `count`, for a name that is known in the plural: `1 entity`, `2 facts`."""
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
"""Of the times that a text names: two are the ends of a move, more are a list to be read there."""


def times_phrase(item: Fact | Hit) -> str:
    """The times that a text names, the first two of them; else the day it was written."""
    shown = [day_phrase(time) for time in item.times[:_TIMES_SHOWN]]
    shown += ["…"] if len(item.times) > _TIMES_SHOWN else []
    return ", ".join(shown) or day_phrase(item.occurred or item.recorded)


def confidence_phrase(confidence: float | None) -> str:
    return "" if confidence is None else f"{confidence:.2f}"


def unconfirmed(item: Fact | Hit | SearchHit) -> str:
    """The mark of what nobody vouches for, and whose word it is; empty for what is trusted."""
    return f"unconfirmed: {item.origin.value}" if item.quarantined else ""


def whose(item: Fact | Hit) -> str:
    """Whose word it is, where that is not the owner's."""
    if item.origin.value == "agent":
        return f"by {item.author.agent or 'an agent'}"
    return unconfirmed(item)


def size_phrase(size: int) -> str:
    if size < 1_000_000:
        return f"{(size + 999) // 1000} kB"
    return f"{size / 1_000_000:.1f} MB"


UNSEEN = 0.005
"""A move that two decimals do not show; why the line was read so says more."""


def signed(delta: float) -> str:
    return f"{'−' if delta < 0 else '+'}{abs(delta):.2f}"


def more_line(shown: int, of: int, hint: str = "", indent: str = INDENT) -> list[str]:
    """`… and 3 more`, where not all are shown."""
    return [f"{indent}… and {of - shown:,} more{hint}"] if shown < of else []


def blocks(found: Iterable[Iterable[str]]) -> list[str]:
    lines: list[str] = []
    for block in found:
        lines += ["", *block] if lines else block
    return lines
