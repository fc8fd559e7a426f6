"""Commands for agent hosts, and for connecting them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from contextlib import nullcontext
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lorebank.agent import hosts
from lorebank.cli.command import budget_option, command, flag, group, option
from lorebank.cli.session import Session, write_raw
from lorebank.errors import LorebankError, UsageError

if TYPE_CHECKING:
    from lorebank.app.several import Banks
    from lorebank.mcp_server.banks import OpensBanks


@command("connect")
@click.argument("host", type=click.Choice(list(hosts.HOSTS)))
@flag("--remove", "Remove lorebank again.")
@flag("--print", "prints", "Print the entry; write nothing.")
@option("--file", "Another file than the host's own.", type=click.Path(path_type=Path))
@flag("--read-only", "Offer no tool that writes.")
@option("--check/--no-check", "Start the server as the host would.", default=True)
def connect(
    session: Session,
    /,
    host: str,
    remove: bool,
    prints: bool,
    file: Path | None,
    read_only: bool,
    check: bool,
) -> None:
    """The rest of the file stays byte for byte, and --remove restores it. For claude-code the hooks
    are installed as well: the boot pack at the start of a session, and the reminder to store
    lasting facts after a compaction.

    Examples:
        lorebank connect claude-code
        lorebank connect codex --print
        lorebank connect cursor --remove
        lorebank connect vscode --file .vscode/mcp.json
    """
    target = file or hosts.settings_file(host, os.environ)
    root = None if remove else session.settings()[0]
    started = [] if root is None else [*hosts.start_arguments(root), "mcp", "--agent", host]
    started += ["--read-only"] * (read_only and root is not None)
    if prints and root is not None:
        entry = hosts.snippet(host, started)
        if session.json:
            session.show_json({"host": host, "entry": entry})
        else:
            write_raw(entry)
        return
    tools: tuple[str, ...] = ()
    if check and root is not None:
        from lorebank.mcp_server.stdio import tools_of

        tools = tools_of(started)
    done = [hosts.connect(host, target, started if root is not None else None)]
    if host == "claude-code" and file is None:
        starts = None if root is None else hosts.start_command(root)
        done.append(hosts.change_hooks(host, file=None, command=starts, environ=os.environ))
    payload = {"changes": [each.to_dict() for each in done], "tools": list(tools)}
    answers = f"the server answers with {len(tools)} tools: {', '.join(tools)}"
    session.print(payload, _change_lines(done), [answers] if tools else ())


HOST = click.Choice(["claude-code", "shell"])


@group("hooks")
def hooks() -> None:
    """claude-code: the boot pack at the start of a session, and the reminder to store lasting facts
    after a compaction. shell: functions for any other host.

    Examples:
        lorebank hooks print claude-code
        lorebank hooks install claude-code
        lorebank hooks remove claude-code
        lorebank hooks install shell --file ~/.bashrc
    """


@hooks.subcommand("print")
@click.argument("host", type=HOST)
def print_hooks(session: Session, host: str) -> None:
    """Print what install would write into an empty file."""
    root, _ = session.settings()
    text = hosts.with_hooks(host, "", hosts.start_command(root))
    _print_text(session, text, host=host)


@hooks.subcommand("install")
@click.argument("host", type=HOST)
@option("--file", "Another file than the host's own.", type=click.Path(path_type=Path))
def install_hooks(session: Session, host: str, file: Path | None) -> None:
    """Add the hooks to the host's settings; the rest stays byte for byte."""
    _change(session, host, file, hosts.start_command(session.settings()[0]))


@hooks.subcommand("remove")
@click.argument("host", type=HOST)
@option("--file", "Another file than the host's own.", type=click.Path(path_type=Path))
def remove_hooks(session: Session, host: str, file: Path | None) -> None:
    """Remove the hooks from the host's settings."""
    _change(session, host, file, None)


@hooks.subcommand("run", examples="lorebank hooks run session-start < event.json")
@click.argument(
    "event", type=click.Choice(["session-start", "prompt", "pre-compact", "session-end"])
)
def run_hook(session: Session, event: str) -> None:
    """What the host calls at an event; reads its JSON from standard input."""
    payload = _payload()
    with session.bank() as bank:
        text = bank.session_hook(
            event,
            session=str(payload.get("session_id") or "main"),
            source=str(payload.get("source") or ""),
            prompt=str(payload.get("prompt") or ""),
            transcript=str(payload.get("transcript_path") or ""),
        )
    _print_text(session, text, event=event)


def _print_text(session: Session, text: str, **about: object) -> None:
    """Print a text byte for byte; with --json, together with `about`."""
    if session.json:
        session.show_json({**about, "text": text})
    else:
        write_raw(text)


def _change(session: Session, host: str, file: Path | None, command: str | None) -> None:
    done = hosts.change_hooks(host, file=file, command=command, environ=os.environ)
    session.result(done, lambda look, done: _change_lines([done]))


def _change_lines(done: Iterable[hosts.HookChange]) -> list[str]:
    return [f"{'changed' if each.changed else 'unchanged'} {each.file}" for each in done]


