"""Date phrases in many languages: text and a reference day in, inclusive intervals out.

Owns what a phrase like `since last week`, `27 nov – 1 dec` or `去年11月` means, and what only looks
like a date. Pure: never reads a clock or configuration (`now` is passed in). The words are those of
the `[dates]` sections in `lorebank.languages`; the rules are shared by all languages.
"""
