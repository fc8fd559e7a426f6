"""The words that open a retain section; apart from the parser, so that asking costs no import."""

from __future__ import annotations

from lorebank.languages import Sections, compiled, split


def _retain_words(languages: Sections) -> tuple[str, ...]:
    return tuple(word for section in languages.values() for word in split(section["retain"]))


RETAIN_HEADINGS: tuple[str, ...] = compiled("headings", _retain_words)
"""The words that open a retain section, in every language that names one."""
