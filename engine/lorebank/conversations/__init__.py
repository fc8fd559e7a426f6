"""Transcripts of agent hosts: read, indexed, searched, exported.

`files` finds them, `turns` parses them (pure), `sync` keeps `store` up to date, `search` queries
it, `export` writes them for the sidecar. They never become facts, opinions, pages or boot packs.
May use `recall` and below.
"""
