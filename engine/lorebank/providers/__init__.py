"""Models as guests: small protocols, a lazy registry. Importing this room imports no model, no
numpy, no pydantic and no httpx; nothing elsewhere needs a provider to work, only to work better.
"""