def _payload() -> dict[str, Any]:
    """The event's JSON from the host, if any."""
    if sys.stdin is None or sys.stdin.isatty():
        return {}
    try:
        found = json.loads(sys.stdin.buffer.read() or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


@command("context")
@budget_option("At most this many tokens.", 50)
@flag("--group", "For a group chat: leave out the owner's private pages.")
def context(session: Session, /, **how: Any) -> None:
    """The owner's directives (bank/directives.md), the core memory, today's and yesterday's log,
    the most confident opinions and the open proposals, within a budget. With --group the core
    memory and its proposals are left out.

    Examples:
        lorebank context
        lorebank context --budget-tokens 1000
        lorebank context --group
    """
    with session.bank() as bank:
        pack = bank.context(**how)
    if session.json:
        session.show_json(pack.to_dict())
        return
    write_raw(pack.text)
    if pack.left_out:
        session.note([f"no room for {', '.join(pack.left_out)}: raise --budget-tokens"])


@command("flush")
@option("--tokens", "Tokens in the context now.", type=click.IntRange(0), metavar="N")
@option("--context-window", "Tokens that it can hold.", type=click.IntRange(1), metavar="N")
@option("--compactions", "How often it was compacted so far.", type=click.IntRange(0), metavar="N")
@option("--session", "Which conversation.", default="main", metavar="ID")
@option(
    "--workspace-access",
    "What the agent may do in the workspace.",
    type=click.Choice(["rw", "ro", "none"]),
    default="rw",
)
@option("--reply", "Print the part of the model's reply that is for the user.", metavar="TEXT")
def flush(
    session: Session,
    /,
    tokens: int | None,
    context_window: int | None,
    workspace_access: str,
    reply: str | None,
    **which: Any,
) -> None:
    """Due from context window - reserve_tokens_floor - soft_threshold_tokens on, once per
    compaction. Prints the system prompt, an empty line and the prompt; while not due, nothing, and
    the reason on standard error. A reply of NO_REPLY is not for the user.

    Examples:
        lorebank flush --tokens 178000 --context-window 200000
        lorebank flush --tokens 178000 --context-window 200000 --session chat-7 --json
        lorebank flush --reply "NO_REPLY"
    """
    if reply is not None:
        from lorebank.agent.flush import deliverable

        shown = deliverable(reply)
        text = f"{shown}\n" if shown and not session.json else shown
        _print_text(session, text, deliver=bool(shown))
        return
    if tokens is None or context_window is None:
        raise UsageError(
            "flush needs --tokens and --context-window", hint="or --reply with a model's answer"
        )
    with session.bank() as bank:
        found = bank.flush(
            tokens, context_window=context_window, writable=workspace_access == "rw", **which
        )
    prompts = [found.system_prompt, "", found.prompt]
    why_not = f"no flush: {found.reason} ({found.tokens} of {found.threshold} tokens)"
    lines, notes = (prompts, []) if found.due else ([], [why_not])
    session.print(found.to_dict(), lines, notes)


@command("mcp")
@flag("--http", "Serve HTTP on this machine instead of stdio.")
@option("--host", "A loopback address.", default="127.0.0.1", metavar="ADDRESS")
@option("--port", "0: a free one.", type=click.IntRange(0, 65535), default=8765, metavar="N")
@flag("--all", "every_bank", "Add tools that ask every named bank.")
@option("--with", "names", "Add tools that ask these named banks.", multiple=True, metavar="NAME")
@flag("--group", "For group chats: leave out the core memory.")
@flag("--read-only", "Offer no tool that writes.")
@flag("--decides", "Let the agent accept proposals and confirm facts.")
@option("--agent", "The name on the lines it writes.", default="", metavar="NAME")
@option("--user", "The user on whose behalf it writes.", default="", metavar="NAME")
@option("--tools", "all, or comma-separated names.", default="default", metavar="LIST")
def mcp(
    session: Session,
    /,
    http: bool,
    host: str,
    port: int,
    every_bank: bool,
    names: tuple[str, ...],
    **rights: Any,
) -> None:
    """Over stdio, as agent hosts start it, or with --http for several clients on this machine,
    which send the bearer token printed at the start. The index is opened by the first call.

    One workspace is served, and nothing of another is ever read. --all or --with adds recall_all,
    memory_search_all and memory_get_all, which read the named banks; writes go to the one served.

    An agent's rights are set here, never by tool arguments. Over HTTP each client can have its own
    token and rights: [name] tables with token, agent, user, group, read_only, decides, tools and
    banks in mcp-clients.toml, next to your settings.

    Examples:
        lorebank mcp
        lorebank mcp -w ~/notes
        lorebank mcp --http --port 8765
        lorebank mcp --bank work --with home
        lorebank mcp --group --read-only
        lorebank mcp --agent claude-code --tools all
        claude mcp add memory -- lorebank mcp -w ~/notes
    """
    if http and find_spec("uvicorn") is None:
        raise LorebankError("--http needs uvicorn", hint="pip install 'lorebank[mcp]'")
    root, config = session.settings()
    session.workspace, session.bank_name = str(root), None
    from lorebank.mcp_server.access import Access
    from lorebank.mcp_server.server import build_server, serve_http, serve_stdio

    access = Access(**rights)
    build = partial(
        build_server,
        session.bank,
        open_banks=_bank_opener(session, every_bank, names),
        memory_tools=config.memory_search.enabled,
        citations=config.memory.citations != "off",
        waits=config.memory.backend == "qmd" or config.embedder.provider not in ("local", "none"),
    )
    has_sidecar = config.memory.backend == "qmd"  # which is kept up to date meanwhile
    with session.bank() if has_sidecar else nullcontext() as bank:
        if bank is not None:
            bank.begin_serving()
        if http:
            serve_http(build, access, host=host, port=port, say=lambda line: session.note([line]))
        else:
            serve_stdio(build, access)


def _bank_opener(session: Session, every_bank: bool, names: tuple[str, ...]) -> OpensBanks | None:
    """A function that opens several banks; unknown names are reported right away."""
    if not every_bank and not names:
        return None
    if every_bank and names:
        raise UsageError("--all and --with are both given", hint="give one of them")
    from lorebank.app.several import Banks

    def open_banks(*, group: bool = False) -> Banks:
        return Banks.open(
            names or None, now=session.now, flags=session.flags, say=session.say, group=group
        )

    open_banks().close()
    return open_banks
