"""Trust: what is in quarantine, and the lines of `bank/confirmed.md` that let it out.

A confirmation is the owner's decision; nothing is confirmed here on its own account. May use
`markdown`, `workspace`, `database` and below.
"""
