"""Trust: what is in quarantine, and the lines of `bank/confirmed.md` that let it out."""
