"""`lorebank completion`: print the script that completes commands in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from lorebank.cli.command import command
from lorebank.cli.session import Session, pass_session
from lorebank.errors import LorebankError

EXAMPLES = """
lorebank completion bash >> ~/.bashrc
lorebank completion zsh >> ~/.zshrc
lorebank completion fish > ~/.config/fish/completions/lorebank.fish
"""


@command("completion", examples=EXAMPLES)
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@pass_session
def completion(session: Session, shell: str) -> None:
    """Print the script that completes commands in a shell.

    Completes commands, options and the names of entities.
    """
    script = _script(shell)
    if session.json:
        session.show_json({"shell": shell, "script": script})
    else:
        session.show([script.rstrip("\n")])


def _script(shell: str) -> str:
    from lorebank.cli.root import cli

    found = get_completion_class(shell)
    if found is None:
        raise LorebankError(f"no completion for {shell}")
    return found(cli, {}, "lorebank", "_LOREBANK_COMPLETE").source()


command = completion
