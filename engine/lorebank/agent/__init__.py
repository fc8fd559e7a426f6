"""What an agent is given and what it may write: snippets, core memory, boot pack, flush, hooks."""
