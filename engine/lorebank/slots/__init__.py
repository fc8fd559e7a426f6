"""What a statement fixes: whose which property has which value, read without a model.

Owns the reading of one sentence into slots ("Peter lives in Berlin" → Peter's residence is Berlin)
and the words of each language that it needs (`relations.toml`). It says which property can hold
only one value at a time, so that a newer sentence replaces an older one; it never decides what is
true. Pure: no disk but its own data, no clock, no index. May use `language` and `domain`.
"""
