"""Markdown: text ↔ values. Facts, mentions, passages, chunks, front matter, managed blocks, ledger.

Pure: no disk, clock or configuration; text comes in, values and diagnostics go out, and no input
raises. Lines end at LF or CRLF only and are counted from 1. The parser is imported when the first
document is read. May use `language`, `domain` and `errors`.
"""
