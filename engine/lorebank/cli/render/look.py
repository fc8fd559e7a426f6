"""The look of text output: how wide, coloured or not, and what each colour means."""

from __future__ import annotations

import click

from lorebank.cli.render.text import clean, truncate, wrap
from lorebank.records import dataclass

INDENT = "  "


@dataclass(frozen=True, slots=True)
class Look:
    """A width in columns and whether to colour; without colour every style is the bare text."""

    width: int = 100
    colour: bool = False
    terminal: bool = False
    """Whether a person is looking: what is raw for a pipe is made safe to show."""

    def dim(self, text: str) -> str:
        """What stands beside the matter: dates, sources, ids."""
        return self._styled(text, dim=True)

    def strong(self, text: str) -> str:
        """Names and titles."""
        return self._styled(text, bold=True)

    def good(self, text: str) -> str:
        """Evidence for, added lines, healthy states."""
        return self._styled(text, fg="green")

    def bad(self, text: str) -> str:
        """Evidence against, removed lines, errors."""
        return self._styled(text, fg="red")

    def warn(self, text: str) -> str:
        """What deserves a look."""
        return self._styled(text, fg="yellow")

    def accent(self, text: str) -> str:
        """Headings inside a patch, places."""
        return self._styled(text, fg="cyan")

    def clean_line(self, text: str) -> str:
        """A text of any origin as one line that is safe to show."""
        return clean(" ".join(text.split("\n")))

    def paragraph(self, text: str, indent: str = "", *, first: str | None = None) -> list[str]:
        """A text of any origin, safe to show and wrapped."""
        return wrap(clean(text), self.width, indent, first=first)

    def dim_paragraph(self, text: str, indent: str = INDENT) -> list[str]:
        """The same, set back and dimmed."""
        return [indent + self.dim(line[len(indent) :]) for line in self.paragraph(text, indent)]

    def cut(self, text: str, width: int) -> str:
        """A text of any origin on one line of at most `width` columns."""
        return truncate(clean(text), width)

    def _styled(self, text: str, **style: str | bool) -> str:
        return click.style(text, **style) if self.colour and text else text  # type: ignore[arg-type]
