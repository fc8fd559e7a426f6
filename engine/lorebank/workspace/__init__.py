"""The files of a workspace: where they are, which are memory, how they are written.

Owns names and dates of files, walking, fingerprints, path checks, atomic writes, the writer lock,
diffs, and the archives by which runs are taken back. Never reads what a file says (that is
`markdown`) and never keeps what it found (that is `index`). Symbolic links are not followed. May
use `settings`, `domain` and `errors`.
"""
