"""Memory as resources, which a host shows its user, and prompts, which it offers them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from importlib.resources import files
from typing import Any
from urllib.parse import unquote

from lorebank.mcp_server.access import caller
from lorebank.mcp_server.banks import BankThreads
from lorebank.mcp_server.protocol import INVALID_PARAMS, Method, Params, Refusal, taken
from lorebank.render.for_models import REVIEW_TOKENS, hunk_blocks, paged
from lorebank.render.judgments import inbox_blocks
from lorebank.tools.toolset import Delivered, Toolset

_ALL = 10_000  # opinions of a page that its tokens cut anyway
_MARKDOWN = "text/markdown"
_RESOURCES: Mapping[str, tuple[str, str, str, Callable[[Toolset, str], Delivered]]] = {
    "lorebank://entity/{slug}": (
        "entity",
        "An entity",
        "What is known of one entity: opinions, facts, neighbours.",
        lambda tools, slug: tools.entity(slug, token_budget=REVIEW_TOKENS),
    ),
    "lorebank://opinions": (
        "opinions",
        "Opinions",
        "All beliefs, those held and surest first.",
        lambda tools, _: tools.opinions(k=_ALL),
    ),
    "lorebank://log/{date}": (
        "memory_get",
        "A daily log",
        "The log of one day, such as lorebank://log/2025-11-27.",
        lambda tools, day: tools.memory_get(day),
    ),
}
"""URI, where `{…}` stands for the part that its reader is given → the tool that tells the same,
title, description, reader."""


def _listed(key: str) -> list[dict[str, str]]:
    return [
        {key: uri, "name": uri.split("/")[2], "title": title, "description": description}
        | {"mimeType": _MARKDOWN}
        for uri, (_, title, description, _) in _RESOURCES.items()
        if ("{" in uri) == (key == "uriTemplate")
    ]


def _check(tool: str) -> None:
    if not caller().access.shows(tool):
        raise Refusal(f"{tool} is not among the tools of this client", INVALID_PARAMS)


def _reader(uri: str) -> Callable[[Toolset], Delivered]:
    for known, (tool, _, _, read) in _RESOURCES.items():
        before, _, part = known.partition("{")
        given = unquote(uri.removeprefix(before))
        if uri.startswith(before) and bool(given) == bool(part) and "/" not in given:
            _check(tool)
            return lambda tools: read(tools, given)
    raise Refusal(f"Unknown resource: {uri}", INVALID_PARAMS, {"uri": uri})


def _prompt(name: str, **parts: str) -> str:
    text = files("lorebank.mcp_server").joinpath(f"prompts/{name}.md").read_text("utf-8")
    return text.removesuffix("\n").format(**parts)


async def _log_today(banks: BankThreads, focus: str) -> str:
    return _prompt("log_today", focus=f"\n\nMind above all: {focus}" if focus else "")


async def _review_reflection(banks: BankThreads, since: str) -> str:
    report = await banks.call_writer(lambda bank: bank.reflect(since=since or None, dry_run=True))
    if not report.changed:
        return "Reflect has nothing to change. Tell the owner so; there is nothing to review."
    return _prompt(
        "review_reflection",
        since=f' and since="{since}"' if since else "",
        pages=f"{len(report.changed)} pages: {', '.join(report.changed)}",
        hunks=paged(hunk_blocks(report.hunks), 1),
    )


async def _settle_inbox(banks: BankThreads, _: str) -> str:
    found = await banks.call(lambda bank: bank.inbox())
    return _prompt("settle_inbox", items=paged(inbox_blocks(found), 1))


_PROMPTS: Mapping[str, tuple[str, str, str, str, Callable[[BankThreads, str], Awaitable[str]]]] = {
    "log_today": (
        "retain",
        "Log today",
        "Keep what is worth keeping of this session.",
        "focus",
        _log_today,
    ),
    "review_reflection": (
        "reflect",
        "Review a reflection",
        "Look through what reflect would change, before it is written.",
        "since",
        _review_reflection,
    ),
    "settle_inbox": (
        "inbox",
        "Settle the inbox",
        "Judge what waits for a decision.",
        "",
        _settle_inbox,
    ),
}
"""Name → the tool that it leads to, title, description, what it may be told, what writes it."""


def methods_of(banks: BankThreads) -> Mapping[str, Method]:
    """What the protocol asks of resources and prompts."""

    def told(**rows: Any) -> Method:
        async def method(params: Params) -> dict[str, Any]:
            return rows

        return method

    async def read(params: Params) -> dict[str, Any]:
        uri = taken(params, "uri", str)
        reader = _reader(uri)
        found = await banks.call(lambda bank: reader(Toolset(bank)))
        return {"contents": [{"uri": uri, "mimeType": _MARKDOWN, "text": found["text"]}]}

    async def prompt(params: Params) -> dict[str, Any]:
        name, arguments = taken(params, "name", str), taken(params, "arguments", dict, {})
        if name not in _PROMPTS:
            known = ", ".join(_PROMPTS)
            raise Refusal(f"Unknown prompt: {name}; there are {known}", INVALID_PARAMS)
        tool, _, description, argument, write = _PROMPTS[name]
        _check(tool)
        if unknown := [key for key in arguments if key != argument]:
            said = f"{name} has no argument '{unknown[0]}'; it takes {argument or 'none'}"
            raise Refusal(said, INVALID_PARAMS)
        text = await write(banks, taken(arguments, argument, str, "").strip())
        message = {"role": "user", "content": {"type": "text", "text": text}}
        return {"description": description, "messages": [message]}

    return {
        "resources/list": told(resources=_listed("uri")),
        "resources/templates/list": told(resourceTemplates=_listed("uriTemplate")),
        "resources/read": read,
        "prompts/list": told(
            prompts=[
                {"name": name, "title": title, "description": description}
                | {"arguments": [{"name": argument, "required": False}] if argument else []}
                for name, (_, title, description, argument, _) in _PROMPTS.items()
            ]
        ),
        "prompts/get": prompt,
    }
