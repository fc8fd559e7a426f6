"""Embedders and chat models behind small protocols, loaded lazily from a registry.

`http` is the only module that uses HTTP. Never reads the workspace or the index; every feature
works without a provider, with lower quality. Importing this room imports no model, no numpy, no
pydantic and no httpx. May use `settings`, `language`, `domain` and `errors`.
"""
