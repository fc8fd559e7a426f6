"""The tools as a client sees them: what they promise, answer, write and refuse."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from lorebank import Bank
from lorebank.mcp_server.server import build_server
from support import WORDS_ONLY

Call = Callable[..., Any]
Ask = Callable[..., Any]

TODAY = date(2025, 12, 10)
READING = (True, False, True, False)
"""Hints: read-only, destructive, idempotent, open world."""
HINTS = {
    "recall": READING,
    "entity": READING,
    "opinions": READING,
    "timeline": READING,
    "context": READING,
    "unsure": READING,
    "settle": (False, True, True, False),
    "status": READING,
    "memory_search": READING,
    "memory_get": READING,
    "retain": (False, False, False, False),
    "remember": (False, False, False, False),
    "memory_write": (False, True, False, False),
    "reflect": (False, False, True, False),
}


def _text(result: Any) -> str:
    return str(result.content[0].text)


def test_every_tool_says_what_it_does_to_the_world(ask: Ask) -> None:
    tools = ask(lambda client: client.list_tools()).tools
    hints = {
        tool.name: (
            tool.annotations.read_only_hint,
            tool.annotations.destructive_hint,
            tool.annotations.idempotent_hint,
            tool.annotations.open_world_hint,
        )
        for tool in tools
    }
    assert hints == HINTS


def test_every_tool_publishes_closed_input_and_an_output_schema(ask: Ask) -> None:
    for tool in ask(lambda client: client.list_tools()).tools:
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema["type"] == "object"
        assert "\n  " not in tool.description
        for name, schema in tool.input_schema["properties"].items():
            assert "description" in schema or schema["type"] == "boolean", (tool.name, name)


def test_recall_answers_with_text_and_the_envelope_of_the_command_line(
    call: Call, workspace: Path
) -> None:
    result = call("recall", query="what does Peter prefer?", k=1)
    with Bank.open(workspace, now=TODAY, environ=WORDS_ONLY) as bank:
        expected = bank.recall("what does Peter prefer?", k=1).to_dict()
    assert {**result.structured_content, "index": None} == {**expected, "index": None}
    assert _text(result).startswith(
        "<recalled-from-memory>\n1. Peter: Prefers concise replies (<1500 chars) on WhatsApp;"
        " whatever is longer belongs in a file. (opinion, 2025-11-27, c=0.86)"
        " [memory/2025-11-27.md#L15]\nevidence: strong"
    )


CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("recall", {"query": "what does Peter prefer?"}, "hits"),
    ("unsure", {}, "pairs"),
    ("entity", {"name": "Peter", "token_budget": 800}, "facts"),
    ("opinions", {"entity": "Peter"}, "opinions"),
    ("timeline", {"since": "2025-12-01", "limit": 2}, "facts"),
    ("context", {"token_budget": 400}, "parts"),
    ("status", {}, "counts"),
    ("memory_search", {"query": "power supply"}, "results"),
    ("memory_get", {"path": "memory/2025-12-09.md", "start_line": 1, "lines": 2}, "text"),
    ("retain", {"text": "Likes tea.", "entities": ["Peter"], "kind": "opinion"}, "fact"),
    ("remember", {"text": "Remember that the key hangs in the shed"}, "source"),
    ("memory_write", {"action": "append", "text": "- One line."}, "tokens"),
    ("reflect", {}, "diff"),
]


@pytest.mark.parametrize(("tool", "arguments", "key"), CALLS, ids=[row[0] for row in CALLS])
def test_the_structured_result_fits_the_published_schema(
    call: Call, tool: str, arguments: dict[str, Any], key: str
) -> None:
    result = call(tool, **arguments)
    assert not result.is_error
    assert result.structured_content[key]
    assert _text(result)


def _unpublished(value: Any, schema: dict[str, Any], defs: dict[str, Any], at: str) -> list[str]:
    """Keys of a result that its schema does not name."""
    if "$ref" in schema:
        schema = defs[schema["$ref"].removeprefix("#/$defs/")]
    if isinstance(value, list) and value:
        return _unpublished(value[0], schema.get("items", {}), defs, f"{at}[]")
    if not isinstance(value, dict) or "properties" not in schema:
        return []
    known = schema["properties"]
    found = [f"{at}.{key}" for key in value if key not in known]
    for key in value.keys() & known.keys():
        found += _unpublished(value[key], known[key], defs, f"{at}.{key}")
    return found


@pytest.mark.parametrize(("tool", "arguments", "key"), CALLS, ids=[row[0] for row in CALLS])
def test_the_published_schema_names_every_key(
    call: Call, ask: Ask, tool: str, arguments: dict[str, Any], key: str
) -> None:
    del key
    tools = ask(lambda client: client.list_tools()).tools
    schema = next(each.output_schema for each in tools if each.name == tool)
    result = call(tool, **arguments).structured_content
    assert _unpublished(result, schema, schema.get("$defs", {}), tool) == []


ERRORS: list[tuple[str, dict[str, Any], str]] = [
    ("entity", {"name": "Petr"}, "error: no entity 'Petr'\nhint: nearest: Peter"),
    (
        "recall",
        {"query": "x", "sinze": "7d"},
        "error: recall has no argument 'sinze'\nhint: did you mean since?",
    ),
    (
        "recall",
        {"query": "x", "since": "someday"},
        "error: --since 'someday' is not a date that can be understood\n"
        "hint: use 2025-11-27, 30d, 'last week' or 'November 2025'",
    ),
    (
        "recall",
        {"query": "x", "k": 0},
        "error: recall: k: input should be greater than or equal to 1\n"
        "hint: see the tool's input schema",
    ),
    (
        "memory_get",
        {"path": "../secret.md"},
        "error: '../secret.md' leads upwards\n"
        "hint: give a Markdown file as recall cites it, such as memory/2025-11-27.md",
    ),
]


@pytest.mark.parametrize(("tool", "arguments", "expected"), ERRORS)
def test_errors_are_results_with_a_hint(
    call: Call, tool: str, arguments: dict[str, Any], expected: str
) -> None:
    result = call(tool, **arguments)
    assert (result.is_error, _text(result)) == (True, expected)
    assert result.structured_content is None, "clients hold it to the schema of a success"


OUTSIDE = [
    "../secret.md",
    "memory/../../secret.md",
    "/etc/passwd",
    "~/secret.md",
    "file:///etc/passwd",
    "memory/link.md",
    "memory/linked/secret.md",
    "%2e%2e/secret.md",
    "memory/%2e%2e%2f%2e%2e%2fsecret.md",
    "memory/..%252f..%252fsecret.md",
    "memory/\uff0e\uff0e/secret.md",
    "memory/2025-12-09.md\x00.txt",
    "memory/\u202emd.x",
    "..\\secret.md",
    "\\\\host\\share\\secret.md",
    "//host/share/secret.md",
    "C:\\secret.md",
    "C:secret.md",
    ".memory/index.sqlite",
    ".memory/config.toml",
    "memory",
    "memory/",
    "",
    ".",
    "memory/" + "a/" * 5000 + "x.md",
    "memory/" + "a" * 100_000 + ".md",
    "\ud800.md",
]
"""Paths that a model under somebody else's influence may ask for."""


