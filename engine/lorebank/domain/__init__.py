"""The model: what every room speaks of, as values by subject, so that a command loads its own."""
