"""`bank.Bank`, the face of an open workspace that every interface calls.

One file a subject, of functions that take the open workspace (`workspace`) first and call the rooms
below. `several` asks many banks, `awaited` serves event loops. This package imports none.
"""
