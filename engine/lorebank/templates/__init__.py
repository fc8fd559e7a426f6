"""Templates: packs of pages that a new workspace begins with, and the sample workspace.

`pack` reads and writes a pack within limits and checks its `template.toml`,
`scaffold` finds packs by name and writes what a workspace lacks. May use `workspace` and below.
"""
