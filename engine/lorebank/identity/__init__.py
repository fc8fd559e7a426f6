"""Identity: when two names are one, and which entity each name stands for.

Owns the comparison of two names (`names`) and the resolution of all names of a workspace under
the decisions of people (`resolve`). Pure: it reads its word tables as package data and never
touches the workspace, the index or a clock. What is uncertain it proposes; it never guesses.
May use `language`, `domain` and `errors`.
"""
