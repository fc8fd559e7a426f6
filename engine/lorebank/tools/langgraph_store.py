"""LangGraph's long-term memory as notes: `BankStore` keeps each item in a file of its own.

    memory/store/users/ana/food.md:   - text: "Prefers tea" (origin: agent, by planner)

A namespace is a folder, a key a file, a field of the value a line of JSON. A search is ranked as
`search` ranks all notes, and recall finds the items too. Needs `langgraph`.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from langgraph.store.base import BaseStore, GetOp, Item, ListNamespacesOp, PutOp, SearchItem
from langgraph.store.memory import InMemoryStore

from lorebank.agent.authored import admitted
from lorebank.app.bank import Bank
from lorebank.domain.facts import Author, Origin
from lorebank.errors import UsageError
from lorebank.markdown.hidden import shareable
from lorebank.markdown.origin import origin_mark, read_origin_mark
from lorebank.tools.functions import BankTools
from lorebank.workspace.paths import edit_text, read_text_file

_FOLDER = "memory/store"
_FIELD = re.compile(r'- ("(?:[^"\\]|\\.)*"|\w+): (.+)')
_PASSAGES = 10
"""Looked at for each item that is asked for: an item may have several, a filter leave some out."""
_ALL = 1_000_000
"""More items than a folder has; LangGraph has no other word for all."""


class BankStore(BaseStore):  # type: ignore[misc]
    """A store of LangGraph in the bank of these tools, signed as what they write is.

    Secrets are refused, private parts left out. What is deleted, `lorebank forget --undo` restores.
    """

    def __init__(self, tools: BankTools) -> None:
        self._tools = tools

    def batch(self, ops: Iterable[Any]) -> list[Any]:
        return self._tools.run(lambda bank, author: [_done(bank, author, op) for op in ops])

    async def abatch(self, ops: Iterable[Any]) -> list[Any]:
        return await asyncio.to_thread(self.batch, list(ops))


def _done(bank: Bank, author: Author, op: Any) -> Any:
    if isinstance(op, PutOp):
        return _put(bank, author, op)
    if isinstance(op, GetOp):
        path = _path(op.namespace, op.key)
        return _item(bank.root, path) if (bank.root / path).is_file() else None
    prefix = () if isinstance(op, ListNamespacesOp) else op.namespace_prefix
    folder = _path(prefix).removesuffix(".md")
    files = (file.relative_to(bank.root) for file in (bank.root / folder).rglob("*.md"))
    items = {path: _item(bank.root, path) for path in sorted(map(Path.as_posix, files))}
    mirror = InMemoryStore()  # which filters and lists as every store of LangGraph does
    for item in items.values():
        mirror.put(item.namespace, item.key, item.value)
    if isinstance(op, ListNamespacesOp):
        return mirror.batch([op])[0]
    [fitting] = mirror.batch([op._replace(query=None, limit=_ALL, offset=0)])
    scores: dict[str, float | None] = dict.fromkeys(_path(i.namespace, i.key) for i in fitting)
    paths = list(scores)
    if op.query and paths:
        hits = bank.search(op.query, k=_PASSAGES * (op.limit + op.offset), path=folder)
        scores = {hit.path: hit.score for hit in reversed(hits) if hit.path in scores}
        paths = sorted(scores, key=lambda path: -(scores[path] or 0))
    asked = paths[op.offset : op.offset + op.limit]
    return [SearchItem(**items[path].dict(), score=scores[path]) for path in asked]


def _put(bank: Bank, author: Author, op: Any) -> None:
    path = _path(op.namespace, op.key)
    is_kept = (bank.root / path).is_file()
    if is_kept:  # a person may have written in it: an agent takes none of that away
        lines = read_text_file(bank.root, path).text.split("\n")
        if any(line.strip() and read_origin_mark(line)[1] is not Origin.AGENT for line in lines):
            raise UsageError(
                f"{path} holds lines of its owner's; nothing was written",
                hint="keep the item under another key, or ask the owner to delete that file",
            )
    if op.value is None:
        if is_kept:
            bank.forget(source=path)
        return
    admitted(" ".join((*op.namespace, op.key)))
    named = ((key if key.isidentifier() else json.dumps(key), op.value[key]) for key in op.value)
    lines = [admitted(f"- {key}: {json.dumps(said, ensure_ascii=False)}") for key, said in named]
    mark = origin_mark(Origin.AGENT, author)
    text = "".join(f"{line}{mark}\n" for line in lines) or "\n"
    with bank.workspace.writing():
        edit_text(bank.root, path, bank.config, lambda before: text)
        bank.workspace.sync_files()


def _item(root: Path, path: str) -> Item:
    text = shareable(read_text_file(root, path).text)
    written = datetime.fromtimestamp((root / path).stat().st_mtime, UTC)
    *namespace, key = map(_unquoted, path.removesuffix(".md").split("/")[_FOLDER.count("/") + 1 :])
    fields = (found.groups() for line in text.split("\n") if (found := _FIELD.match(line)))
    value = {_json(name): _json(read_origin_mark(said)[0]) for name, said in fields}
    return Item(
        value=value, key=key, namespace=tuple(namespace), created_at=written, updated_at=written
    )


def _json(text: str) -> Any:
    """What JSON says; what a person wrote otherwise, as it stands."""
    try:
        return json.loads(text)
    except ValueError:
        return text.strip()


def _path(namespace: Iterable[str], *key: str) -> str:
    """The file of an item; of `a/b`, that is `a=2Fb`."""
    parts = (re.sub(r"[^\w@+-]", _quoted, part) for part in (*namespace, *key))
    return "/".join((_FOLDER, *parts)) + ".md"


def _quoted(odd: re.Match[str]) -> str:
    return "=" + odd[0].encode().hex("=").upper()


def _unquoted(name: str) -> str:
    return re.sub("(=[0-9A-F]{2})+", lambda o: bytes.fromhex(o[0].replace("=", " ")).decode(), name)
