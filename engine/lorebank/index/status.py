"""What the index holds and what is wrong with it, for `status`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lorebank.database.connection import Connection, read_meta, select
from lorebank.domain import Diagnostic, Directive, Status
from lorebank.index.embedding import pending_count, vector_count

_COUNTS = {
    "files": "SELECT count(*) FROM files",
    "facts": "SELECT count(*) FROM items WHERE kind <> 'note'",
    "passages": "SELECT count(*) FROM items WHERE kind = 'note'",
    "entities": "SELECT count(*) FROM entities",
    "opinions": "SELECT count(*) FROM opinions",
    "chunks": "SELECT count(*) FROM chunks",
    "quarantined": "SELECT count(*) FROM items WHERE quarantined = 1",
    "lint": "SELECT count(*) FROM diagnostics WHERE substr(code, 1, 5) = 'lint:'",
}


def read_status(
    connection: Connection,
    root: Path,
    *,
    stale: Sequence[str],
    walk_problems: Sequence[Diagnostic],
    embedder: Mapping[str, object],
    vector_search: str,
    index_path: Path,
    directives: Sequence[Directive] = (),
    sessions: Mapping[str, int] | None = None,
) -> Status:
    """The state of the index; `stale` names the paths that changed since the last sync, `sessions`
    counts what is kept of transcripts."""
    counts = {name: int(connection.execute(query).get) for name, query in _COUNTS.items()}
    counts["vectors"] = vector_count(connection)
    counts["pending"] = pending_count(connection)
    counts |= sessions or {}
    return Status(
        workspace=str(root),
        fresh=not stale,
        stale_reason=_stale_reason(stale),
        synced_at=read_meta(connection, "synced_at"),
        counts=counts,
        embedder=dict(embedder),
        vector_search=vector_search,
        index_bytes=_size(index_path),
        last_reflection=_last_reflection(root),
        problems=_problems(connection, walk_problems),
        directives=tuple(directives),
    )


def _stale_reason(stale: Sequence[str]) -> str:
    if not stale:
        return ""
    files = "1 file" if len(stale) == 1 else f"{len(stale)} files"
    return f"{files} changed since the last sync ({stale[0]}): run `lorebank index`"


def _problems(
    connection: Connection, walk_problems: Sequence[Diagnostic]
) -> tuple[Diagnostic, ...]:
    stored = {
        Diagnostic(path, line, code, message)
        for path, line, code, message in select(
            connection,
            "SELECT path, line, code, message FROM diagnostics "
            " WHERE substr(code, 1, 5) NOT IN ('walk:', 'lint:')",
        )
    }
    return tuple(sorted(stored | set(walk_problems), key=lambda p: (p.path, p.line, p.code)))


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _last_reflection(root: Path) -> str | None:
    """The day of the newest journal page."""
    pages = sorted((root / "bank" / "reflections").glob("????-??-??.md"))
    return pages[-1].stem if pages else None
