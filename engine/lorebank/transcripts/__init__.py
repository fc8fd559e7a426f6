"""Transcripts: the lines of a conversation's JSONL file ↔ what its people and agents said.

Owns the formats of hosts, what of a turn may be kept, and how turns are put together in chunks.
Never opens a file, asks the clock or reads a setting: bytes and values come in, values go out.
May use `markdown`, `language`, `domain`, `errors`.
"""
