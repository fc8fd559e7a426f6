"""The reflect run: what it reads, plans, writes, logs and can undo; and facts out of prose."""
