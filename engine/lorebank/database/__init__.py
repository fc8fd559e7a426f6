"""The SQLite files: how they are opened, laid out and written.

Owns the driver, `schema.sql` (the index) and `sessions.sql` (the store of conversations). A
statement stands in the room whose tables it reads: `index`, `names`, `trust`, `conversations`.
May use `errors`.
"""
