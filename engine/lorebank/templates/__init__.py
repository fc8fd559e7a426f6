"""Templates: packs of pages that a new workspace begins with, and the sample workspace.

`pack` reads and writes a pack within limits, `manifest` holds its `template.toml` to a schema,
`scaffold` finds packs by name and writes what a workspace lacks. May use `workspace` and below.
"""
