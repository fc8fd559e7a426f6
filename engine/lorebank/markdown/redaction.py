"""A file's text as it may be stored, shown to a model or sent away: without secrets.

Files are the owner's and stay as they are; nothing that is made of them holds what is masked here.
"""

from __future__ import annotations

from lorebank.domain import Diagnostic
from lorebank.language.secrets import redact
from lorebank.markdown.hidden import without_private
from lorebank.markdown.source import line_of


def redacted_page(text: str, path: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """The text with its secrets masked, of the same length and lines; and where they stand.

    What is reported names the kind, never the secret.
    """
    redacted = redact(text)
    if not redacted.secrets:
        return text, ()
    return redacted.text, tuple(
        Diagnostic(
            path,
            line_of(text, secret.start),
            "secret-redacted",
            f"a secret ({secret.kind}) is kept out of the index",
        )
        for secret in redacted.secrets
    )


def shareable(text: str) -> str:
    """The text as a model may read it: private parts blank, secrets masked; lines as they were."""
    return redact(without_private(text)).text
