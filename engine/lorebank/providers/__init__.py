"""Models as guests: small protocols, a lazy registry, one file an adapter.

Owns everything that turns text into vectors. Never reads the workspace, the index or the clock,
and nothing elsewhere needs a provider to work, only to work better. Importing this room imports
no model and no numpy. May use `config`, `language`, `domain` and `errors`.
"""
