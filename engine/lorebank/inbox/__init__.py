"""The inbox: every judgment the engine will not make by itself, in one list. A verdict is a line in
a ledger that the next sync reads; deleting that line takes it back."""
