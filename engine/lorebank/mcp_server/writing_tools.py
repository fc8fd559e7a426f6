"""The tools that write: into today's log, the core memory, and, by reflect, the bank's pages."""

from __future__ import annotations

from typing import Annotated, Literal

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from lorebank.domain import Inbox, Origin, fact_to_dict
from lorebank.mcp_server.banks import BankThreads
from lorebank.mcp_server.results import ADDING, REFLECTING, REWRITING, SETTLING, result
from lorebank.mcp_server.schemas import (
    CoreWriteResult,
    ReflectResult,
    RememberResult,
    RetainResult,
    RuledResult,
    RulingResult,
)
from lorebank.mcp_server.texts import inbox_text, reflect_text

Kind = Literal["world", "experience", "opinion", "observation", "W", "B", "O", "S"]
Ids = Annotated[list[str], Field(description="Ids of opinions (o-…) it speaks to.")]


def add_writing_tools(server: MCPServer, banks: BankThreads) -> None:
    """Register retain, remember, memory_write, settle and reflect."""

    @server.tool(title="Retain a fact", annotations=ADDING)
    async def retain(
        text: Annotated[str, Field(description="One sentence that stands alone, with its names.")],
        kind: Annotated[
            Kind | None,
            Field(description="world fact, own experience, opinion, or observation."),
        ] = None,
        entities: Annotated[list[str], Field(description="Whom or what it is about.")] = [],  # noqa: B006
        confidence: Annotated[
            float | None, Field(ge=0, le=1, description="How sure an opinion is.")
        ] = None,
        date: Annotated[
            str | None, Field(description="The day whose log it goes to; today without it.")
        ] = None,
        for_opinions: Ids = [],  # noqa: B006
        against_opinions: Ids = [],  # noqa: B006
        replaces: Annotated[
            list[str], Field(description="Ids of facts (f-…) that hold no longer because of it.")
        ] = [],  # noqa: B006
    ) -> Annotated[CallToolResult, RetainResult]:
        """Write a fact worth keeping into the daily log: a decision, a preference, something that
        happened, something true. Give whole sentences that are understood without the conversation.
        """
        fact = await banks.call_writer(
            lambda bank: bank.retain(
                text,
                kind=kind,
                entities=entities,
                confidence=confidence,
                day=date,
                for_=for_opinions,
                against=against_opinions,
                replaces=replaces,
                origin=Origin.AGENT,
            )
        )
        said = f"retained as {fact.kind.value} {fact.id} [{fact.citation}]"
        if fact.related:
            beside = inbox_text(Inbox(fact.related, len(fact.related)))
            said = (
                f"{said}\nbeside older lines; settle with the tool `rule` what you know:\n{beside}"
            )
        related = [item.to_dict() for item in fact.related]
        return result(said, {"fact": fact_to_dict(fact), "related": related})

    @server.tool(title="Remember this", annotations=ADDING)
    async def remember(
        text: Annotated[str, Field(description="What is to be remembered, as it was said.")],
        to: Annotated[
            Literal["auto", "core", "fact", "log"],
            Field(
                description="Where it goes; auto: orders to the core memory, context to the log."
            ),
        ] = "auto",
    ) -> Annotated[CallToolResult, RememberResult]:
        """Write down what somebody asked to remember, where it belongs: standing orders into the
        core memory, decisions, preferences and durable facts into the log as facts, context of the
        day into the log as a note.
        """
        done = await banks.call_writer(lambda bank: bank.remember(text, to=to, origin=Origin.AGENT))
        said = f"written to {done.place} ({done.reason}) [{done.source}]"
        return result("\n".join(filter(None, [said, done.warning])), done.to_dict())

    @server.tool(title="Edit the core memory", annotations=REWRITING)
    async def memory_write(
        action: Annotated[
            Literal["append", "replace", "insert"],
            Field(description="replace needs old_text; insert needs line."),
        ],
        text: Annotated[str, Field(description="What is written; empty cuts old_text.")] = "",
        old_text: Annotated[
            str, Field(description="For replace: what stands there once, letter by letter.")
        ] = "",
        line: Annotated[
            int | None, Field(ge=1, description="For insert: the text stands from this line on.")
        ] = None,
        section: Annotated[
            str, Field(description="For append: the heading whose section it ends.")
        ] = "",
    ) -> Annotated[CallToolResult, CoreWriteResult]:
        """Change memory.md, the small page that is read in every conversation. Keep it short: what
        is only needed now and then is retained as a fact. Refused past its size limit.
        """
        done = await banks.call_writer(
            lambda bank: bank.memory_write(action, text, old=old_text, line=line, section=section)
        )
        lines = f"{done.path} lines {done.start_line}-{done.end_line}"
        said = f"{action}: {lines}, {done.tokens} of {done.limit_tokens} tokens"
        return result("\n".join(filter(None, [said, done.warning])), done.to_dict())

    @server.tool(title="Settle a pair", annotations=SETTLING)
    async def settle(
        fact: Annotated[str, Field(description="Id of the fact, f-…, as unsure lists it.")],
        stance: Annotated[
            Literal["for", "against", "unrelated"],
            Field(description="What the fact says of the opinion."),
        ],
        opinion: Annotated[
            str | None, Field(description="Id of the opinion, o-…; not needed where one waits.")
        ] = None,
        reason: Annotated[str, Field(description="Why, in a few words.")] = "",
    ) -> Annotated[CallToolResult, RulingResult]:
        """Rule on a pair of the unsure queue: a line of bank/evidence.md, which the owner can read
        and delete. An earlier ruling on the pair is replaced.
        """
        ruling = await banks.call_writer(
            lambda bank: bank.settle(fact, stance, opinion, reason=reason)
        )
        said = (
            f"{stance}: {ruling.opinion.statement} {ruling.before:.2f} →"
            f" {ruling.opinion.confidence:.2f} [{ruling.source}]"
        )
        return result(said, ruling.to_dict())

    @server.tool(title="Rule on the inbox", annotations=SETTLING)
    async def rule(
        verdicts: Annotated[
            dict[str, str], Field(description="Id of an item (i-…) → one of its choices.")
        ],
        by: Annotated[str, Field(description="Who rules: your name, as it is signed.")] = "agent",
    ) -> Annotated[CallToolResult, RuledResult]:
        """Settle items of the inbox. Rule only on what the lines themselves, or what you were told,
        make clear; leave the rest to the owner. Each verdict is a signed line that can be undone.
        """
        ruled = await banks.call_writer(lambda bank: bank.rule(verdicts, by=by))
        said = "\n".join(f"{d.id} {d.verdict} [{d.source}]" for d in ruled)
        return result(
            said or "settled so already", {"decisions": [each.to_dict() for each in ruled]}
        )

    @server.tool(title="Reflect", annotations=REFLECTING)
    async def reflect(
        since: Annotated[
            str | None, Field(description="Only entities with facts from that day on, such as 7d.")
        ] = None,
        dry_run: Annotated[
            bool, Field(description="False writes the pages; look at the hunks first.")
        ] = True,
        accept: Annotated[
            list[str], Field(description="Only these hunks (h-…); the others wait.")
        ] = [],  # noqa: B006
        reject: Annotated[
            list[str],
            Field(description="Hunks that are wrong: left out, now and until they read otherwise."),
        ] = [],  # noqa: B006
    ) -> Annotated[CallToolResult, ReflectResult]:
        """Bring the bank's pages (entities, opinions) up to date from the facts. Without
        dry_run=false nothing is written, and each change is shown as a hunk with its id: review
        them, then call again with dry_run=false, and with accept or reject where not all are right.
        """
        report = await banks.call_writer(
            lambda bank: bank.reflect(
                since=since, dry_run=dry_run, accept=accept or None, reject=reject
            )
        )
        left = [hunk for hunk in report.hunks if hunk.id not in reject]
        shown = [hunk for hunk in left if not accept or hunk.id in accept]
        return result(reflect_text(report, shown), report.to_dict())
