"""The tools that write: into the log, the core memory and the ledgers of what was decided."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from lorebank.agent.authored import admitted, is_order
from lorebank.agent.texts import (
    fact_lines,
    forget_text,
    inbox_blocks,
    inbox_item,
    paged,
    reflect_blocks,
)
from lorebank.domain import FactKind, InboxKind
from lorebank.errors import UsageError
from lorebank.mcp_server.access import caller
from lorebank.mcp_server.banks import BankThreads
from lorebank.mcp_server.results import (
    ADDING,
    REFLECTING,
    REWRITING,
    SETTLING,
    Delivered,
    delivered,
    recalled,
)

if TYPE_CHECKING:
    from lorebank.app.bank import Bank
    from lorebank.domain import Fact, ForgetReport

Kind = Literal["world", "experience", "opinion", "observation", "W", "B", "O", "S"]
DryRun = Annotated[bool, Field(description="True shows what would happen and writes nothing.")]
Page = Annotated[int, Field(ge=1, description="Which page.")]
Text = Annotated[str, Field(description="One sentence that stands alone, with names.")]
MOST_LINES = 20
"""Lines that an agent may forget at once: more than that is a decision of the owner's."""
_OWNERS = frozenset(("accept", "confirm"))
"""Verdicts that let in what waits for the owner's word."""


def add_writing_tools(server: MCPServer, banks: BankThreads) -> None:
    """Register what writes into the memory."""
    _add_facts(server, banks)
    _add_custody(server, banks)
    _add_pages(server, banks)


def _add_facts(server: MCPServer, banks: BankThreads) -> None:
    @server.tool(title="Retain a fact", annotations=ADDING)
    async def retain(
        text: Text,
        kind: Annotated[Kind | None, Field(description="What it is.")] = None,
        entities: Annotated[list[str], Field(description="Whom or what it is about.")] = [],  # noqa: B006
        confidence: Annotated[
            float | None, Field(ge=0, le=1, description="How sure an opinion is.")
        ] = None,
        date: Annotated[
            str | None, Field(description="YYYY-MM-DD, today or up to a week ago.")
        ] = None,
        for_opinions: Annotated[list[str], Field(description="Ids (o-…) it speaks for.")] = [],  # noqa: B006
        against_opinions: Annotated[list[str], Field(description="Ids it speaks against.")] = [],  # noqa: B006
    ) -> Annotated[CallToolResult, Delivered]:
        """Keep what should still be known next month: a decision, preference, event, something
        true. Answers with what is noted already and what it may replace.
        """
        author = caller().author

        if is_order(admitted(text)):
            done = await banks.call_writer(lambda bank: bank.remember(text, author=author))
            return delivered(done.warning)

        def write(bank: Bank) -> tuple[Fact, str]:
            near = _noted_already(bank, text)
            fact = bank.retain(
                text,
                kind=kind,
                entities=entities,
                confidence=confidence,
                day=date,
                for_=for_opinions,
                against=against_opinions,
                author=author,
            )
            return fact, _news_of(bank, fact, near)

        fact, said = await banks.call_writer(write)
        return recalled(said, id=fact.id)

    @server.tool(title="Correct a fact", annotations=REWRITING)
    async def correct(
        id: Annotated[str, Field(description="Of the fact that is wrong or over, f-….")],
        text: Text,
        dry_run: DryRun = False,
    ) -> Annotated[CallToolResult, Delivered]:
        """Put a new fact in the place of an old one. The old line stays and is shown as over."""
        author = caller().author

        def write(bank: Bank) -> CallToolResult:
            old = _fact_meant(bank, id)
            if dry_run:
                return recalled(f"would be over:\n{fact_lines([old], 1)}\nnew: {text}")
            names = list(dict.fromkeys(m.name for m in old.mentions if m.subject))
            fact = bank.retain(
                text, kind=old.kind, entities=names, replaces=[old.id], author=author
            )
            lines = f"over now:\n{fact_lines([old], 1)}\nnew:\n{fact_lines([fact], 1)}"
            return recalled(f"{lines}\nforget {fact.id} to take it back", id=fact.id)

        return await banks.call_writer(write)

    @server.tool(title="Remember this", annotations=ADDING)
    async def remember(
        text: Annotated[str, Field(description="What is to be remembered, as it was said.")],
        to: Annotated[
            Literal["auto", "core", "fact", "log"], Field(description="Where it goes.")
        ] = "auto",
    ) -> Annotated[CallToolResult, Delivered]:
        """Write down what somebody asked to remember, where it belongs: facts and notes into the
        log. Standing orders are proposed to the owner.
        """
        author = caller().author
        done = await banks.call_writer(lambda bank: bank.remember(text, to=to, author=author))
        said = f"written to {done.place} ({done.reason}) [{done.source}]"
        return delivered("\n".join(filter(None, [said, done.warning])))


