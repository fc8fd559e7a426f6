"""Front matter: the flat subset of YAML that Obsidian writes, read and edited line by line; and
the properties of Logseq (`alias:: Ti, Tinho`), which are read like it at the top of a page.

Scalars, `[a, b]` lists, `- item` lists and quotes are understood; deeper structure is kept as it
stands and read as text. Values stay strings: nothing is guessed about dates, numbers or `yes`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lorebank.domain.facts import Diagnostic
from lorebank.markdown.source import newline_style, split_lines
from lorebank.records import Record

FrontMatterValue = str | list[str]

_KEY = re.compile(
    r"(?P<key>[^\s:#\-\[\]{}\"'@&*!|>%`][^:\n]*?|\"[^\"\n]*\"|'[^'\n]*')[ \t]*:(?:[ \t]+|\Z)"
)
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+|\Z)")
_PLAIN = re.compile(r"[^\W\d_][\w .()/+@'’&-]*\Z|\d[\w.:-]*\Z")
_RESERVED = frozenset(("true", "false", "yes", "no", "on", "off", "null", "none"))
PROPERTY = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?(?P<key>[^\W\d_][\w./-]*):(?P<mark>:)(?:[ \t]+(?P<value>.*)|\s*)\Z"
)
"""`telefone:: 912`, alone on its line or first in a list item."""
PROGRAM_KEY = re.compile(
    r"(?:id|collapsed|heading|background[-_]color|created[-_]at|updated[-_]at|icon|filters|public"
    r"|card-[\w-]+|logseq\.[\w.-]+|ls-type|hl-[\w-]+|query-[\w-]+|exclude-from-graph-view"
    r"|template|template-including-parent|title-format|file|file-path)\Z",
    re.IGNORECASE,
)
"""Keys that Logseq keeps for itself, which say nothing."""


class _Entry(Record):
    """One top-level key with the lines it takes, counted from the text's first line."""

    key: str
    value: FrontMatterValue
    first: int
    end: int


def front_matter_lines(lines: Sequence[str]) -> int:
    """How many lines at the top are front matter, both fences included; 0 where there is none.

    A page that merely begins with a thematic break has none: the first line between the fences
    that is neither blank nor a comment must be a key.
    """
    if not lines or lines[0].rstrip() != "---":
        return 0
    keyed: bool | None = None
    for number, line in enumerate(lines[1:], start=1):
        if line.rstrip() in ("---", "..."):
            return number + 1 if keyed is not False else 0
        if keyed is None and line.strip() and not line.startswith("#"):
            keyed = _KEY.match(line) is not None
            if not keyed:
                return 0
    return 0


def parse_front_matter(
    text: str, path: str = ""
) -> tuple[dict[str, FrontMatterValue], int, tuple[Diagnostic, ...]]:
    """The keys, the 1-based line where the body begins, and what could not be read.

    The first of two equal keys wins. Without front matter: `({}, 1, ())`.
    """
    lines = split_lines(text)
    count = front_matter_lines(lines)
    if not count:
        found = page_properties(lines)
        return {key: property_value(key, said) for key, said in found}, len(found) + 1, ()
    values: dict[str, FrontMatterValue] = {}
    problems: list[Diagnostic] = []
    entries, unread = _entries(lines, count)
    for entry in entries:
        if entry.key in values:
            message = f"front matter key {entry.key!r} stands twice; the first one counts"
            problems.append(Diagnostic(path, entry.first + 1, "front-matter-duplicate", message))
        values.setdefault(entry.key, entry.value)
    for number in unread:
        message = "this front matter line is not understood; it is left as it is"
        problems.append(Diagnostic(path, number + 1, "front-matter-unread", message))
    return values, count + 1, tuple(problems)


def page_properties(lines: Sequence[str]) -> list[tuple[str, str]]:
    """The keys and values of the properties at the top of a page, one a line."""
    found: list[tuple[str, str]] = []
    for line in lines:
        said = PROPERTY.match(line)
        if said is None or (found and line.lstrip()[:1] in "-*+"):
            break
        found.append((said["key"], (said["value"] or "").strip()))
    return found


def property_value(key: str, said: str) -> FrontMatterValue:
    """`tags:: work, [[Faro]]` → `["work", "Faro"]`; of other keys the text as it is."""
    if key.lower() not in ("alias", "aliases", "tags"):
        return said
    parts = (part.strip().lstrip("#") for part in said.split(","))
    return [name for part in parts if (name := part.removeprefix("[[").removesuffix("]]").strip())]


