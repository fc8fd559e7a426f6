"""The examples of `engine/docs/frameworks.md`, run against models that call one tool.

Needs the frameworks, which are not among the project's own dependencies:

    pip install pydantic-ai-slim openai-agents langgraph llama-index-core \
        fastapi
    pytest -W default tests/frameworks    # theirs leave connections to the garbage collector
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter

from lorebank import Answer, Bank, UsageError
from lorebank.tools.functions import BankTools
from support import WORDS_ONLY

PAGE = Path(__file__).parents[2] / "engine" / "docs" / "frameworks.md"
QUESTION = {"query": "what does Peter prefer?"}


@pytest.fixture
def tools(copy_fixture: Callable[[str], Path]) -> Iterator[BankTools]:
    with BankTools(copy_fixture("harbour"), agent="planner", environ=WORDS_ONLY) as opened:
        yield opened


def example(title: str, **names: Any) -> Any:
    """What the example below a heading leaves in `answer`."""
    section = PAGE.read_text("utf-8").split(f"## {title}\n")[1]
    code = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert code is not None
    exec(compile(code[1], f"{PAGE.name}: {title}", "exec"), names)
    return names["answer"]


def test_functions_answer_from_any_thread_and_sign_what_they_write(tools: BankTools) -> None:
    recall, retain = tools.functions("recall", "retain")
    assert "Prefers concise replies" in recall(query="what does Peter prefer?")
    assert "[memory/" in retain(text="Ilse sold the blue kayak to Tomas.")
    assert "origin: agent, by planner" in tools.functions("memory_get")[0](path=str(date.today()))


def test_closing_twice_is_no_error(tools: BankTools) -> None:
    tools.functions("recall")[0]("tea")
    tools.close()
    tools.close()


def test_what_is_refused_is_text(tools: BankTools) -> None:
    (correct,) = tools.functions("correct")
    assert correct(id="f-none", text="x").startswith("error: ")


def test_arguments_are_taken_as_the_server_takes_them(tools: BankTools) -> None:
    recall, retain, forget = tools.functions("recall", "retain", "forget")
    assert " about Ilse [" in retain("Ilse rows on Fridays.", entities="Ilse")
    assert recall(q="what does Peter prefer?", limit="2") == recall("what does Peter prefer?", 2)
    assert recall("Peter", sort="new").endswith("</recalled-from-memory>")
    assert recall("Peter", owner="x").endswith("note: ignored unknown argument owner of recall")
    assert recall("Peter", token_budget="1,500") == recall("Peter", token_budget=1500)
    assert recall("Peter", days="1.000") == recall("Peter", days=1000) == recall("Peter", days=1e3)
    assert recall("Peter", k="1,5").startswith("error: recall: k")
    for refused in (recall("Peter", sinze="2025"), recall("Peter", k="many"), recall()):
        assert refused.startswith("error: recall")
    assert forget(everything=True).startswith("error: forget has no argument 'everything'")


def test_a_name_alone_is_one_name(harbour: Bank) -> None:
    fact = harbour.retain("Rows on Fridays.", entities="Ilse")
    assert [mention.name for mention in fact.mentions] == ["Ilse"]
    hits = harbour.recall("who rows?", entities="Ilse", kinds="world").hits
    assert [hit.id for hit in hits] == [fact.id]
    assert harbour.resolve("Pete", context="Peter") == harbour.resolve("Pete", context=["Peter"])


def test_every_result_goes_through_pydantic_and_back(harbour: Bank) -> None:
    harbour.reflect(now=date(2025, 12, 10))
    opinion = harbour.opinions()[0]
    results = [
        *(opinion, harbour.timeline()[0], harbour.explain(opinion.id), harbour.inbox()),
        *(harbour.recall("what does Peter prefer?"), harbour.entity("Peter"), harbour.lint()),
        *(harbour.agenda(), harbour.status(), harbour.reflect(dry_run=True), harbour.context()),
    ]
    for result in results:
        model = TypeAdapter(type(result))
        assert model.validate_json(model.dump_json(result)) == result


def test_an_answer_is_the_response_of_a_service_and_read_back(harbour: Bank) -> None:
    fastapi = pytest.importorskip("fastapi")
    from fastapi.testclient import TestClient

    given, app = harbour.recall("what does Peter prefer?"), fastapi.FastAPI()
    app.get("/recall", response_model=Answer)(lambda: given)
    assert Answer.from_dict(TestClient(app).get("/recall").json()) == given


def test_an_answer_is_part_of_the_state_of_a_graph(harbour: Bank) -> None:
    pytest.importorskip("langgraph")
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import StateGraph

    class State(BaseModel):
        found: Answer | None = None

    given = harbour.recall("what does Peter prefer?")
    graph = StateGraph(State)
    graph.add_node("recall", lambda state: {"found": given})
    graph.set_entry_point("recall")
    compiled = graph.compile(checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}
    compiled.invoke({}, thread)
    kept = compiled.get_state(thread).values["found"]  # with lists where there were tuples
    assert Answer.from_dict(asdict(kept)) == given


def test_pydantic_ai(tools: BankTools) -> None:
    pytest.importorskip("pydantic_ai")
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        returned = [p for p in messages[-1].parts if p.part_kind == "tool-return"]
        if returned:
            return ModelResponse([TextPart(str(returned[0].content))])
        assert [tool.name for tool in info.function_tools] == ["recall", "retain"]
        return ModelResponse([ToolCallPart("recall", QUESTION)])

    answer = example("Pydantic AI", tools=tools, model=FunctionModel(reply))
    assert "Prefers concise replies" in answer


def test_langgraph(tools: BankTools) -> None:
    pytest.importorskip("langgraph")
    from langchain_core.messages import AIMessage

    def model(state: dict[str, Any]) -> dict[str, Any]:
        last = state["messages"][-1]
        if last.type == "tool":
            return {"messages": AIMessage(last.content)}
        call = {"name": "recall", "args": QUESTION, "id": "1"}
        return {"messages": AIMessage("", tool_calls=[call])}

    assert "Prefers concise replies" in example("LangGraph", tools=tools, model=model)


def test_a_store_of_langgraph(tools: BankTools) -> None:
    pytest.importorskip("langgraph")
    from lorebank.tools.langgraph_store import BankStore

    assert example("A store for LangGraph", tools=tools)[0].value == {"text": "Prefers oat milk."}
    store = BankStore(tools)
    ana, values = ("users", "ana/ü"), {"a b": [1, {"c": None}], "text": 'A "kayak":\n- blue'}
    store.put(ana, "../x.y", values)
    store.put(ana, "two", {"text": "Sold the kayak.", "year": 2024})
    item = store.get(ana, "../x.y")
    assert item is not None and (item.value, item.namespace, item.key) == (values, ana, "../x.y")
    store.put(ana, "../x.y", values | {"text": "A green kayak."})
    assert {i.key for i in store.search(ana, query="kayak")} == {"../x.y", "two"}
    assert [i.key for i in store.search(("users",), filter={"year": 2024})] == ["two"]
    assert store.search(("users", "bo"), query="kayak") == []
    assert store.list_namespaces(prefix=("users",), max_depth=1) == [("users",)]
    store.delete(ana, "two")
    assert store.get(ana, "two") is None and len(store.search(ana)) == 1
    store.put(("users",), "tea", {"text": "Likes green tea."})
    note = tools.run(lambda bank, author: bank.root) / "memory/store/users/tea.md"
    note.write_text("- text: Likes black tea.\n", "utf-8")
    for value in ({"text": "Likes green tea."}, None):
        with pytest.raises(UsageError, match="owner"):
            store.put(("users",), "tea", value)
    mended = store.get(("users",), "tea")
    assert mended is not None and mended.value == {"text": "Likes black tea."}
    with pytest.raises(UsageError, match="secret"):
        store.put(ana, "key", {"deep": ["password: hunter2-Zq9x"]})
    recall = tools.functions("recall")[0]
    assert "A green kayak." in recall("kayak green") and "by planner" in recall("kayak green")


def test_openai_agents(tools: BankTools) -> None:
    agents = pytest.importorskip("agents")
    from openai.types.responses import (
        ResponseFunctionToolCall,
        ResponseOutputMessage,
        ResponseOutputText,
    )

    agents.set_tracing_disabled(True)

    class Stub(agents.Model):  # type: ignore[misc, name-defined]
        async def get_response(self, system_instructions: Any, input: Any, **more: Any) -> Any:
            results = [i for i in input if isinstance(i, dict) and "output" in i]
            if results:
                text = ResponseOutputText(
                    text=str(results[0]["output"]), type="output_text", annotations=[]
                )
                output: Any = ResponseOutputMessage(
                    id="m", content=[text], role="assistant", status="completed", type="message"
                )
            else:
                output = ResponseFunctionToolCall(
                    arguments='{"query": "what does Peter prefer?"}',
                    call_id="1",
                    name="recall",
                    type="function_call",
                )
            return agents.ModelResponse([output], agents.Usage(), None)

        def stream_response(self, *rest: Any, **more: Any) -> Any:
            raise NotImplementedError

    assert "Prefers concise replies" in example("OpenAI Agents SDK", tools=tools, model=Stub())


def test_llama_index(tools: BankTools) -> None:
    pytest.importorskip("llama_index.core")
    assert "Prefers concise replies" in example("LlamaIndex", tools=tools)
