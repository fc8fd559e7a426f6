"""Logseq graphs: journals keep their day, outlines stay outlines, references become their text.

- TODO [#A] Call [[Ana]]        → - [ ] Call [[Ana]]
- See ((6f1c…))                 → - See what that block says
- id:: 6f1c…, :LOGBOOK: … and {{query …}} are dropped
- properties at the top of a page become front matter
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import PurePosixPath
from urllib.parse import unquote

from lorebank.domain.facts import Diagnostic
from lorebank.exchange.notes import ImportedNote, NoteStream
from lorebank.exchange.prose import (
    LinkRules,
    clean,
    joda_day,
    rewrite_links,
    rewrite_prose,
    shareable_page,
    shareable_text,
    titled,
)
from lorebank.exchange.source import note_text, read_pages
from lorebank.markdown.front_matter import PROGRAM_KEY, PROPERTY, FrontMatterValue, property_value
from lorebank.markdown.source import FenceScanner
from lorebank.records import Record
from lorebank.workspace.given import Source

_ID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_BULLET = re.compile(r"(?P<indent>[ \t]*)[-*+](?:[ \t]+(?P<text>.*)|[ \t]*)\Z")
_BLOCK_ID = re.compile(rf"[ \t]*id::[ \t]*(?P<id>{_ID})[ \t]*\Z")
_STATE = re.compile(
    r"(?P<state>TODO|DOING|NOW|LATER|WAITING|WAIT|IN-PROGRESS|STARTED|DONE|CANCELL?ED)[ \t]+"
    r"(?:\[#[A-C]\][ \t]+)?"
)
_BOXES = {"DONE": "[x]", "CANCELED": "[-]", "CANCELLED": "[-]"}
_PRIORITY = re.compile(r"\A\[#[A-C]\][ \t]+")
_LABELLED_BLOCK = re.compile(rf"\[(?P<label>[^\[\]\n]*)\]\(\(\({_ID}\)\)\)")
_LABELLED_PAGE = re.compile(r"\[(?P<label>[^\[\]\n]*)\]\(\[\[(?P<page>[^\[\]\n]*)\]\]\)")
_EMBED = re.compile(
    r"\{\{\s*embed\s+(?P<what>\(\([^()]*\)\)|\[\[[^\[\]]*\]\])\s*\}\}", re.IGNORECASE
)
_WATCH = re.compile(
    r"\{\{\s*(?:video|youtube|tweet|twitter|vimeo|bilibili)\s+(?P<url>\S+?)\s*\}\}", re.IGNORECASE
)
_MACRO = re.compile(r"\{\{[^{}\n]*\}\}")
_REFERENCE = re.compile(rf"\(\((?P<id>{_ID})\)\)")
_LONG_TAG = re.compile(r"(?<!\w)#(?=\[\[)")
_PLANNED = re.compile(
    r"[ \t]*(?P<what>SCHEDULED|DEADLINE):[ \t]*<(?P<day>\d{4}-\d{2}-\d{2})[^<>\n]*>[ \t]*\Z"
)
_DRAWER = re.compile(r"[ \t]*:(?:LOGBOOK|PROPERTIES|DRAWER):[ \t]*\Z", re.IGNORECASE)
_END_OF_DRAWER = re.compile(r"[ \t]*:END:[ \t]*\Z", re.IGNORECASE)
_ADMONITION = re.compile(
    r"(?P<bullet>[ \t]*(?:[-*+][ \t]+)?)#\+(?:BEGIN|END)_(?P<what>\w+).*\Z", re.IGNORECASE
)
_SETTING = re.compile(r"^[^;\n]*?(?P<key>:[\w/-]+)[ \t]+\"(?P<value>[^\"\n]*)\"", re.MULTILINE)


class GraphSettings(Record):
    """From `logseq/config.edn`."""

    journals: str = "journals"
    pages: str = "pages"
    journal_file: str = "yyyy_MM_dd"
    journal_title: str = "MMM do, yyyy"

    def day_of(self, name: str) -> date | None:
        for form in (self.journal_title, self.journal_file, "yyyy-MM-dd"):
            if day := joda_day(name, form):
                return day
        return None


def read_logseq(source: Source) -> NoteStream:
    settings = _settings(source)
    blocks = _blocks(source, settings)
    yield from read_pages(
        source,
        source.paths,
        lambda path: _skip_reason(path, settings),
        lambda path, text: graph_page(path, text, settings, blocks),
    )


def _skip_reason(path: str, settings: GraphSettings) -> tuple[str, str] | None:
    top = path.split("/")[0]
    if top.startswith(".") or top == "logseq":
        return "hidden", "belongs to the program; left out"
    if path.lower().endswith(".org"):
        return "org-mode", "is written in Org mode, which is not read; left out"
    if not path.lower().endswith(".md"):
        return "attachment", "an attachment is left out; it stays where it is"
    folders = (f"{settings.journals}/", f"{settings.pages}/")
    return (
        None
        if path.startswith(folders)
        else ("not-a-page", "is neither a page nor a journal; left out")
    )


def graph_page(
    path: str, text: str, settings: GraphSettings, blocks: Mapping[str, str]
) -> Iterator[ImportedNote | Diagnostic]:
    """One page or journal, and what was left out; `blocks` are texts by id."""
    head, body, problems = shareable_page(text, path)
    yield from problems
    page = _Page(path, settings, blocks)
    page.read(body, 1 + head.count("\n"))
    yield from page.left_out
    stem = PurePosixPath(path).stem
    in_journals = path.startswith(f"{settings.journals}/")
    day = joda_day(stem, settings.journal_file) or joda_day(stem, "yyyy_MM_dd")
    day = day if in_journals else None
    said = page.properties.pop("title", None)
    title = said if isinstance(said, str) and said else unquote(stem).replace("___", "/")
    body = "\n".join(page.lines).strip("\n")
    if not body.strip() and not page.properties and not head:
        yield Diagnostic(path, 0, "empty", "is empty; left out")
        return
    shown = day.isoformat() if day else title
    name = f"{settings.journals if in_journals else settings.pages}/{shown}"
    yield ImportedNote(path, name, head + titled(body, shown), path, day, page.properties)


class _Page:
    def __init__(self, path: str, settings: GraphSettings, blocks: Mapping[str, str]) -> None:
        self.path = path
        self.blocks = blocks
        self.rules = LinkRules(day_of=settings.day_of, whole_names=True)
        self.lines: list[str] = []
        self.properties: dict[str, FrontMatterValue] = {}
        self.left_out: list[Diagnostic] = []
        self.has_content = False
        """Whether anything but properties has been read."""
        self.skip_until: re.Pattern[str] | None = None
        """The end of the part being skipped."""

    def read(self, body: str, first: int) -> None:
        fences = FenceScanner()
        for number, line in enumerate(body.split("\n"), start=first):
            if self.skip_until is not None:
                self.skip_until = None if self.skip_until.match(line) else self.skip_until
            elif fences.feed(line):
                self.lines.append(_depth(line) + line.lstrip())
                self.has_content = True
            elif _DRAWER.match(line):
                self.skip_until = _END_OF_DRAWER
            elif admonition := _ADMONITION.match(line):
                what = admonition["what"].upper()
                if what in ("QUERY", "COMMENT"):
                    if "BEGIN" in admonition[0].upper():
                        self.skip_until = re.compile(rf"[ \t]*#\+END_{what}", re.IGNORECASE)
                    message = "a query has no text of its own; left out"
                    self._leave_out(number, "query", message)
            elif planned := _PLANNED.match(line):
                self.lines.append(f"{_depth(line)}({planned['what'].lower()}: {planned['day']})")
            elif not self._property(line):
                self._text(line, number)

    def _property(self, line: str) -> bool:
        """Whether the line is a property, of the page (at its top) or of a block."""
        found = PROPERTY.match(line)
        if found is None or (self.has_content and _BULLET.match(line)):
            return False
        key, value = found["key"].lower(), (found["value"] or "").strip()
        if PROGRAM_KEY.match(key):
            return True
        if self.has_content:
            said = rewrite_prose(value, lambda prose: rewrite_links(prose, self.rules))
            self.lines.append(f"{_depth(line)}{found['key']}: {said}")
        else:
            self.properties["aliases" if key == "alias" else key] = property_value(key, value)
        return True

    def _text(self, line: str, number: int) -> None:
        bullet = _BULLET.match(line)
        text = (bullet["text"] or "") if bullet else line.strip()
        state = _STATE.match(text) if bullet else None
        box = f"{_BOXES.get(state['state'], '[ ]')} " if state else ""
        text = text[state.end() :] if state else _PRIORITY.sub("", text)
        text = rewrite_prose(text, lambda prose: self._readable(prose, number)).rstrip()
        if bullet is None:
            self.lines.append(f"{_depth(line)}{text}" if text else "")
        elif text:
            self.lines.append(f"{_depth(line)}- {box}{text}")
        self.has_content = self.has_content or bool(text)

    def _readable(self, prose: str, number: int) -> str:
        prose = _LABELLED_BLOCK.sub(r"\g<label>", prose)
        prose = _LABELLED_PAGE.sub(r"[[\g<page>|\g<label>]]", prose)
        prose = _WATCH.sub(r"\g<url>", _EMBED.sub(r"\g<what>", prose))
        for found in _REFERENCE.finditer(prose):
            if found["id"] not in self.blocks:
                message = f"block {found['id']} is not in the graph; the reference is left out"
                self._leave_out(number, "block-missing", message)
        prose = _REFERENCE.sub(lambda found: self.blocks.get(found["id"], "(…)"), prose)
        if _MACRO.search(prose):
            self._leave_out(number, "macro", "a query or macro has no text of its own; left out")
            prose = _MACRO.sub("", prose)
        return rewrite_links(_LONG_TAG.sub("", prose), self.rules)

    def _leave_out(self, number: int, code: str, message: str) -> None:
        self.left_out.append(Diagnostic(self.path, number, code, message))


def _blocks(source: Source, settings: GraphSettings) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in source.paths:
        if _skip_reason(path, settings):
            continue
        text = note_text(source, path)[0]
        if text is None or "id::" not in text:
            continue
        block = ""
        for line in shareable_text(clean(text), path)[0].split("\n"):
            bullet = _BULLET.match(line)
            if bullet:
                bare = _PRIORITY.sub("", _STATE.sub("", bullet["text"] or ""))
                block = bare.lstrip("# ").strip()
            if (own := _BLOCK_ID.match(line)) and block:
                found.setdefault(own["id"], block)
    return {id_: _REFERENCE.sub(lambda f: found.get(f["id"], "(…)"), t) for id_, t in found.items()}


def _depth(line: str) -> str:
    return line[: len(line) - len(line.lstrip())].replace("\t", "  ")


def _settings(source: Source) -> GraphSettings:
    text = ""
    if "logseq/config.edn" in source.paths:
        text = note_text(source, "logseq/config.edn")[0] or ""
    said = {found["key"]: found["value"].strip("/") for found in _SETTING.finditer(text)}
    default = GraphSettings()
    return GraphSettings(
        journals=said.get(":journals-directory") or default.journals,
        pages=said.get(":pages-directory") or default.pages,
        journal_file=said.get(":journal/file-name-format") or default.journal_file,
        journal_title=said.get(":journal/page-title-format") or default.journal_title,
    )
