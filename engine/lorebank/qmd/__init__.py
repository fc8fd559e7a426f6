"""The QMD sidecar: an external command that ranks passages in place of the built-in engine.

Owns how `qmd` is run (home, collections, updates, timeouts) and how its answers become hits. The
sidecar only names places; the text shown is read from the files. Never answers a recall, and writes
only in its own folder. May use `recall` for snippets, `index` for the breaker, `workspace` for
paths.
"""
