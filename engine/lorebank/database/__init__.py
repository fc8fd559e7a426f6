"""The SQLite files: driver, schemas, transactions.

Owns `schema.sql` (the index) and `sessions.sql` (conversations). Queries are in the rooms that own
the tables: `index`, `names`, `trust`, `conversations`. May use `errors`.
"""
