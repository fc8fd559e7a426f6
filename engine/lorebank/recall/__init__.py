"""From a question to cited hits: understanding, retrievers, fusion, budget, evidence level.

Owns ranking and what is said about it. One retriever a file under `retrievers/`; each can be
missing and the answer then names it. Never writes anything, never reads a file of the workspace.
May use `index`, `dates`, `providers` (as protocols), `config`, `language`, `domain`, `errors`.
"""
