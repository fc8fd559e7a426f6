"""Links of a vault, rewritten so that they name entities here: no disk.

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
from datetime import date
from pathlib import PurePosixPath
from urllib.parse import unquote

from lorebank.records import dataclass

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


def _no_day(_: str) -> date | None:
    return None


@dataclass(frozen=True, slots=True)
class LinkRules:
    """What links mean in one vault."""

    day_of: Callable[[str], date | None] = _no_day
    """The day of the daily note that a link names, if it names one."""
    whole_names: bool = False
    """Whether folders belong to a name (Logseq's namespaces)."""


def rewrite_links(text: str, rules: LinkRules) -> str:
    """A stretch of prose with its links in the form of this workspace; web addresses stay."""
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
