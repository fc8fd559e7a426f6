"""A refresh in a process of its own, which outlives the one that asked for it.

A command answers in a fraction of a second and is gone; `qmd update` takes longer. The process is
told all it needs in one JSON argument, none of it secret; what came of it stands in the state.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from threading import Thread
from typing import Any

from lorebank.config_qmd import QmdUpdateSettings
from lorebank.errors import LorebankError
from lorebank.qmd.collections import Collection
from lorebank.qmd.home import Home, State, collection_rows, read_collections
from lorebank.qmd.process import QmdCommand, QmdFailed
from lorebank.qmd.refresh import Work, refresh
from lorebank.workspace.lock import WriterLock


def begin(
    command: QmdCommand,
    home: Home,
    wanted: tuple[Collection, ...],
    timing: QmdUpdateSettings,
    work: Work,
    *,
    asked: float,
) -> None:
    """Begin a refresh and return; one that another process began since `asked` is enough.

    Raises `QmdFailed` where no process can be started.
    """
    job = {
        "command": command.command,
        "home": str(home.folder),
        "collections": collection_rows(wanted),
        "timing": asdict(timing),
        "work": asdict(work),
        "asked": asked,
    }
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "lorebank.qmd.background", json.dumps(job)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=home.folder,  # never the workspace: what lies there is nobody's module
            env={**os.environ, **command.environ},
            start_new_session=True,
        )
    except OSError as error:
        raise QmdFailed(f"the update cannot be started: {error.strerror}") from error
    Thread(target=process.wait, daemon=True).start()


def main(job: Mapping[str, Any], environ: Mapping[str, str]) -> None:
    """Do a job, unless another process is at it or did it meanwhile."""
    home = Home(Path(job["home"]))
    command = QmdCommand(job["command"], home.config_home, home.cache_home, environ)
    timing = QmdUpdateSettings(**job["timing"])
    with WriterLock(home.folder, timeout_s=0, file=home.lock_file):
        if State.read(home).updated < job["asked"]:
            wanted = read_collections(job["collections"])
            refresh(command, home, wanted, timing, Work(**job["work"]))


if __name__ == "__main__":
    with contextlib.suppress(LorebankError):  # the state tells what failed
        main(json.loads(sys.argv[1]), os.environ)