@pytest.mark.parametrize("path", OUTSIDE, ids=ascii)
def test_f43_nothing_outside_the_memory_is_ever_read(
    call: Call, workspace: Path, path: str
) -> None:
    secret = workspace.parent / "secret.md"
    secret.write_text("the secret")
    (workspace / "memory/link.md").symlink_to(secret)
    (workspace / "memory/linked").symlink_to(workspace.parent)
    for start_line, lines in ((None, None), (1, 1), (10**9, 10**9)):
        result = call("memory_get", path=path, start_line=start_line, lines=lines)
        assert (result.is_error, result.structured_content) == (True, None)
        assert _text(result).startswith("error: ")
        assert "secret\n" not in _text(result) and "root:" not in _text(result)
        assert len(_text(result)) < 1000


def test_what_one_tool_writes_another_recalls(call: Call, workspace: Path) -> None:
    written = call("retain", text="The spare oars are in the blue shed.", entities=["Harbour"])
    source = written.structured_content["fact"]["source"]
    assert source == "memory/2025-12-10.md#L4"
    hits = call("recall", query="where are the oars?").structured_content["hits"]
    assert hits[0]["source"] == source
    log = (workspace / "memory/2025-12-10.md").read_text()
    assert log.endswith("- W @Harbour: The spare oars are in the blue shed. (origin: agent)\n")


def test_reflect_writes_only_when_told(call: Call, workspace: Path) -> None:
    dry = call("reflect").structured_content
    assert (dry["dry_run"], (workspace / "bank").exists()) == (True, False)
    done = call("reflect", dry_run=False).structured_content
    assert (done["dry_run"], done["changed"]) == (False, dry["changed"])
    assert (workspace / "bank/entities/Peter.md").exists()


def test_f02_f44_without_memory_search_both_tools_are_gone(workspace: Path) -> None:
    import asyncio

    server, banks = build_server(
        lambda: Bank.open(workspace, environ=WORDS_ONLY), memory_tools=False
    )

    async def names() -> set[str]:
        async with Client(server) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert asyncio.run(names()) == set(HINTS) - {"memory_search", "memory_get"}
    banks.close()


def test_resources_and_prompts(ask: Ask) -> None:
    async def read(client: Client) -> list[str]:
        templates = (await client.list_resource_templates()).resource_templates
        listed = [str(r.uri) for r in (await client.list_resources()).resources]
        listed += [template.uri_template for template in templates]
        listed += [prompt.name for prompt in (await client.list_prompts()).prompts]
        return listed

    assert ask(read) == [
        "lorebank://opinions",
        "lorebank://entity/{slug}",
        "lorebank://log/{date}",
        "log_today",
        "review_reflection",
        "settle_unsure",
    ]


