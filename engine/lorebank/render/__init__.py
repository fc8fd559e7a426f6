"""How values look as text: pure functions from values and a `Look` to lines.

Never prints, never asks the terminal or the clock. Everything that came from a file is cleaned of
control characters on the way, so that a note cannot drive the reader's terminal.
"""
