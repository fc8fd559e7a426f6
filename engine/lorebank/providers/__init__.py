"""Models as guests: small protocols, a lazy registry, a table of services.

Owns everything that turns text into vectors, and every chat model that writes, here or over HTTP
(`http.py`, the only module that speaks it). Never reads the workspace or the index, and nothing
elsewhere needs a provider to work, only to work better. Importing this room imports no model, no
numpy, no pydantic and no httpx. May use `settings`, `language`, `domain` and `errors`.
"""
