"""The reflect run: what it reads, plans, writes, logs and can undo.

Owns the run and its journal, undoing and resuming it, proposals, and the facts that are inferred
from prose. May use pages, beliefs, generation, recall and retain.
"""