def _fact_meant(bank: Bank, said: str) -> Fact:
    """The fact with an id, or the only one whose words hold those that were given instead."""
    if not said.startswith("f-"):
        words = _words(said)
        hits = bank.recall(said, k=5, kinds=tuple(FactKind), remember=False).hits
        ids = [hit.id for hit in hits if words in _words(hit.content)]
        if len(ids) != 1:
            raise UsageError(
                f"{len(ids) or 'no'} facts say '{said}'", hint="give the id of one, f-…, by recall"
            )
        said = ids[0]
    fact = bank.explain(said).fact
    if fact is None:
        raise UsageError("only facts are corrected", hint="give an id that begins with f-")
    return fact


def _words(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!")


def _noted_already(bank: Bank, text: str) -> frozenset[str]:
    """The facts that say the same in the same words, before one more is written."""
    words = _words(text)
    hits = bank.recall(text, k=5, remember=False).hits
    return frozenset(hit.id for hit in hits if _words(hit.content) in words)


def _news_of(bank: Bank, fact: Fact, near: frozenset[str]) -> str:
    """What was written, about whom, and what of it waits in the inbox."""
    about = ", ".join(dict.fromkeys(mention.name for mention in fact.mentions)) or "nobody"
    lines = [f"retained {fact.id} as {fact.kind.value} about {about} [{fact.citation}]"]
    if near - {fact.id}:
        lines.append(f"noted already: {', '.join(sorted(near - {fact.id}))}")
    lines += [f"in the inbox: {inbox_item(item)}" for item in fact.related]
    return "\n".join(lines)


def _add_custody(server: MCPServer, banks: BankThreads) -> None:
    @server.tool(title="Forget", annotations=REWRITING)
    async def forget(
        ids: Annotated[list[str], Field(description="Of facts, f-….")] = [],  # noqa: B006
        match: Annotated[str, Field(description="Every line that holds this text.")] = "",
        entity: Annotated[str, Field(description="All that names it.")] = "",
        dry_run: DryRun = True,
    ) -> Annotated[CallToolResult, Delivered]:
        """Cut lines out of the memory. First call it as it is and show the owner what would go;
        then with dry_run=false. undo brings the lines back.
        """
        decides = caller().access.decides

        def cut(bank: Bank) -> ForgetReport:
            plan = bank.forget(*ids, match=match, entity=entity, dry_run=True)
            if dry_run:
                return plan
            if len(plan.lines) > MOST_LINES and not decides:
                raise UsageError(
                    f"{len(plan.lines)} lines would go, more than {MOST_LINES}; nothing was cut",
                    hint="the owner does that with `lorebank forget`",
                )
            return bank.forget(*ids, match=match, entity=entity)

        return recalled(forget_text(await banks.call_writer(cut)))

    @server.tool(title="Undo", annotations=REWRITING)
    async def undo(
        what: Annotated[Literal["forget", "reflect", "rule"], Field(description="What to undo.")],
        id: Annotated[str, Field(description="The run or item; the last without it.")] = "",
    ) -> Annotated[CallToolResult, Delivered]:
        """Take back a forget, a reflect, or a ruling of your own."""
        name = caller().author.agent

        def take_back(bank: Bank) -> str:
            if what == "rule":
                taken = bank.unrule([id] if id else None, by=name)
                return f"took back {len(taken)} rulings: {', '.join(each.id for each in taken)}"
            undone = bank.undo_forget(id or None) if what == "forget" else bank.undo_reflect(id)
            return f"restored {', '.join(undone.restored)}"

        return delivered(await banks.call_writer(take_back))

    @server.tool(title="Confirm", annotations=SETTLING)
    async def confirm(
        ids: Annotated[list[str], Field(description="Of facts in quarantine.")],
        undo: bool = False,
    ) -> Annotated[CallToolResult, Delivered]:
        """Vouch in the owner's name for what is marked unconfirmed."""
        _check_decides({"": "confirm"})
        report = await banks.call_writer(lambda bank: bank.confirm(*ids, undo=undo))
        return delivered(report.line)

    @server.tool(title="Inbox", annotations=SETTLING)
    async def inbox(
        kind: Annotated[InboxKind | None, Field(description="Only this kind.")] = None,
        page: Page = 1,
        verdicts: Annotated[
            dict[str, str], Field(description="Rule: item id to one of its choices.")
        ] = {},  # noqa: B006
    ) -> Annotated[CallToolResult, Delivered]:
        """What waits for a decision: pairs of lines, names, edits. Rule on what you are sure of
        with verdicts; leave the rest to the owner.
        """
        if verdicts:
            return await _rule(banks, verdicts)
        found = await banks.call(lambda bank: bank.inbox(kind))
        return recalled(paged(inbox_blocks(found), page))

    @server.tool(title="Rule on the inbox", annotations=SETTLING)
    async def rule(
        verdicts: Annotated[dict[str, str], Field(description="Item id to one of its choices.")],
    ) -> Annotated[CallToolResult, Delivered]:
        """Settle items of the inbox. Each verdict is a signed line that the owner can delete."""
        return await _rule(banks, verdicts)


async def _rule(banks: BankThreads, verdicts: Mapping[str, str]) -> CallToolResult:
    if caller().access.read_only:
        raise UsageError("this client only reads", hint="leave verdicts out")
    _check_decides(verdicts)
    name = caller().author.agent
    done = await banks.call_writer(lambda bank: bank.rule(verdicts, by=name))
    lines = [f"{each.id} {each.verdict} [{each.source}]" for each in done]
    return delivered("\n".join(lines) or "nothing new was decided")


def _check_decides(verdicts: Mapping[str, str]) -> None:
    if _OWNERS & set(verdicts.values()) and not caller().access.decides:
        raise UsageError(
            "that is the owner's decision; nothing was written",
            hint="ask the owner to run `lorebank inbox`, or to start the server with --decides",
        )


def _add_pages(server: MCPServer, banks: BankThreads) -> None:
    @server.tool(title="Edit the core memory", annotations=REWRITING)
    async def memory_write(
        action: Annotated[
            Literal["append", "replace", "insert"],
            Field(description="replace needs old_text; insert needs line."),
        ],
        text: Annotated[str, Field(description="What is written; empty cuts old_text.")] = "",
        old_text: Annotated[str, Field(description="For replace: as it stands there.")] = "",
        line: Annotated[int | None, Field(ge=1, description="For insert.")] = None,
        section: Annotated[str, Field(description="For append: a heading.")] = "",
    ) -> Annotated[CallToolResult, Delivered]:
        """Change memory.md, the small page that is read in every conversation. Lines you add are
        marked as yours; orders, and changes to the owner's lines, are proposed to the owner.
        """
        author = caller().author
        done = await banks.call_writer(
            lambda bank: bank.memory_write(
                action, text, old=old_text, line=line, section=section, author=author
            )
        )
        place = f"{done.path} lines {done.start_line}-{done.end_line}"
        said = f"{done.action}: {place}, {done.tokens} of {done.limit_tokens} tokens"
        return delivered("\n".join(filter(None, [said, done.warning])))

    @server.tool(title="Reflect", annotations=REFLECTING)
    async def reflect(
        since: Annotated[str | None, Field(description="Only news from that day on.")] = None,
        dry_run: DryRun = True,
        accept: Annotated[list[str], Field(description="Only these hunks (h-…).")] = [],  # noqa: B006
        reject: Annotated[list[str], Field(description="Hunks that are wrong.")] = [],  # noqa: B006
        page: Page = 1,
    ) -> Annotated[CallToolResult, Delivered]:
        """Bring the bank's pages up to date from the facts. Review the hunks page by page, then
        call again with dry_run=false, and with accept or reject where not all are right.
        """
        report = await banks.call_writer(
            lambda bank: bank.reflect(
                since=since, dry_run=dry_run, accept=accept or None, reject=reject
            )
        )
        left = [hunk for hunk in report.hunks if hunk.id not in reject]
        shown = [hunk for hunk in left if not accept or hunk.id in accept]
        return recalled(paged(reflect_blocks(report, shown), page))
