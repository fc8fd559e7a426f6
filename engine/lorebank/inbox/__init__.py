"""The inbox: every judgment the engine will not make by itself, in one list with one way to rule.

Owns the sources of items (one module a kind), their order, and the ledger lines that verdicts
become. It computes no belief and no page: a verdict is a line in a ledger that the next sync reads,
so deleting that line takes the verdict back. May use `reflect`, `custody` and what is below.
"""
