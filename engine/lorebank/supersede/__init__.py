"""What a newer line does to an older one, read from the two texts alone.

Owns the words of change (the `[change]` sections of the language files), what a line says is over
(`reading`), and whether that speaks of an older line (`relation`). It is certain or silent: where
a line hedges, tells of one occasion, or names something else, it ends nothing, and the inbox asks.
Pure: no disk but the language files, no clock, no index. May use `language`, `languages`, `domain`.
"""
