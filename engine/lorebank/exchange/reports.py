"""What an import brought and left out, what an export wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from lorebank.domain import Diagnostic
from lorebank.records import Record


class ImportReport(Record):
    """What came in; of a dry run, what would."""

    form: str
    """`obsidian`, `logseq`, `chatgpt`, `claude`, `basic-memory` or `jsonl`."""
    folder: str
    """The workspace folder it lies in."""
    added: tuple[str, ...]
    """Workspace paths, in the order of the source, as are the others."""
    updated: tuple[str, ...]
    """Files whose source changed and that nobody had edited here."""
    unchanged: int
    edited: tuple[str, ...]
    """Files whose source changed and that their owner had edited: left as they are."""
    removed: tuple[str, ...]
    """Places in the source of notes that their owner threw away here: not brought back."""
    gone: tuple[str, ...]
    """Files whose source is gone: kept."""
    left_out: tuple[Diagnostic, ...]
    """What of the source did not come, or not as it was, and why; paths are those of the source."""
    complete: bool
    """Whether the source could be read to its end."""
    dry_run: bool = False

    @property
    def reasons(self) -> Mapping[str, int]:
        """How often each reason was given, most often first."""
        return dict(Counter(each.code for each in self.left_out).most_common())

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"reasons": dict(self.reasons)}


class ExportReport(Record):
    """What went out."""

    form: str
    """`jsonl`, `csv`, `markdown` or `site`."""
    facts: int
    left_out: int
    """Facts in quarantine, which stay unless asked for."""
    target: str = ""
    """The file or folder; empty where the text was handed back."""
    files: tuple[str, ...] = ()
    """Paths in the target; empty for a single file."""
    text: str = ""
    """Of `jsonl` and `csv` without a target."""

    def to_dict(self) -> dict[str, Any]:
        fields = super().to_dict()
        del fields["text"]
        return {"format": fields.pop("form"), **fields}
