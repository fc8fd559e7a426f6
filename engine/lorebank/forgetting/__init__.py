"""Forgetting for good: lines cut out of the notes, of the pages made of them and of the index.

`selection` and `conversations` find what an order means; `forget` plans the new bytes of each file,
writes them, scrubs the index and searches every file for what is left; `undo` keeps what was cut
until it is purged. `words` knows it in text and bytes. The callers hold the writer's lock and sync.
May use `conversations` and below.
"""
