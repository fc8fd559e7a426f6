"""Folders of basic-memory: observations and relations become retain lines, the rest stays prose.

- [preference] Likes Ethiopian beans #coffee (at home)
    → - O @[[Coffee Brewing]]: Likes Ethiopian beans #coffee (at home) #preference
- depends_on [[Grinding]] (for espresso)
    → - W @[[Coffee Brewing]]: depends on [[Grinding]] (for espresso)
"""

from __future__ import annotations

import re

from lorebank.domain.facts import FactKind
from lorebank.exchange.notes import Read, entity_mention, retain_line, written_fact
from lorebank.exchange.read_obsidian import VaultSettings, vault_note, vault_notes
from lorebank.exchange.source import Source
from lorebank.markdown.source import FenceScanner

_OBSERVATION = re.compile(
    r"[ \t]*[-*+][ \t]+\[(?P<category>[^\[\]()\n]{1,60})\](?!\()[ \t]+(?P<text>\S.*)\Z"
)
_NO_CATEGORY = re.compile(r"[ xX~/>?!*<-]\Z|\^|@")
_RELATION = re.compile(
    r"[ \t]*[-*+][ \t]+(?P<relation>[^\[\]\n`]{1,80}?)[ \t]*(?P<target>\[\[[^\[\]\n]+\]\])"
    r"(?P<context>[ \t]*\([^()\n]*\))?[ \t]*\Z"
)
_EMPTIED = re.compile(
    r"^#{1,6}[ \t]+(?:Observations|Relations)[ \t]*\n(?=\s*(?:^#|\Z))", re.MULTILINE | re.IGNORECASE
)
_KINDS = {
    FactKind.OPINION: (
        "preference preferences opinion belief judgement judgment like likes dislike dislikes"
        " favorite favourite taste view"
    ),
    FactKind.EXPERIENCE: "experience event action activity done milestone accomplishment progress",
    FactKind.OBSERVATION: "summary insight pattern reflection",
}
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}


def read_basic_memory(source: Source) -> Read:
    """The notes of a folder by path, and what of it is left out."""
    settings = VaultSettings()
    yield from vault_notes(
        source, lambda path, text: vault_note(path, text, settings, with_retain_section), settings
    )


def has_observations(text: str) -> bool:
    """Whether a text holds an observation as basic-memory writes them."""
    return any(_observation(line) for line in text.split("\n"))


def with_retain_section(body: str, title: str) -> str:
    """The body with its observations and relations moved to a retain section at the end."""
    subject = entity_mention(title)
    if subject is None:
        return body
    fences = FenceScanner()
    prose: list[str] = []
    facts: list[str] = []
    for line in body.split("\n"):
        said = None if fences.feed(line) else _observation(line) or _relation(line)
        if said is None:
            prose.append(line)
            continue
        kind, text = said
        fact = written_fact(kind, text, [subject])
        if fact.content:
            facts.append(retain_line(fact))
    if not facts:
        return body
    kept = _EMPTIED.sub("", _EMPTIED.sub("", "\n".join(prose)))
    kept = re.sub(r"\n{3,}", "\n\n", kept).strip("\n")
    return (f"{kept}\n\n" if kept else f"# {title}\n\n") + "\n".join(["## Retain", *facts])


def _observation(line: str) -> tuple[FactKind, str] | None:
    found = _OBSERVATION.match(line)
    if found is None or _NO_CATEGORY.match(found["category"].strip() or " "):
        return None
    category = found["category"].strip()
    tag = re.sub(r"[^\w/]+", "-", category).strip("-")
    kind = _KIND_OF.get(category.casefold(), FactKind.WORLD)
    return kind, f"{found['text'].strip()} #{tag}" if tag else found["text"].strip()


def _relation(line: str) -> tuple[FactKind, str] | None:
    found = _RELATION.match(line)
    if found is None:
        return None
    relation = " ".join(found["relation"].replace("_", " ").strip("\"' ").split())
    return FactKind.WORLD, f"{relation} {found['target']}{found['context'] or ''}"
