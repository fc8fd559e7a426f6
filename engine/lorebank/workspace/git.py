"""Diffs that `git apply` takes, and one git commit of named files, or why there is none.

A repository's configuration names programs (hooks, filters, a signer). A workspace may come from
anybody, so they only run if the owner's own settings allow it.
"""

from __future__ import annotations

import difflib
import os
import subprocess
from collections.abc import Sequence
from io import StringIO
from pathlib import Path


def unified(old: str | None, new: str | None, path: str) -> str:
    """`None` is a missing file. Lines end at LF; a CR before it is part of the line."""
    if old == new:
        return ""
    before, after = _quoted(f"a/{path}"), _quoted(f"b/{path}")
    header = f"diff --git {before} {after}\n"
    if old is None:
        header += "new file mode 100644\n"
    elif new is None:
        header += "deleted file mode 100644\n"
    if not old and not new:
        return header
    # As git does, a tab ends a name with a space.
    end = "\t\n" if " " in path else "\n"
    source = "/dev/null\n" if old is None else before + end
    target = "/dev/null\n" if new is None else after + end
    header += f"--- {source}+++ {target}"
    was, becomes = (StringIO(text or "", newline="\n").readlines() for text in (old, new))
    _, _, *hunks = difflib.unified_diff(was, becomes)
    ended = (h if h.endswith("\n") else f"{h}\n\\ No newline at end of file\n" for h in hunks)
    return "".join([header, *ended])


def _quoted(name: str) -> str:
    """Quoted like git does, if it has a quote or a control character."""
    if name.isprintable() and not {'"', "\\"} & set(name):
        return name
    escaped = (
        c
        if c.isprintable() and c not in '"\\'
        else "".join(f"\\{byte:03o}" for byte in c.encode("utf-8", "surrogateescape"))
        for c in name
    )
    return f'"{"".join(escaped)}"'


_TIMEOUT_S = 120  # chosen by hand: the user's own hooks run within this time


class CommitRefused(Exception):
    """The commit was not made, and nothing stays staged; the message says why."""


def in_repository(root: Path) -> bool:
    try:
        return _git(root, "rev-parse", "--is-inside-work-tree").strip() == "true"
    except CommitRefused:
        return False


def commit_files(
    root: Path, paths: Sequence[str], message: str, *, run_programs: bool = False
) -> str:
    """Commit these workspace paths, deleted ones included, and nothing else; returns the hash.

    `run_programs` allows the repository's hooks, filters and signer. Raises `CommitRefused`.
    """
    if not in_repository(root):
        raise CommitRefused(f"{root} is in no git repository")
    options = () if run_programs else _without_programs(root)
    known = set(_git(root, *options, "ls-files", "-z", "--", *paths).split("\0"))
    there = [path for path in paths if (root / path).exists()]
    new = [path for path in there if path not in known]
    wanted = [path for path in paths if path in known or path in new]
    if not wanted:
        raise CommitRefused("none of the files is known to git")
    if new:
        _git(root, *options, "add", "--intent-to-add", "--", *new)
    try:
        _git(root, *options, "commit", "--quiet", "--message", message, "--only", "--", *wanted)
    except CommitRefused:
        if new:
            _git(root, *options, "reset", "--quiet", "--", *new)
        raise
    return _git(root, "rev-parse", "HEAD").strip()


def _without_programs(root: Path) -> tuple[str, ...]:
    """Options that keep git from running programs of the repository's configuration."""
    settings = [f"core.hooksPath={os.devnull}", "core.fsmonitor=false", "commit.gpgSign=false"]
    listed = _git(root, "config", "--name-only", "--null", "--list").split("\0")
    for key in listed:
        section, _, name = key.rpartition(".")
        if section.startswith("filter.") and name in ("clean", "process"):
            settings += [f"{key}=", f"{section}.required=false"]
    return tuple(part for each in settings for part in ("-c", each))


def _git(root: Path, *arguments: str) -> str:
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_LITERAL_PATHSPECS": "1"}
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except FileNotFoundError:
        raise CommitRefused("git is not installed") from None
    except subprocess.TimeoutExpired:
        raise CommitRefused(f"git gave no answer within {_TIMEOUT_S} s") from None
    if done.returncode:
        output = done.stderr.decode("utf-8", "replace").strip() or done.stdout.decode(
            "utf-8", "replace"
        )
        raise CommitRefused(" ".join(output.split())[:300] or f"git {arguments[0]} failed")
    return done.stdout.decode("utf-8", "surrogateescape")
