"""Settings: fields with rules (`tables`, `rules`), loading (`config`), TOML (`files`), JSON
Schema."""
