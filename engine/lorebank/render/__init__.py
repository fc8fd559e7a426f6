"""Render values as text: pure functions from values and a `Look` to lines.

Never prints or queries the terminal or clock. Control characters from files are escaped, so that a
note cannot control the reader's terminal.
"""
