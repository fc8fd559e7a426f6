"""Facts as JSONL, one object a line; imported again they are the same facts.

{"id": "f-…", "kind": "opinion", "text": "Prefers tea.", "entities": ["Peter"],
 "subjects": ["Peter"], "confidence": 0.9, "recorded": "2025-11-27", "occurred": null,
 "source": "memory/2025-11-27.md#L4", "origin": "owner", "quarantined": false}
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from lorebank.domain import Fact, Stance


def facts_jsonl(facts: Iterable[Fact]) -> str:
    """One line a fact; "" for none."""
    return "".join(f"{json.dumps(_record(fact), ensure_ascii=False)}\n" for fact in facts)


def _record(fact: Fact) -> dict[str, Any]:
    record: dict[str, Any] = {
        "id": fact.id,
        "kind": fact.kind.value,
        "text": fact.content,
        "entities": list(dict.fromkeys(mention.name for mention in fact.mentions)),
        "subjects": list(dict.fromkeys(m.name for m in fact.mentions if m.subject)),
        "confidence": fact.confidence,
        "recorded": fact.recorded.isoformat() if fact.recorded else None,
        "occurred": fact.occurred.to_dict() if fact.occurred else None,
        "source": str(fact.citation),
        "origin": fact.origin.value,
        "quarantined": fact.quarantined,
    }
    if fact.marks:
        signs = {Stance.FOR: "+", Stance.AGAINST: "-"}
        record["marks"] = [f"{signs[m.stance]}{m.opinion_id}" for m in fact.marks]
    if fact.details:
        record["details"] = list(fact.details)
    return record
