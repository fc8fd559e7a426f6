"""Markdown: text ↔ values. Pure: no disk, clock or configuration; no input raises. Lines end at LF
or CRLF only and are counted from 1.
"""
