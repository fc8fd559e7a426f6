"""From a question to cited hits: understanding, candidates, scoring, budget, evidence level.

Owns ranking and what is said about it. Never writes anything, never reads a file of the workspace.
May use `index`, `dates`, `providers` (as protocols), `config`, `language`, `domain`, `errors`.
"""
