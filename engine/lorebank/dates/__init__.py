"""Date phrases in many languages: text and a reference day in, inclusive intervals out.

Owns what a phrase like `since last week`, `27 nov – 1 dec` or `去年11月` means, and what only looks
like a date. Pure: never reads a clock, a file or configuration (`now` is passed in). A language
is one file of words under `languages/`; the rules are shared. May use `domain` and `language`.
"""
