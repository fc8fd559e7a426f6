"""Convert another program's text for a note: clean characters, links to entities, code untouched.
Pure.

[[People/Ana|her]]        → [[Ana|her]]
[[Router#Setup]]          → [[Router|Router > Setup]]
![[Router]]               → [[Router]]
[the plan](Plans/A.md)    → [[A|the plan]]
![[plan.png|300]]         → (attachment: plan.png)
[[January 15th, 2024]]    → [[2024-01-15|January 15th, 2024]], where it is a daily note
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime
from functools import cache
from pathlib import PurePosixPath
from urllib.parse import unquote

from lorebank.domain.facts import Diagnostic
from lorebank.markdown.front_matter import front_matter_lines
from lorebank.markdown.hidden import redacted_page, without_private
from lorebank.markdown.mentions import code_spans
from lorebank.markdown.source import FenceScanner
from lorebank.records import Record

_NUMBER = r"\d{1,2})(?:st|nd|rd|th)?"
_MONTH_NAME = r"[a-z]{3})[a-z]*\.?"
_PARTS = {
    **dict.fromkeys(("MMMM", "MMM"), f"(?P<B>{_MONTH_NAME}"),
    **dict.fromkeys(("MM", "Mo", "M"), f"(?P<m>{_NUMBER}"),
    **dict.fromkeys(("DD", "Do", "D"), f"(?P<d>{_NUMBER}"),
    "YYYY": r"(?P<Y>\d{4})",
    "YY": r"(?P<y>\d{2})",
    **dict.fromkeys(("dddd", "ddd", "dd"), r"[^\W\d_]+\.?"),
    **dict.fromkeys(("DDDD", "DDD", "gggg", "GGGG", "ww", "w", "WW", "W", "E", "e", "Q"), r"\d+"),
}
"""Token → pattern; groups are named like `strptime` directives."""
_TOKEN = re.compile(
    rf"\[(?P<literal>[^\]]*)\]|(?P<token>{'|'.join(sorted(_PARTS, key=len, reverse=True))})|."
)
_JODA = re.compile(r"'(?P<literal>[^']*)'|(?P<weekday>E+)|[yd]")


def moment_day(name: str, form: str) -> date | None:
    """The day of a name in a moment.js format; `None` if it does not match."""
    found = _pattern(form).fullmatch(name)
    parts = found.groupdict() if found else {}
    if {"y", "Y"}.isdisjoint(parts) or {"m", "B"}.isdisjoint(parts):
        return None
    with suppress(ValueError):
        words = " ".join(f"%{'b' if key == 'B' else key}" for key in parts)
        return datetime.strptime(" ".join(parts.values()), words).date() if "d" in parts else None
    return None


def joda_day(name: str, form: str) -> date | None:
    """The same for a format of Logseq's."""

    def as_moment(found: re.Match[str]) -> str:
        if found["literal"] is not None:
            return f"[{found['literal']}]"
        return "dddd" if found["weekday"] else found[0].upper()

    return moment_day(name, _JODA.sub(as_moment, form))


@cache
def _pattern(form: str) -> re.Pattern[str]:
    """The pattern of a format; only the first of repeated parts is captured."""
    named: set[str] = set()

    def expression(piece: re.Match[str]) -> str:
        part = _PARTS.get(piece["token"] or "")
        if part is None:
            return re.escape(piece[0] if piece["literal"] is None else piece["literal"])
        if (group := re.match(r"\(\?P<(\w)>", part)) and group[1] in named:
            return part.replace(group[0], "(?:")
        named.update(group[1] if group else "")
        return part

    return re.compile(_TOKEN.sub(expression, form[:200]), re.IGNORECASE)


_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_LINE_ENDS = re.compile(r"\r\n?|\u2028|\u2029|\x85")
_UNREAD_HEAD = re.compile(r"\A---[ \t]*\n(?P<inner>(?:(?!```)[^\n]*\n){0,100}?)---[ \t]*(?:\n|\Z)")
_HEADING = re.compile(r"#{1,6}[ \t]+\S|[^\n]+\n=+[ \t]*(?:\n|\Z)")


def clean(text: str) -> str:
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _CONTROLS.sub("", _LINE_ENDS.sub("\n", whole))


