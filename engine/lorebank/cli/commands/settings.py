"""Settings, and the shell's completion."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from lorebank.cli.command import command, flag, group
from lorebank.cli.session import Session, write_json
from lorebank.errors import ConfigurationError, LorebankError, WorkspaceError
from lorebank.render.reports import path_lines, setting_lines, value_text
from lorebank.settings import config as settings
from lorebank.settings import files
from lorebank.settings.openclaw import read_openclaw
from lorebank.settings.schema import settings_schema
from lorebank.settings.tables import Config

_ROW = ("key", "value", "origin")


@group("config")
def config() -> None:
    """Later places win: defaults, your own file, the workspace's .memory/config.toml, the
    environment (LOREBANK_RECALL__K=5), flags (--set recall.k=5).

    Examples:
        lorebank config list
        lorebank config get recall.k
        lorebank config set recall.k 5
        lorebank config path
        lorebank config schema > lorebank.schema.json
        lorebank config import ~/.openclaw/openclaw.json
    """


@config.subcommand("list")
def list_settings(session: Session) -> None:
    """List every setting with its value and its origin."""
    rows = settings.describe(_load_config(session))
    payload = {"settings": [dict(zip(_ROW, row, strict=True)) for row in rows]}
    session.print(payload, setting_lines(session.look, rows))


@config.subcommand("get")
@click.argument("key")
def get_setting(session: Session, key: str) -> None:
    """Print the value of one setting; its origin goes to standard error."""
    loaded = _load_config(session)
    value = settings.shown(key, settings.get(loaded, key))
    origin = loaded.origins.get(key, "default")
    payload = dict(zip(_ROW, (key, value, origin), strict=True))
    session.print(payload, [value_text(value)], [session.error_look.dim(f"from {origin}")])


@config.subcommand("set")
@click.argument("key")
@click.argument("value")
@flag("--user", "In your own file, for all workspaces.")
def set_setting(session: Session, key: str, value: str, user: bool) -> None:
    """Write one setting into the workspace's file, or with --user into your own."""
    file = _user_file() if user else files.workspace_config_path(session.find_root())
    read = settings.shown(key, settings.set_value(file, key, value, in_workspace=not user))
    session.print(
        {"key": key, "value": read, "file": str(file)},
        [f"{key} = {value_text(read)}"],
        [session.error_look.dim(f"in {file}")],
    )


@config.subcommand("import")
@click.argument("file", type=click.Path(dir_okay=False))
@flag("--dry-run", "Show what would be set; write nothing.")
def import_settings(session: Session, file: str, dry_run: bool) -> None:
    """Take over the memory search of an openclaw.json into your own file.

    Settings without an equivalent are listed with the reason.
    """
    found = read_openclaw(Path(file).expanduser())
    target = _user_file()
    if not dry_run:
        settings.set_values(target, found.settings)
    shown = {key: settings.shown(key, value) for key, value in found.settings.items()}
    unmapped = [{"key": key, "reason": why} for key, why in found.unmapped]
    look = session.error_look
    left = (look.warn(look.clean_line(f"not imported: {k}: {why}")) for k, why in found.unmapped)
    session.print(
        {"file": str(target), "settings": shown, "homeless": unmapped},
        setting_lines(session.look, [(k, v, "default") for k, v in shown.items()]),
        [look.dim(f"would be set in {target}" if dry_run else f"set in {target}"), *left],
    )


@config.subcommand("schema")
def show_schema(session: Session) -> None:
    """Print a JSON Schema of the settings, for editors.

    With `#:schema ./lorebank.schema.json` as the first line of a settings file, editors that know
    TOML schemas complete its keys and mark what is wrong.
    """
    write_json(settings_schema())


@config.subcommand("path")
def show_paths(session: Session) -> None:
    """Print where settings are read from, and which of these files exist."""
    root = _workspace_root(session)
    found = {
        "user": files.user_config_path(os.environ),
        "workspace": files.workspace_config_path(root) if root else None,
    }
    paths = {place: path for place, path in found.items() if path is not None}
    payload = {"paths": {place: str(path) for place, path in paths.items()}}
    session.print(payload, path_lines(session.look, paths))


def _load_config(session: Session) -> Config:
    return settings.load_config(_workspace_root(session), os.environ, session.flags)


def _workspace_root(session: Session) -> Path | None:
    """The workspace, if any: settings work without one."""
    try:
        return session.find_root()
    except WorkspaceError:
        if session.workspace or session.bank_name or os.environ.get("LOREBANK_WORKSPACE"):
            raise
        return None


def _user_file() -> Path:
    found = files.user_config_path(os.environ)
    if found is None:
        raise ConfigurationError(
            "no settings folder was found", hint="set LOREBANK_CONFIG to a file's path"
        )
    return found


@command("completion")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def completion(session: Session, shell: str) -> None:
    """Completes commands, options and the names of entities.

    Examples:
        lorebank completion bash >> ~/.bashrc
        lorebank completion zsh >> ~/.zshrc
        lorebank completion fish > ~/.config/fish/completions/lorebank.fish
    """
    from lorebank.cli.root import cli

    found = get_completion_class(shell)
    if found is None:
        raise LorebankError(f"no completion for {shell}")
    script = found(cli, {}, "lorebank", "_LOREBANK_COMPLETE").source()
    session.print({"shell": shell, "script": script}, [script.rstrip("\n")])
