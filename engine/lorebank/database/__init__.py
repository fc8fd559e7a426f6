"""The SQLite files: how they are opened, laid out and written. A statement stands in the room whose
tables it reads: `index`, `names`, `trust`, `conversations`.
"""
