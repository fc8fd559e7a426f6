"""`lorebank watch`: keep the index fresh while files change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from lorebank.cli.command import command
from lorebank.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lorebank.domain import SyncReport

EXAMPLES = """
lorebank watch
lorebank watch -w ~/notes --quiet
"""


@command("watch", examples=EXAMPLES)
@pass_session
def watch(session: Session) -> None:
    """Keep the index fresh while files change, until interrupted.

    What changed is read, embedded and judged 1.5 seconds after the last change; where the system
    tells nothing of changes (folders of other machines), files are looked at now and again. `mcp`
    does the same by itself.
    """
    from lorebank.app.watching import Watcher, keep_up

    def tell(report: SyncReport) -> None:
        done = {"added": report.added, "changed": report.changed, "removed": report.removed}
        said = [f"{len(paths)} {name}" for name, paths in done.items() if paths]
        if report.embedded:
            said.append(f"{report.embedded} embedded")
        if session.json:
            session.show_json(report.to_dict())
        elif said:
            session.show([", ".join(said)])

    with session.bank() as bank:
        watcher = Watcher(bank.root, session.say)
        watcher.start()
        session.note([f"watching {bank.root}; Ctrl-C ends it"])
        try:
            tell(bank.catch_up())
            keep_up(bank, watcher, lambda: watcher.is_stopped, tell, session.say)
        except KeyboardInterrupt:
            raise click.exceptions.Exit(130) from None
        finally:
            watcher.stop()


command = watch
