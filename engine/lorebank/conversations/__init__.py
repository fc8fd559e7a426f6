"""Conversations: the transcripts of hosts, read, kept next to the index, searched, exported.

`files` finds them, `turns` reads them (pure), `sync` keeps `store` up to date,
`search` asks it, `export` writes them where the sidecar searches. No fact, opinion, page or boot
pack is ever made of them. May use `recall` and below.
"""
