"""Export conversations for search: one Markdown file each, with the turns of user and assistant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import blake2b
from pathlib import Path

from lorebank.conversations.turns import Turn, clean_turn
from lorebank.errors import WorkspaceError
from lorebank.language.folding import slugify
from lorebank.markdown.hidden import hide
from lorebank.records import Record

_MARK = "<!-- conversation exported by lorebank -->"
"""First line of every export, so that other files are never replaced or removed."""
_ENDED = re.compile(r"^# Conversation .*, (\d{4}-\d\d-\d\d \d\d:\d\d)$", re.MULTILINE)
_LABELS = {"user": "User", "assistant": "Assistant"}


class Transcript(Record):
    id: str  # the host's name for it
    ended: datetime  # the last turn, in local time
    turns: tuple[Turn, ...]


class TranscriptExport(Record):
    """What an export changed, as names of files in its folder."""

    written: tuple[str, ...]
    removed: tuple[str, ...]


def export_transcripts(
    transcripts: Iterable[Transcript], folder: Path, *, retention_days: int, now: datetime
) -> TranscriptExport:
    """Write conversations into a folder, one file each, if changed.

    Exports of conversations without turns, or that ended over `retention_days` days ago (0 keeps
    all), are removed. Raises `WorkspaceError`.
    """
    oldest = now - timedelta(days=retention_days) if retention_days else None
    written, removed = [], []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for transcript in transcripts:
            file = folder / _file_name(transcript)
            is_kept = oldest is None or transcript.ended >= oldest
            if not transcript.turns:
                if _exported(file) is not None:
                    file.unlink()
                    removed.append(file.name)
            elif is_kept and _write(file, transcript_text(transcript)):
                written.append(file.name)
        for file in sorted(folder.glob("*.md")):
            ended = _ENDED.search(_exported(file) or "")
            if oldest and ended and datetime.fromisoformat(ended[1]) < oldest:
                file.unlink()
                removed.append(file.name)
    except OSError as error:
        raise WorkspaceError.on_disk(folder, error) from error
    return TranscriptExport(tuple(written), tuple(removed))


def transcript_text(transcript: Transcript) -> str:
    """A conversation as Markdown, one line per turn, without what is private, hidden or secret."""
    lines = [
        f"{_LABELS[turn.role]}: {said}"
        for turn in transcript.turns
        if turn.role in _LABELS and (said := _on_one_line(turn.text))
    ]
    ended = transcript.ended.isoformat(sep=" ", timespec="minutes")
    title = f"# Conversation {_on_one_line(transcript.id)}, {ended}"
    return "\n".join([_MARK, "", title, "", *lines, ""])


def _on_one_line(text: str) -> str:
    """The part of a text that may be kept, as in the built-in store."""
    return " ".join(hide(clean_turn(text)[0], "")[0].split())


def _file_name(transcript: Transcript) -> str:
    """The host's name for it, as far as a path allows, and a hash."""
    mark = blake2b(transcript.id.encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()
    name = re.sub(r"[^\w-]+", "-", slugify(transcript.id))[:60].strip("-")
    return f"{'-'.join(filter(None, (name, mark)))}.md"


def _write(file: Path, text: str) -> bool:
    """Returns whether the file was written; not if it is current, or not ours."""
    if file.is_symlink() or (file.exists() and _exported(file) in (None, text)):
        return False
    temporary = file.with_suffix(".new")
    temporary.write_text(text, "utf-8")
    temporary.replace(file)
    return True


def _exported(file: Path) -> str | None:
    """The text of an export; `None` for any other file."""
    if file.is_symlink() or not file.is_file():
        return None
    text = file.read_text("utf-8", "replace")
    return text if text.startswith(_MARK) else None
