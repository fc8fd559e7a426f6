"""The words that open a retain section; apart from the parser, so that asking costs no import."""

from __future__ import annotations

from lorebank.languages import Sections, compiled, split


def _entries(languages: Sections) -> dict[str, tuple[str, ...]]:
    return {
        entry: tuple(word for each in languages.values() for word in split(each.get(entry, "")))
        for entry in ("retain", "placeholder")
    }


_FOUND = compiled("headings", _entries)
RETAIN_HEADINGS = _FOUND["retain"]
"""The words that open a retain section, in every language that names one."""
PLACEHOLDERS = _FOUND["placeholder"]
"""What stands for a name in a template: `@Name`."""
