"""The JSON Schema of the settings says what the rules say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lorebank.errors import ConfigurationError
from lorebank.settings.config import check_value, get, rules
from lorebank.settings.schema import settings_schema
from lorebank.settings.tables import Config


def _at(key: str) -> dict[str, Any]:
    node = settings_schema()
    for name in key.split("."):
        node = node["properties"][name]
    return node


def _listed(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def test_every_setting_is_in_it_with_its_default_and_what_it_means() -> None:
    assert json.loads(json.dumps(settings_schema())) == settings_schema()
    for key, rule in rules().items():
        node = _at(key)
        assert node["default"] == _listed(get(Config(), key)), key
        assert rule.expects.split()[0] in node["description"], key


def test_what_stands_below_a_field_is_said() -> None:
    assert _at("recall.mmr.lambda") == {
        "type": "number",
        "minimum": 0,
        "maximum": 1,
        "default": 0.7,
        "description": "1 is pure relevance, 0 the greatest diversity. Written `lambda`. "
        "Expected: a number from 0 to 1.",
    }


def test_nothing_else_is_allowed() -> None:
    def tables(node: dict[str, Any]) -> list[dict[str, Any]]:
        below = node.get("properties", {}).values()
        return [node, *(t for child in below for t in tables(child))] if below else []

    assert all(table["additionalProperties"] is False for table in tables(settings_schema()))


@pytest.mark.parametrize(
    ("key", "right", "wrong"),
    [
        ("recall.k", [1, 10_000], [0, 10_001, "5", 1.5, True]),
        ("memory.backend", ["qmd"], ["sum", 3]),
        ("reflect.prior", [0.5, 0.01], [1.0, "x"]),
        ("vector.enabled", [True], ["true", 1]),
        ("memory.qmd.update.interval", ["5m", "1h30m", "0"], ["5", "5 m", "-5m", ""]),
        (
            "memory.qmd.paths",
            [[], [{"path": "/x", "pattern": "*.md"}]],
            [["/x"], [{}], [{"path": 3}], [{"path": "/x", "mask": "*"}]],
        ),
        (
            "memory.scope.rules",
            [[{"action": "allow"}], [{"action": "deny", "match": {"channel": "x"}}]],
            [[{"match": {}}], [{"action": "allow", "match": "x"}], [{"action": 1}]],
        ),
    ],
)
def test_it_refuses_what_the_rules_refuse(key: str, right: list[Any], wrong: list[Any]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = _at(key)
    for value in right:
        check_value(key, value)
        jsonschema.validate(value, schema)
    for value in wrong:
        with pytest.raises(ConfigurationError):
            check_value(key, value)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(value, schema)