def shareable_text(text: str, place: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """The text without private spans and secrets, line for line, and what was removed."""
    visible = without_private(text)
    masked, problems = redacted_page(visible, place)
    masked_secrets = tuple(
        Diagnostic(p.path, p.line, p.code, p.message.replace("kept out of the index", "masked"))
        for p in problems
    )
    if visible == text:
        return masked, masked_secrets
    pairs = zip(text.split("\n"), visible.split("\n"), strict=True)
    line = next(n for n, (a, b) in enumerate(pairs, 1) if a != b)
    left_out = Diagnostic(place, line, "private", "private text is left out")
    return "\n".join(each.rstrip() for each in masked.split("\n")), (*masked_secrets, left_out)


def split_front_matter(text: str) -> tuple[str, str]:
    """The front matter with both fences (or ""), and the rest."""
    lines = text.split("\n")
    count = front_matter_lines(lines)
    return "".join(f"{line}\n" for line in lines[:count]), "\n".join(lines[count:])


def shareable_page(text: str, place: str) -> tuple[str, str, tuple[Diagnostic, ...]]:
    """Front matter and body, cleaned and without private spans and secrets, and problems.

    Text between two `---` at the top that is not front matter becomes a code block.
    """
    text, problems = shareable_text(clean(text), place)
    head, body = split_front_matter(text)
    if not head and (found := _UNREAD_HEAD.match(text)):
        body = f"```yaml\n{found['inner']}```\n{text[found.end() :]}"
        unread = Diagnostic(place, 1, "front-matter-unread", "is not front matter; kept as code")
        problems = (*problems, unread)
    return head, body, problems


def rewrite_lines(text: str, rewrite: Callable[[str], str]) -> str:
    fences = FenceScanner()
    return "\n".join(line if fences.feed(line) else rewrite(line) for line in text.split("\n"))


def rewrite_prose(text: str, rewrite: Callable[[str], str]) -> str:
    """Apply `rewrite` to each part of a line outside code."""
    return rewrite_lines(text, lambda line: _outside_spans(line, rewrite))


def _outside_spans(line: str, rewrite: Callable[[str], str]) -> str:
    pieces: list[str] = []
    position = 0
    for start, end, _ in code_spans(line):
        pieces += (rewrite(line[position:start]), line[start:end])
        position = end
    return "".join([*pieces, rewrite(line[position:])])


def titled(body: str, title: str) -> str:
    """The body under a title heading, unless it begins with a heading."""
    text = body.strip("\n")
    if _HEADING.match(text.lstrip()):
        return f"{text}\n"
    heading = " ".join(title.split())
    return f"# {heading}\n\n{text}\n" if text else f"# {heading}\n"


_WIKILINK = re.compile(
    r"(?P<embed>!?)\[\[(?P<target>[^\[\]|\n]{0,500}?)(?:(?P<bar>\\?\|)(?P<shown>[^\[\]\n]*))?\]\]"
)
_LINK = re.compile(
    r"(?P<embed>!?)\[(?P<shown>[^\[\]\n]*)\]\((?P<target><[^<>\n]*>|[^()\s<>]+(?:\([^()\s]*\)"
    r"[^()\s]*)?)(?:[ \t]+[\"'][^\"'\n]*[\"'])?\)(?:\{[^{}\n]*\})?"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_SIZE = re.compile(r"\d+(?:x\d+)?\Z")
_ATTACHMENT = re.compile(
    r"\.(?:png|jpe?g|gif|bmp|svg|webp|avif|heic|tiff?|ico|pdf|mp3|wav|m4a|ogg|flac|3gp|aac|opus|mp4"
    r"|webm|ogv|mov|mkv|avi|zip|gz|7z|tar|rar|docx?|xlsx?|pptx?|odt|ods|odp|csv|tsv|json|edn|html?"
    r"|txt|epub|canvas|base|excalidraw)\Z",
    re.IGNORECASE,
)


class LinkRules(Record):
    day_of: Callable[[str], date | None] = lambda name: None
    """The day of a linked daily note."""
    whole_names: bool = False
    """Whether folders are part of the name (Logseq's namespaces)."""


def rewrite_links(text: str, rules: LinkRules) -> str:
    """Prose with links in the form of this workspace; web links stay."""
    if "[" not in text:
        return text
    text = _WIKILINK.sub(lambda found: _wikilink(found, rules), text)
    return _LINK.sub(lambda found: _markdown_link(found, rules), text)


def _wikilink(found: re.Match[str], rules: LinkRules) -> str:
    shown = (found["shown"] or "").strip()
    path, _, anchor = found["target"].strip().partition("#")
    path, caret, _ = path.partition("^")
    if not path.strip():
        return shown or ("" if anchor.startswith("^") or caret else anchor.strip())
    if _ATTACHMENT.search(path.strip()):
        return _attachment(path, shown)
    heading = "" if anchor.startswith("^") else anchor.replace("#", " > ").strip()
    return _entity(path, shown, heading, rules, bar=found["bar"] or "|")


def _markdown_link(found: re.Match[str], rules: LinkRules) -> str:
    target = unquote(found["target"].strip("<>"))
    shown = found["shown"].strip()
    if _SCHEME.match(target):
        return found[0]
    path, _, _ = target.partition("#")
    if not path:
        return shown
    if path.lower().endswith(".md"):
        return _entity(path, shown, "", rules, bar="|")
    if found["embed"] or _ATTACHMENT.search(path):
        return _attachment(path, shown)
    return found[0]


def _entity(path: str, shown: str, heading: str, rules: LinkRules, *, bar: str) -> str:
    path = re.sub(r"\.md\Z", "", path.strip(), flags=re.IGNORECASE)
    name = path if rules.whole_names else PurePosixPath(path).name or path
    day = rules.day_of(path) or rules.day_of(name)
    if day is not None:
        name, shown = day.isoformat(), shown or name
    if heading and not shown:
        shown = f"{name} > {heading}"
    return f"[[{name}{bar}{shown}]]" if shown and shown != name else f"[[{name}]]"


def _attachment(path: str, shown: str) -> str:
    name = PurePosixPath(path.strip()).name
    said = "" if not shown or _SIZE.match(shown) or shown == name else f"{shown}, "
    return f"(attachment: {said}{name})"
