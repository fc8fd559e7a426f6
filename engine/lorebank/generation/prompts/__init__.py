"""Words for chat models, as text files: `<job>.md`, the standing orders above a line `---`, then
what is asked, with `{{places}}` for values.

Owns no model and no check: what comes back is judged by those who asked. May use `errors` only.
"""
