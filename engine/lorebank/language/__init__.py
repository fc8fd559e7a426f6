"""Words and letters: folding, slugs, tokens, stop words, token estimates.

Pure. Index and query go through the same functions here, so that what is written in one case,
width, accent or script form is found in another. Never touches disk (its word lists are read as
package data), clock or configuration; may use only `domain` and `errors`.
"""
