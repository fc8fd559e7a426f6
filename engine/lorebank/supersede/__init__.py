"""What a newer line does to an older one, read from the two texts alone.

Owns what a line says is over (`endings`, with the `[change]` words of the language files) and
whether an older line states that; which property of whom a sentence fixes, of which
one value holds at a time (`properties`, with the patterns of `relations.toml`), and which property
a question asks for (`slots`). It is certain or silent: where a line hedges, tells of one
occasion, or names something else, it ends nothing, and the inbox asks. Pure: no disk but its own
data and the language files, no clock, no index. May use `language`, `languages`, `domain`.
"""
