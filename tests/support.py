"""Constants that the tests share."""

from __future__ import annotations

from pathlib import Path

__all__ = ["FIXTURES", "WORDS_ONLY"]

FIXTURES = Path(__file__).parent.parent / "fixtures"
WORDS_ONLY = {"LOREBANK_EMBEDDER__PROVIDER": "none", "LOREBANK_CONFIG": "/nonexistent"}
"""An environment without an embedder: fast, and the same on every machine."""
