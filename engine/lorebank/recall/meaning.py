"""Whether a question needs meaning at all.

A question that names only entities, a time or identifiers is answered by words and links; loading
a model for it would only cost time.
"""

from __future__ import annotations

from lorebank.language.words import identifiers, words
from lorebank.recall.understand import Understood


def needs_meaning(understood: Understood) -> bool:
    """Whether words and links alone can not be enough for this question."""
    named = {word for token in identifiers(understood.plain) for word in words(token)}
    return any(term not in named and " " not in term for term in understood.subject_terms)
