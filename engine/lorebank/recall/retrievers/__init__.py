"""One file a retriever: each takes what was understood and returns one ranking.

A retriever knows nothing of the others; `recall.pipeline` has one row for each.
"""
