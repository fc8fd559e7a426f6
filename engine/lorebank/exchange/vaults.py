"""Obsidian vaults and basic-memory folders: Markdown with its special syntax converted.

Daily notes are recognised by the vault's settings and keep their day. Attachments, templates,
drawings and `%%` comments are left out; block ids are removed, callouts become bold titles.

- [preference] Likes Ethiopian beans #coffee (at home)
    → - O @[[Coffee Brewing]]: Likes Ethiopian beans #coffee (at home) #preference
- depends_on [[Grinding]] (for espresso)
    → - W @[[Coffee Brewing]]: depends on [[Grinding]] (for espresso)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from pathlib import PurePosixPath

from lorebank.domain.facts import Diagnostic, FactKind
from lorebank.exchange.notes import ImportedNote, NoteStream, entity_mention, make_fact, retain_line
from lorebank.exchange.prose import (
    LinkRules,
    moment_day,
    rewrite_lines,
    rewrite_links,
    rewrite_prose,
    shareable_page,
    titled,
)
from lorebank.exchange.source import read_pages
from lorebank.markdown.front_matter import parse_front_matter
from lorebank.markdown.mentions import code_spans
from lorebank.markdown.source import FenceScanner
from lorebank.workspace.discover import VaultSettings, vault_settings
from lorebank.workspace.given import Source

_BLOCK_ID = re.compile(r"(?:\A|[ \t]+)\^[A-Za-z0-9-]+[ \t]*\Z")
_CALLOUT = re.compile(
    r"(?P<quote>[ \t]*(?:>[ \t]?)+)\[!(?P<type>[\w -]+)(?:\|[^\]]*)?\][+-]?[ \t]*(?P<title>.*)\Z"
)
_HIDDEN = re.compile(r"(?:[^/.][^/]*/)*\.[^/]*")
"""A path up to its first part that begins with a dot."""
_LEFT_OUT = {
    ".canvas": ("drawing", "a canvas is not text; left out"),
    ".base": ("drawing", "a database view is not text; left out"),
    ".excalidraw.md": ("drawing", "a drawing is not text; left out"),
}


def _day_of(vault: VaultSettings, path: str) -> date | None:
    """The day of a daily note, from its path without `.md` or from a link."""
    folder = f"{vault.daily_folder}/" if vault.daily_folder else ""
    for name in (path.removeprefix(folder), PurePosixPath(path).name):
        if day := moment_day(name, vault.daily_format):
            return day
    # Links omit the folders of a format like `YYYY/MM/YYYY-MM-DD`.
    last = vault.daily_format.rpartition("/")[2]
    return moment_day(PurePosixPath(path).name, last) or moment_day(path, "YYYY-MM-DD")


def link_rules(vault: VaultSettings) -> LinkRules:
    return LinkRules(day_of=partial(_day_of, vault))


def read_obsidian(source: Source) -> NoteStream:
    def read(path: str) -> bytes:
        return source.read(path) if path in source.paths else b""

    settings = vault_settings(read)
    yield from vault_notes(source, lambda path, text: vault_note(path, text, settings), settings)


def vault_notes(
    source: Source, note: Callable[[str, str], NoteStream], settings: VaultSettings
) -> NoteStream:
    """`note(path, text)` for each Markdown file; everything else is reported as left out."""
    hidden = {path: found[0] for path in source.paths if (found := _HIDDEN.match(path))}
    visible = (path for path in source.paths if path not in hidden)
    yield from read_pages(
        source, visible, lambda path: _skip_reason(path, settings.templates), note
    )
    for path in sorted(set(hidden.values())):
        yield Diagnostic(path, 0, "hidden", "hidden files belong to the program; left out")


def _skip_reason(path: str, templates: tuple[str, ...]) -> tuple[str, str] | None:
    lower = path.lower()
    for suffix, reason in _LEFT_OUT.items():
        if lower.endswith(suffix):
            return reason
    if not lower.endswith(".md"):
        return "attachment", "an attachment is left out; it stays where it is"
    if path in templates or any(path.startswith(f"{folder}/") for folder in templates):
        return "template", "a template is not a note; left out"
    return None


def vault_note(
    path: str,
    text: str,
    settings: VaultSettings,
    rewrite_body: Callable[[str, str], str] | None = None,
) -> Iterator[ImportedNote | Diagnostic]:
    """One note, and what was masked; `rewrite_body(body, title)` is applied last."""
    head, body, problems = shareable_page(text, path)
    yield from problems
    keys, _, unread = parse_front_matter(head, path)
    yield from unread
    if "excalidraw-plugin" in keys:
        yield Diagnostic(path, 0, *_LEFT_OUT[".excalidraw.md"])
        return
    stem = path[: -len(".md")]
    title = keys.get("title")
    title = title if isinstance(title, str) and title.strip() else PurePosixPath(stem).name
    rules = link_rules(settings)
    day = rules.day_of(stem)
    body = rewrite_prose(_without_comments(body), lambda prose: rewrite_links(prose, rules))
    body = rewrite_lines(body, _obsidian_line)
    if rewrite_body is not None:
        body = rewrite_body(body, title)
    if not body.strip() and not keys:
        yield Diagnostic(path, 0, "empty", "is empty; left out")
        return
    parent = PurePosixPath(stem).parent.as_posix()
    name = stem if day is None else f"{parent}/{day.isoformat()}".removeprefix("./")
    yield ImportedNote(
        path, name, head + titled(body, day.isoformat() if day else title), path, day
    )


def _obsidian_line(line: str) -> str:
    callout = _CALLOUT.match(line)
    if callout is not None:
        title = callout["title"].strip() or callout["type"].strip().capitalize()
        return f"{callout['quote']}**{title}**"
    return _BLOCK_ID.sub("", line)


def _without_comments(text: str) -> str:
    """The text without `%%` comments, except in code."""
    if "%%" not in text:
        return text
    fences = FenceScanner()
    hidden = False
    lines: list[str] = []
    for line in text.split("\n"):
        if not hidden and fences.feed(line):
            lines.append(line)
            continue
        began_hidden = hidden
        shown, hidden = _shown_part(line, hidden)
        if shown.strip() or not (began_hidden or hidden or "%%" in line):
            lines.append(shown)
    return "\n".join(lines)


def _shown_part(line: str, hidden: bool) -> tuple[str, bool]:
    """The part of a line outside comments, and whether one is open at its end."""
    code = code_spans(line)
    shown: list[str] = []
    position = 0
    for mark in re.finditer("%%", line):
        if not hidden and any(start <= mark.start() < end for start, end, _ in code):
            continue
        shown += [] if hidden else [line[position : mark.start()]]
        hidden, position = not hidden, mark.end()
    return "".join([*shown, "" if hidden else line[position:]]), hidden


_OBSERVATION = re.compile(
    r"[ \t]*[-*+][ \t]+\[(?P<category>[^\[\]()\n]{1,60})\](?!\()[ \t]+(?P<text>\S.*)\Z"
)
_NO_CATEGORY = re.compile(r"[ xX~/>?!*<-]\Z|\^|@")
_RELATION = re.compile(
    r"[ \t]*[-*+][ \t]+(?P<relation>[^\[\]\n`]{1,80}?)[ \t]*(?P<target>\[\[[^\[\]\n]+\]\])"
    r"(?P<context>[ \t]*\([^()\n]*\))?[ \t]*\Z"
)
_EMPTY_SECTION = re.compile(
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


def read_basic_memory(source: Source) -> NoteStream:
    settings = VaultSettings()
    yield from vault_notes(
        source, lambda path, text: vault_note(path, text, settings, with_retain_section), settings
    )


def has_observations(text: str) -> bool:
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
        typed = None if fences.feed(line) else _observation(line) or _relation(line)
        if typed is None:
            prose.append(line)
            continue
        kind, text = typed
        fact = make_fact(kind, text, subject)
        if fact.content:
            facts.append(retain_line(fact))
    if not facts:
        return body
    kept = _EMPTY_SECTION.sub("", _EMPTY_SECTION.sub("", "\n".join(prose)))
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
