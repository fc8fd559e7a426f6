"""Render values as text: pure functions from values and a `Look` to lines. Control characters from
files are escaped, so that a note cannot control the reader's terminal."""
