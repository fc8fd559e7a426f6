"""The derived store: what the Markdown files say, in a form that can be asked.

Owns what `.memory/index.sqlite` and `.memory/embeddings.sqlite` hold, but for the tables of `names`
and `trust`. May be deleted at any time: `sync` rebuilds it from the files, row for row. Never
writes a Markdown file, never ranks an answer. May use `trust`, `names`, `markdown`, `dates`,
`workspace`, `providers`, `database` and below.
"""
