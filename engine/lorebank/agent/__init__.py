"""What an agent is given and what it may write: snippets, core memory, boot pack, flush, hooks.

Decides and words; files are read and written by `app` through `workspace`, answers come from
`recall`. Never talks to a model. May use `recall`, `retain`, `markdown`, `workspace`, `config`,
`language`, `domain`, `errors`.
"""