def set_front_matter_keys(text: str, keys: Mapping[str, FrontMatterValue | None]) -> str:
    """The text with these keys set, or removed where the value is `None`.

    A key that already has its value keeps its bytes; every other byte stays. Front matter is
    made where there is none and something is to be set.
    """
    lines = text.split("\n")
    bare = split_lines(text)
    count = front_matter_lines(bare)
    newline = newline_style(text)
    if not count:
        fresh = "".join(_rendered(k, v, newline) for k, v in keys.items() if v is not None)
        return f"---{newline}{fresh}---{newline}{text}" if fresh else text
    found: dict[str, _Entry] = {}
    for entry in _entries(bare, count)[0]:
        found.setdefault(entry.key, entry)
    edits = [(found[key], value) for key, value in keys.items() if key in found]
    added = "".join(
        _rendered(k, v, newline) for k, v in keys.items() if k not in found and v is not None
    )
    lines[count - 1] = added + lines[count - 1]
    for entry, value in sorted(edits, key=lambda edit: edit[0].first, reverse=True):
        if value != entry.value:
            rendered = _rendered(entry.key, value, newline) if value is not None else ""
            lines[entry.end] = rendered + lines[entry.end]
            del lines[entry.first : entry.end]
    return "\n".join(lines)


def _entries(lines: Sequence[str], count: int) -> tuple[list[_Entry], list[int]]:
    entries: list[_Entry] = []
    unread: list[int] = []
    number = 1
    while number < count - 1:
        line = lines[number]
        key = _KEY.match(line)
        if key is None:
            if line.strip() and not line.lstrip().startswith("#"):
                unread.append(number)
            number += 1
            continue
        end = _entry_end(lines, number + 1, count - 1)
        value = _value(line[key.end() :], lines[number + 1 : end])
        entries.append(_Entry(_unquoted(key["key"].strip()), value, number, end))
        number = end
    return entries, unread


def _entry_end(lines: Sequence[str], start: int, limit: int) -> int:
    """The line after a key's last item or continuation; blank lines after it are not its own."""
    end = start
    for number in range(start, limit):
        line = lines[number]
        if not line.strip():
            continue
        if not line[0].isspace() and _ITEM.match(line) is None:
            break
        end = number + 1
    return end


def _value(first: str, more: Sequence[str]) -> FrontMatterValue:
    first = _without_comment(first).strip()
    if first.startswith("["):
        return _flow_items(" ".join([first, *(line.strip() for line in more)]))
    items = [line for line in more if line.strip()]
    if not first and items and all(_ITEM.match(line) for line in items):
        return [_unquoted(_without_comment(_ITEM.sub("", line, count=1)).strip()) for line in items]
    if first in ("|", ">", "|-", ">-", "|+", ">+"):
        return ("\n" if first[0] == "|" else " ").join(line.strip() for line in items)
    return _unquoted(" ".join([first, *(line.strip() for line in items)]).strip())


def _flow_items(text: str) -> list[str]:
    """`[a, "b, c"]` → `["a", "b, c"]`; a comma or bracket inside `[[…]]` belongs to its item."""
    inner = text[1 : text.rfind("]")] if "]" in text else text[1:]
    items: list[str] = []
    current, quote, depth = "", "", 0
    for char in inner:
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'" and not current:
            quote = char
        depth += (char == "[") - (char == "]") if not quote else 0
        if char == "," and not quote and depth <= 0:
            items.append(current)
            current = ""
        elif current or not char.isspace():
            current += char
    items.append(current)
    return [_unquoted(item.strip()) for item in items if item.strip()]


def _without_comment(text: str) -> str:
    """The text before ` #`, unless it begins with a quote."""
    if text.lstrip()[:1] in ("'", '"') and text.rstrip()[-1:] in ("'", '"'):
        return text
    if text.lstrip().startswith("#"):
        return ""
    return text.split(" #", 1)[0]


def _unquoted(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    if len(text) >= 2 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    return text


def _rendered(key: str, value: FrontMatterValue | None, newline: str) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return f"{key}: [{', '.join(_quoted(item) for item in value)}]{newline}"
    return f"{key}: {_quoted(value)}{newline}"


def _quoted(value: str) -> str:
    value = " ".join(value.split())
    if _PLAIN.match(value) and value.lower() not in _RESERVED:
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
