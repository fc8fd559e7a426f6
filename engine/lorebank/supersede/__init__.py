"""What a newer line does to an older one, read from the two texts alone: certain or silent. Where a
line hedges, tells of one occasion or names something else, it ends nothing, and the inbox asks.
"""
