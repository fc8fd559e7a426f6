"""`lorebank flush`: the check before a host compacts its conversation."""

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.session import Session, pass_session
from lorebank.cli.streams import write_raw
from lorebank.errors import UsageError

EXAMPLES = """
lorebank flush --tokens 178000 --context-window 200000
lorebank flush --tokens 178000 --context-window 200000 --session chat-7 --compactions 2 --json
lorebank flush --reply "NO_REPLY"
"""


@command("flush", examples=EXAMPLES)
@click.option("--tokens", type=click.IntRange(0), metavar="N", help="In the context by now.")
@click.option("--context-window", type=click.IntRange(1), metavar="N", help="It holds at most.")
@click.option(
    "--compactions", type=click.IntRange(0), metavar="N", help="How often it was compacted."
)
@click.option("--session", "name", default="main", metavar="ID", help="Which conversation.")
@click.option(
    "--workspace-access",
    type=click.Choice(["rw", "ro", "none"]),
    default="rw",
    help="What the agent may do in the workspace.",
)
@click.option("--reply", metavar="TEXT", help="Print what of the model's reply is for the user.")
@pass_session
def flush(
    session: Session,
    tokens: int | None,
    context_window: int | None,
    compactions: int | None,
    name: str,
    workspace_access: str,
    reply: str | None,
) -> None:
    """Say whether an agent should store what lasts before its context is compacted.

    Due from context window - reserve_tokens_floor - soft_threshold_tokens on, once a compaction
    cycle. Prints the system prompt, an empty line and the prompt; nothing while it is not due, and
    the reason on standard error. A reply of NO_REPLY is not for the user.
    """
    if reply is not None:
        _show_reply(session, reply)
        return
    if tokens is None or context_window is None:
        raise UsageError(
            "flush needs --tokens and --context-window", hint="or --reply with a model's answer"
        )
    with session.bank() as bank:
        found = bank.flush(
            tokens,
            context_window=context_window,
            compactions=compactions,
            session=name,
            writable=workspace_access == "rw",
        )
    if session.json:
        session.show_json(found.to_dict())
    elif found.due:
        session.show([found.system_prompt, "", found.prompt])
    else:
        session.note([f"no flush: {found.reason} ({found.tokens} of {found.threshold} tokens)"])


def _show_reply(session: Session, reply: str) -> None:
    from lorebank.agent.flush import deliverable

    shown = deliverable(reply)
    if session.json:
        session.show_json({"deliver": bool(shown), "text": shown})
    else:
        write_raw(f"{shown}\n" if shown else "")


command = flush
