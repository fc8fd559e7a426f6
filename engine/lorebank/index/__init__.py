"""The derived store: what the Markdown files say, in a form that can be asked.

Owns `.memory/index.sqlite` and `.memory/embeddings.sqlite`, their schema and every SQL statement of
the project. May be deleted at any time: `sync` makes it anew from the files, row for row. Never
writes a Markdown file, never ranks an answer. May use `markdown`, `dates`, `workspace`,
`providers`, `config`, `language`, `domain`, `errors`.
"""
