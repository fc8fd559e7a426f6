"""Settings: `tables` with a `rules` entry for each field, loading (`config`), TOML files (`files`),
JSON Schema (`schema`), import from OpenClaw (`openclaw`).
"""
