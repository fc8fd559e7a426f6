"""What the owner lets in and lets go: confirming what is in quarantine, forgetting for good.

Both are decisions of the owner's and stand in Markdown: a line of `bank/confirmed.md`, lines that
are no more, and for what a host's transcripts hold still, lines of `bank/forgotten.md`.
Never decides by itself, never forms an opinion; the callers hold the writer's lock and sync. May
use `reflect` (its kept copies), `index`, `transcripts`, `markdown`, `workspace` and below.
"""
