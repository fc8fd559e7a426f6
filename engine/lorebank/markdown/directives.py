"""Directives: the owner's hard rules, one a top-level list item of `bank/directives.md`.

    - Never send a mail without asking first.
    - Prices are in euro,
      always with VAT.

Kept apart from facts and beliefs: no evidence moves them and nothing generated touches them. What
stands in comments, code, private spans or managed blocks is no directive.
"""

from __future__ import annotations

from collections.abc import Iterator

from lorebank.domain import Citation, Directive
from lorebank.markdown.document import Document, Node, read_document
from lorebank.markdown.plain import plain_text


def parse_directives(text: str, path: str) -> tuple[Directive, ...]:
    """The rules of a page in their order; nested items belong to the rule above them."""
    document = read_document(text, path)
    return tuple(_directives(document))


def _directives(document: Document) -> Iterator[Directive]:
    for node, heading in zip(document.nodes, document.headings, strict=True):
        if node.kind != "list":
            continue
        for item in node.children:
            said = " ".join(filter(None, (plain_text(text) for text in _texts(item))))
            if said:
                place = Citation(document.path, item.start + 1, max(item.end, item.start + 1))
                yield Directive(said, place, heading)


def _texts(node: Node) -> Iterator[str]:
    if node.kind in ("paragraph", "heading"):
        yield node.text
    for child in node.children:
        yield from _texts(child)
