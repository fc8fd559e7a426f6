"""Prompts: three habits that keep a memory good, put into words for the calling agent."""

from __future__ import annotations

from mcp.server.mcpserver import MCPServer

from lorebank.mcp_server.banks import BankThreads
from lorebank.mcp_server.texts import hunks_text, unsure_text

_SHOWN = 40_000
"""Characters of hunks that a prompt holds."""
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
- if a fact is wrong, correct or retract its line in the log with the owner's consent; reflect
  computes everything again from the lines.
Whatever you are in doubt about, leave out and ask the owner.

{pages}

{hunks}"""

_SETTLE = """\
Each line below is a fact and a belief near it that no rule could sign. Read the fact as its writer
meant it. Does it speak for the belief, against it, or of something else? Open the place with
`memory_get` where the sentence alone does not tell. Call `settle` for each pair you are sure of,
with a short reason; leave the others. A fact that merely mentions the same thing is unrelated.

{pairs}"""


def add_prompts(server: MCPServer, banks: BankThreads) -> None:
    """Register `log_today`, `review_reflection` and `settle_unsure`."""

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
            hunks=hunks_text(report.hunks, limit=_SHOWN),
        )

    @server.prompt(
        title="Settle the unsure queue",
        description="Judge which facts speak for or against which beliefs.",
    )
    async def settle_unsure(entity: str = "") -> str:
        queue = await banks.call(lambda bank: bank.unsure(entity.strip() or None))
        if not queue.pairs:
            return "Nothing waits to be settled. Tell the owner so."
        return _SETTLE.format(pairs=unsure_text(queue))
