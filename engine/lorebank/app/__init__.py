"""`bank.Bank`, a workspace that can be asked, told and reflected upon: what every interface calls.

One file a subject, of functions that take the open workspace (`workspace`) first and call the rooms
below. `several` asks many banks, `awaited` serves event loops. This package imports none.
"""
