"""Open models that are told by a prefix whether a text is to be found or to search with."""

from __future__ import annotations

from lorebank.providers.protocols import Role

_PREFIXES: tuple[tuple[str, str, str], ...] = (
    ("embeddinggemma", "title: none | text: ", "task: search result | query: "),
    ("nomic-embed-text", "search_document: ", "search_query: "),
    ("mxbai-embed-large", "", "Represent this sentence for searching relevant passages: "),
    ("snowflake-arctic-embed2", "", "query: "),
    ("multilingual-e5", "passage: ", "query: "),
    (
        "qwen3-embedding",
        "",
        "Instruct: Given a web search query, retrieve relevant passages that answer the query\n"
        "Query: ",
    ),
)
"""Part of the model's name, prefix of documents, prefix of queries; from the models' own pages."""


def prefixed(model: str, text: str, role: Role) -> str:
    """The text as that model wants it; unchanged for a model that makes no difference."""
    folded = model.lower().replace("_", "-")
    for name, document, query in _PREFIXES:
        if name in folded:
            return (document if role == "document" else query) + text
    return text
