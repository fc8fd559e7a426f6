"""The derived folder, `.memory/`: made where it is missing, and kept out of version control."""

from __future__ import annotations

from pathlib import Path

from lorebank.errors import NotWritable, WorkspaceError
from lorebank.workspace.layout import DERIVED_FOLDER

_IGNORE_EVERYTHING = "*\n"
_MARK = 8
"""Hex digits that tell folders of the same name apart."""


def ensure_derived_folder(root: Path) -> Path:
    """The path of `.memory/`, which exists afterwards and ignores itself for git.

    `WorkspaceError` where it is a link (a workspace could aim it at files of yours) or cannot be
    made.
    """
    folder = root / DERIVED_FOLDER
    if folder.is_symlink():
        raise WorkspaceError(
            f"{folder}: is a symbolic link, which is never followed",
            hint="remove the link; everything in .memory/ is derived and made anew",
        )
    try:
        folder.mkdir(exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists() and not ignore.is_symlink():
            ignore.write_text(_IGNORE_EVERYTHING, encoding="utf-8")
    except OSError as error:
        raise NotWritable(f"{folder}: cannot be made: {error.strerror}") from error
    return folder


def index_path(root: Path, setting: str, agent_id: str = "main") -> Path:
    """Where a workspace's index is: in `.memory/`, or where `index.path` says.

    There `{workspace}` stands for the folder's name and a few letters that tell folders of the
    same name apart, so that no two workspaces share an index; `{agent_id}` for the agent's id, with
    these letters where the path holds no `{workspace}`.
    """
    if not setting:
        return root / DERIVED_FOLDER / "index.sqlite"
    name = own_name(root)
    agent = agent_id if "{workspace}" in setting else f"{agent_id}-{name[-_MARK:]}"
    return Path(setting.replace("{agent_id}", agent).replace("{workspace}", name)).expanduser()


def own_name(root: Path) -> str:
    """A workspace's name for what is kept of it elsewhere: the folder's, and a mark of its path."""
    from hashlib import blake2b  # brings OpenSSL, which an answer from the index needs not

    mark = blake2b(str(root).encode("utf-8", "surrogateescape"), digest_size=_MARK // 2).hexdigest()
    return f"{root.name or 'root'}-{mark}"


def sessions_path(index: Path, agent_id: str) -> Path:
    """Where an agent's transcripts are kept: beside the index, a file for each agent."""
    return index.with_name(f"{index.stem}-sessions-{agent_id}{index.suffix}")
