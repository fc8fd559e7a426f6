"""The QMD sidecar: a command of its own that ranks passages in place of the built-in engine.

Owns how `qmd` is run (its own home, its collections, when it is updated, how long it may take) and
how its answers become hits. Whatever it shows is read from the files themselves: the sidecar only
says where to look. Never answers a recall; never writes but in its own folder. May use `recall`
for snippets, `index` for the breaker, `workspace` for paths.
"""
