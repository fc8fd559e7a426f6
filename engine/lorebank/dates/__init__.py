"""Date phrases in many languages: text and a reference day in, inclusive intervals out.

Owns what a phrase like `since last week`, `27 nov – 1 dec` or `去年11月` means, and what only looks
like a date. Pure: never reads a clock or configuration (`now` is passed in), nor a file but its own
two tables. A language is a module of words under `languages/`, of which `words.tsv` is made; the
rules are shared. May use `domain` and `language`.
"""
