"""Memory as resources, which a host shows its user, and prompts, which it offers them."""

from __future__ import annotations

from collections.abc import Callable

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from lorebank.errors import LorebankError, NotFound
from lorebank.mcp_server.banks import BankThreads
from lorebank.render.for_models import REVIEW_TOKENS, hunk_blocks, paged
from lorebank.render.judgments import inbox_blocks
from lorebank.render.text import in_words_of_tools
from lorebank.tools.toolset import Delivered, Toolset

MARKDOWN = "text/markdown"
_ALL = 10_000
"""Opinions of a page that its tokens cut anyway."""


def add_resources(server: MCPServer, banks: BankThreads) -> None:
    """Register `lorebank://entity/{slug}`, `lorebank://opinions` and `lorebank://log/{date}`."""

    async def read(tool: Callable[[Toolset], Delivered]) -> str:
        try:
            return (await banks.call(lambda bank: tool(Toolset(bank))))["text"]
        except NotFound as problem:
            raise ResourceNotFoundError(_said(problem)) from problem
        except LorebankError as problem:
            raise ResourceError(_said(problem)) from problem

    @server.resource(
        "lorebank://entity/{slug}",
        title="An entity",
        description="What is known of one entity: opinions, facts, neighbours.",
        mime_type=MARKDOWN,
    )
    async def entity(slug: str) -> str:
        return await read(lambda tools: tools.entity(slug, token_budget=REVIEW_TOKENS))

    @server.resource(
        "lorebank://opinions",
        title="Opinions",
        description="All beliefs, those held and surest first.",
        mime_type=MARKDOWN,
    )
    async def opinions() -> str:
        return await read(lambda tools: tools.opinions(k=_ALL))

    @server.resource(
        "lorebank://log/{date}",
        title="A daily log",
        description="The log of one day, such as lorebank://log/2025-11-27.",
        mime_type=MARKDOWN,
    )
    async def log(date: str) -> str:
        return await read(lambda tools: tools.memory_get(date))


def _said(problem: LorebankError) -> str:
    said = f"{problem.message}; {problem.hint}" if problem.hint else problem.message
    return in_words_of_tools(said)


_LOG_TODAY = """\
Look back over this conversation and keep what will still matter next month.

For each thing worth keeping call `retain` with one sentence that stands alone: who, what, when,
with names instead of pronouns. Kinds: world (a fact), experience (what you did), opinion (a
preference or judgement, with a confidence), observation (a summary). Before an opinion, call
`opinions` for the person: if your sentence speaks for or against one that is there, give its id in
`for_opinions` or `against_opinions`. Context that only matters today goes to `remember` with
to="log".

Do not retain what `recall` already knows, and nothing that was itself recalled in this
conversation. If nothing is worth keeping, say so and write nothing.{focus}"""
_REVIEW = """\
Review the reflection below before it is written.

For each hunk ask: does a cited line say it? Open doubtful ones with `memory_get`. Is an opinion
moved by a line that is about something else? Is a summary older than a newer fact? List what is
wrong with its citation, and what the right line would be. Then:
- if nothing is wrong, call `reflect` with dry_run=false{since};
- if some hunks are wrong, name them in `reject` of the same call: the others are written, and these
  do not come back until they read otherwise;
- if you are sure of a few only, name those in `accept`: the others wait;
- if a fact is wrong, `correct` it with the owner's consent.
Whatever you are in doubt about, leave out and ask the owner.

{pages}

{hunks}"""
_SETTLE = """\
Each item below waits for a judgment. Read each line as its writer meant it, and open its place with
`memory_get` where the sentence alone does not tell. Rule with `inbox` and its `verdicts` on what
you are sure of; leave the rest to the owner.

{items}"""


def add_prompts(server: MCPServer, banks: BankThreads) -> None:
    """Register `log_today`, `review_reflection` and `settle_inbox`."""

    @server.prompt(title="Log today", description="Keep what is worth keeping of this session.")
    async def log_today(focus: str = "") -> str:
        return _LOG_TODAY.format(focus=f"\n\nMind above all: {focus}" if focus.strip() else "")

    @server.prompt(
        title="Review a reflection",
        description="Look through what reflect would change, before it is written.",
    )
    async def review_reflection(since: str = "") -> str:
        day = since.strip() or None
        report = await banks.call_writer(lambda bank: bank.reflect(since=day, dry_run=True))
        if not report.changed:
            return "Reflect has nothing to change. Tell the owner so; there is nothing to review."
        return _REVIEW.format(
            since=f' and since="{day}"' if day else "",
            pages=f"{len(report.changed)} pages: {', '.join(report.changed)}",
            hunks=paged(hunk_blocks(report.hunks), 1),
        )

    @server.prompt(title="Settle the inbox", description="Judge what waits for a decision.")
    async def settle_inbox() -> str:
        found = await banks.call(lambda bank: bank.inbox())
        return _SETTLE.format(items=paged(inbox_blocks(found), 1))
