"""Forgetting for good: lines cut out of the notes, of the pages made of them and of the index. The
callers hold the writer's lock and sync."""