@pytest.mark.parametrize(
    ("uri", "begins"),
    [
        (
            "lorebank://entity/peter",
            "# Peter\nperson, 13 facts, 2025-11-18 to 2025-12-09\n\n## Now\n- ",
        ),
        ("lorebank://opinions", "- o-9475e56d c=0.86 strengthening Peter: "),
        ("lorebank://log/2025-12-09", "# Tuesday\n"),
    ],
)
def test_a_resource_is_a_page_of_markdown(ask: Ask, uri: str, begins: str) -> None:
    (page,) = ask(lambda client: client.read_resource(uri)).contents
    assert (page.mime_type, page.text[: len(begins)]) == ("text/markdown", begins)


def test_an_unknown_resource_names_what_is_near(ask: Ask) -> None:
    async def read(client: Client) -> str:
        with pytest.raises(MCPError) as caught:
            await client.read_resource("lorebank://entity/petr")
        return str(caught.value)

    assert ask(read) == "no entity 'petr'; nearest: Peter"


def test_entity_is_the_answer_of_the_command_line_inside_its_budget(
    call: Call, workspace: Path
) -> None:
    result = call("entity", name="peter", token_budget=4000)
    with Bank.open(workspace, now=TODAY, environ=WORDS_ONLY) as bank:
        expected = bank.entity("Peter", token_budget=4000).to_dict()
    assert result.structured_content == expected
    text = _text(result)
    assert [line for line in text.split("\n") if line.startswith("## ")] == [
        "## Now",
        "## Opinions",
        "## Facts",
        "## Named in",
        "## Related",
    ]
    small = call("entity", name="peter", token_budget=200)
    assert small.structured_content["tokens"] <= 200 < result.structured_content["tokens"]
    assert small.structured_content["truncated"]
    assert _text(small).endswith("raise token_budget or narrow since and until")


def test_todays_prompt_holds_the_focus(ask: Ask) -> None:
    today = ask(lambda client: client.get_prompt("log_today", {"focus": "the relay"})).messages[0]
    assert today.content.text.endswith("Mind above all: the relay")


def test_an_agent_reviews_a_reflection_hunk_by_hunk(workspace: Path, call: Call, ask: Ask) -> None:
    dry = call("reflect")
    hunks = dry.structured_content["hunks"]
    review = ask(lambda client: client.get_prompt("review_reflection", {})).messages[0]
    assert all(f"{hunk['id']} {hunk['path']}" in review.content.text for hunk in hunks)
    assert all(hunk["id"] in _text(dry) for hunk in hunks)
    by_page = {hunk["path"]: hunk["id"] for hunk in hunks}
    wrong, right = by_page["bank/entities/Maya.md"], by_page["bank/entities/Peter.md"]

    only = call("reflect", accept=[right, "h-unknown"])
    assert only.structured_content["changed"] == ["bank/entities/Peter.md"]
    assert (right in _text(only), wrong in _text(only)) == (True, False)
    assert "h-unknown is not proposed" in _text(only)
    assert not (workspace / "bank").exists(), "a dry run writes nothing"

    done = call("reflect", dry_run=False, reject=[wrong]).structured_content
    assert (done["rejected"], done["run"]) == (1, "2025-12-10-1")
    assert (workspace / "bank/entities/Peter.md").exists()
    assert not (workspace / "bank/entities/Maya.md").exists()
    again = call("reflect").structured_content
    assert wrong not in [hunk["id"] for hunk in again["hunks"]]


def test_an_agent_settles_a_pair_of_the_unsure_queue(workspace: Path, call: Call, ask: Ask) -> None:
    (pair,) = call("unsure").structured_content["pairs"]
    prompt = ask(lambda client: client.get_prompt("settle_unsure", {}))
    assert pair["fact"]["id"] in prompt.messages[0].content.text
    ids = {"fact": pair["fact"]["id"], "opinion": pair["opinion"]}
    ruling = call("settle", **ids, stance="for", reason="praise").structured_content
    assert ruling["opinion"]["confidence"] > ruling["before"]
    assert f"{ids['fact']} for {ids['opinion']}" in (workspace / "bank/evidence.md").read_text()
    assert call("unsure").structured_content == {"pairs": [], "total": 0}


@pytest.mark.parametrize(("citations", "cites"), [(True, "Cite the"), (False, "do not cite")])
def test_f97_the_instructions_say_whether_to_cite(
    workspace: Path, citations: bool, cites: str
) -> None:
    server, banks = build_server(
        lambda: Bank.open(workspace, environ=WORDS_ONLY), citations=citations
    )
    assert cites in (server.instructions or "")
    banks.close()
