"""Logseq graphs: journals keep their day, outlines stay outlines, references become their text.

- TODO [#A] Call [[Ana]]        → - [ ] Call [[Ana]]
- See ((6f1c…))                 → - See what that block says
- id:: 6f1c…, :LOGBOOK: …, {{query …}} are the program's own and go
- properties at the top of a page become front matter
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import date
from pathlib import PurePosixPath
from urllib.parse import unquote

from lorebank.domain.facts import Diagnostic
from lorebank.exchange.date_formats import joda_day
from lorebank.exchange.notes import ImportedNote, Read
from lorebank.exchange.prose import (
    LinkRules,
    clean,
    rewrite_links,
    rewrite_prose,
    shareable_page,
    shareable_text,
    titled,
)
from lorebank.exchange.source import Source
from lorebank.markdown.front_matter import FrontMatterValue
from lorebank.markdown.source import FenceScanner
from lorebank.records import Record, dataclass

_ID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_BULLET = re.compile(r"(?P<indent>[ \t]*)[-*+](?:[ \t]+(?P<text>.*)|[ \t]*)\Z")
_PROPERTY = re.compile(r"[ \t]*(?P<key>[^\W\d_][\w./-]*)::(?:[ \t]+(?P<value>.*)|[ \t]*)\Z")
_BLOCK_ID = re.compile(rf"[ \t]*id::[ \t]*(?P<id>{_ID})[ \t]*\Z")
_OWN = re.compile(
    r"(?:id|collapsed|heading|background[-_]color|created[-_]at|updated[-_]at|icon|filters|public"
    r"|card-[\w-]+|logseq\.[\w.-]+|ls-type|hl-[\w-]+|query-[\w-]+|exclude-from-graph-view"
    r"|template|template-including-parent|title-format|file|file-path)\Z",
    re.IGNORECASE,
)
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
    """What `logseq/config.edn` says."""

    journals: str = "journals"
    pages: str = "pages"
    journal_file: str = "yyyy_MM_dd"
    journal_title: str = "MMM do, yyyy"

    def day_of(self, name: str) -> date | None:
        """The day of the journal that a link names."""
        for form in (self.journal_title, self.journal_file, "yyyy-MM-dd"):
            if day := joda_day(name, form):
                return day
        return None


@dataclass(slots=True)
class _Outline:
    """A page while it is read line by line."""

    path: str
    blocks: Mapping[str, str]
    rules: LinkRules
    lines: list[str] = field(default_factory=list)
    properties: dict[str, FrontMatterValue] = field(default_factory=dict)
    left_out: list[Diagnostic] = field(default_factory=list)
    began: bool = False
    """Whether anything but properties has come."""
    until: re.Pattern[str] | None = None
    """What ends the stretch that is left out."""


def read_logseq(source: Source) -> Read:
    """The journals and pages of a graph by path, and what of it is left out."""
    settings = _settings(source)
    blocks = _blocks(source, settings)
    for path in source.paths:
        if reason := _why_not(path, settings):
            yield Diagnostic(path, 0, *reason)
            continue
        text, problems = source.text(path)
        yield from problems
        if text is not None:
            yield from graph_page(path, text, settings, blocks)


def _why_not(path: str, settings: GraphSettings) -> tuple[str, str] | None:
    top = path.split("/")[0]
    if top.startswith(".") or top == "logseq":
        return "hidden", "the program's own; left out"
    if path.lower().endswith(".org"):
        return "org-mode", "is written in Org mode, which is not read; left out"
    if not path.lower().endswith(".md"):
        return "attachment", "an attachment is left out; it stays where it is"
    folders = (f"{settings.journals}/", f"{settings.pages}/")
    return None if path.startswith(folders) else ("not-a-page", "is no page or journal; left out")


def graph_page(
    path: str, text: str, settings: GraphSettings, blocks: Mapping[str, str]
) -> Iterator[ImportedNote | Diagnostic]:
    """One page or journal, with what of it was left out; `blocks` are texts by their id."""
    head, body, problems = shareable_page(text, path)
    yield from problems
    rules = LinkRules(day_of=settings.day_of, whole_names=True)
    outline = _Outline(path, blocks, rules)
    fences = FenceScanner()
    for number, line in enumerate(body.split("\n"), start=1 + head.count("\n")):
        if outline.until is None and fences.feed(line):
            outline.lines.append(_indented(line))
            outline.began = True
        else:
            _read_line(outline, line, number)
    yield from outline.left_out
    stem = PurePosixPath(path).stem
    in_journals = path.startswith(f"{settings.journals}/")
    day = joda_day(stem, settings.journal_file) or joda_day(stem, "yyyy_MM_dd")
    day = day if in_journals else None
    said = outline.properties.pop("title", None)
    title = said if isinstance(said, str) and said else unquote(stem).replace("___", "/")
    body = "\n".join(outline.lines).strip("\n")
    if not body.strip() and not outline.properties and not head:
        yield Diagnostic(path, 0, "empty", "says nothing; left out")
        return
    shown = day.isoformat() if day else title
    name = f"{settings.journals if in_journals else settings.pages}/{shown}"
    yield ImportedNote(path, name, head + titled(body, shown), path, day, outline.properties)


def _read_line(outline: _Outline, line: str, number: int) -> None:
    """Take one line outside of code into the outline, or leave it out."""
    if outline.until is not None:
        if outline.until.match(line):
            outline.until = None
        return
    if _DRAWER.match(line):
        outline.until = _END_OF_DRAWER
        return
    admonition = _ADMONITION.match(line)
    if admonition is not None:
        if admonition["what"].upper() in ("QUERY", "COMMENT"):
            if "BEGIN" in line.upper():
                end = rf"[ \t]*#\+END_{admonition['what']}"
                outline.until = re.compile(end, re.IGNORECASE)
            _leave_out(outline, number, "query", "a query says nothing by itself; left out")
        return
    if _property(outline, line):
        return
    planned = _PLANNED.match(line)
    if planned is not None:
        outline.lines.append(f"{_depth(line)}({planned['what'].lower()}: {planned['day']})")
        return
    _text_line(outline, line, number)


def _property(outline: _Outline, line: str) -> bool:
    """Whether a line is a property: of the page at its top, else of a block."""
    bullet = _BULLET.match(line)
    text = bullet["text"] or "" if bullet else line
    found = _PROPERTY.match(text)
    if found is None or (bullet is not None and outline.began):
        return False
    key, value = found["key"].lower(), (found["value"] or "").strip()
    if _OWN.match(key):
        return True
    if outline.began:
        said = rewrite_prose(value, lambda prose: rewrite_links(prose, outline.rules))
        outline.lines.append(f"{_depth(line)}{found['key']}: {said}")
    elif key in ("alias", "tags"):
        names = [_name(each) for each in value.split(",")]
        outline.properties["aliases" if key == "alias" else key] = [each for each in names if each]
    else:
        outline.properties[key] = value
    return True


def _text_line(outline: _Outline, line: str, number: int) -> None:
    bullet = _BULLET.match(line)
    text = (bullet["text"] or "") if bullet else line.strip()
    state = _STATE.match(text) if bullet else None
    box = f"{_BOXES.get(state['state'], '[ ]')} " if state else ""
    text = text[state.end() :] if state else _PRIORITY.sub("", text)
    text = rewrite_prose(text, lambda prose: _readable(outline, prose, number)).rstrip()
    if bullet is None:
        outline.lines.append(f"{_depth(line)}{text}" if text else "")
    elif text:
        outline.lines.append(f"{_depth(line)}- {box}{text}")
    outline.began = outline.began or bool(text)


def _readable(outline: _Outline, prose: str, number: int) -> str:
    """A stretch of prose without what only Logseq understands."""
    prose = _LABELLED_BLOCK.sub(r"\g<label>", prose)
    prose = _LABELLED_PAGE.sub(r"[[\g<page>|\g<label>]]", prose)
    prose = _WATCH.sub(r"\g<url>", _EMBED.sub(r"\g<what>", prose))
    for found in _REFERENCE.finditer(prose):
        if found["id"] not in outline.blocks:
            message = f"block {found['id']} is not in the graph; the reference is left out"
            _leave_out(outline, number, "block-missing", message)
    prose = _REFERENCE.sub(lambda found: outline.blocks.get(found["id"], "(…)"), prose)
    if _MACRO.search(prose):
        _leave_out(outline, number, "macro", "a query or macro says nothing by itself; left out")
        prose = _MACRO.sub("", prose)
    return rewrite_links(_LONG_TAG.sub("", prose), outline.rules)


def _blocks(source: Source, settings: GraphSettings) -> dict[str, str]:
    """The texts of the blocks that carry an id, for those who refer to them."""
    found: dict[str, str] = {}
    for path in source.paths:
        if _why_not(path, settings):
            continue
        text = source.text(path)[0]
        if text is None or "id::" not in text:
            continue
        block = ""
        for line in shareable_text(clean(text), path)[0].split("\n"):
            bullet = _BULLET.match(line)
            block = _plain_block(bullet["text"] or "") if bullet else block
            if (own := _BLOCK_ID.match(line)) and block:
                found.setdefault(own["id"], block)
    return {id_: _REFERENCE.sub(lambda f: found.get(f["id"], "(…)"), t) for id_, t in found.items()}


def _plain_block(text: str) -> str:
    return _PRIORITY.sub("", _STATE.sub("", text)).lstrip("# ").strip()


def _depth(line: str) -> str:
    """The indent of a line, two spaces for each tab."""
    return line[: len(line) - len(line.lstrip())].replace("\t", "  ")


def _indented(line: str) -> str:
    return _depth(line) + line.lstrip()


def _name(text: str) -> str:
    return text.strip().lstrip("#").removeprefix("[[").removesuffix("]]").strip()


def _leave_out(outline: _Outline, number: int, code: str, message: str) -> None:
    outline.left_out.append(Diagnostic(outline.path, number, code, message))


def _settings(source: Source) -> GraphSettings:
    text = ""
    if "logseq/config.edn" in source.paths:
        text = source.text("logseq/config.edn")[0] or ""
    said = {found["key"]: found["value"].strip("/") for found in _SETTING.finditer(text)}
    default = GraphSettings()
    return GraphSettings(
        journals=said.get(":journals-directory") or default.journals,
        pages=said.get(":pages-directory") or default.pages,
        journal_file=said.get(":journal/file-name-format") or default.journal_file,
        journal_title=said.get(":journal/page-title-format") or default.journal_title,
    )
