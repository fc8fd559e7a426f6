"""Prompts by the name of their job, with the values put in."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_PLACE = re.compile(r"\{\{(\w+)\}\}")
_BREAK = "\n---\n"


def fill_prompt(job: str, **values: str) -> tuple[str, str]:
    """The standing orders and the question of a job; a value is never read for places itself.

    `KeyError` for a place without a value.
    """
    system, _, question = _text(job).partition(_BREAK)
    return system.strip(), _PLACE.sub(lambda place: values[place[1]], question).strip()


@cache
def _text(job: str) -> str:
    return resources.files("lorebank.generation.prompts").joinpath(f"{job}.md").read_text("utf-8")
