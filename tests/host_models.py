"""Loopback models for hosts: they call one tool, then keep what the host delivered of its result.

Each speaks as much of its vendor's streaming protocol as the host reads.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass
class StubModel:
    """What the model will call, and what it was shown."""

    tool: str
    arguments: dict[str, Any]
    address: str = ""
    prefix: str = "memory"
    """What stands in the names of lorebank's tools as the host offers them."""
    delivered: list[str] = field(default_factory=list)
    """Results of the tool, as they stood in the requests."""
    tools: list[str] = field(default_factory=list)
    """Names of lorebank's tools that the host offered."""
    shown: list[str] = field(default_factory=list)
    """What the host's requests said."""

    def answer(self, path: str, request: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """The events of the next answer."""
        self.shown.append(json.dumps(request, ensure_ascii=False))
        return self._messages(request) if "messages" in path else self._responses(request)

    def _offered(self, names: list[str]) -> str | None:
        found = [name for name in names if name.endswith(self.tool) and self.prefix in name]
        self.tools = [name for name in names if self.prefix in name] or self.tools
        return found[0] if found and not self.delivered else None

    def _messages(self, request: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        for message in request["messages"]:
            content = message["content"] if isinstance(message["content"], list) else []
            self._keep(part["content"] for part in content if part["type"] == "tool_result")
        name = self._offered([tool.get("name", "") for tool in request.get("tools", [])])
        block: dict[str, Any] = {"type": "text", "text": ""}
        delta: dict[str, Any] = {"type": "text_delta", "text": "done"}
        if name:
            block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(self.arguments)}
        usage = {"input_tokens": 1, "output_tokens": 1}
        start = {"id": "msg_1", "type": "message", "role": "assistant", "model": "stub"}
        start |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        reason = "tool_use" if name else "end_turn"
        events = [
            {"type": "message_start", "message": start},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage},
            {"type": "message_stop"},
        ]
        return [(event["type"], event) for event in events]

    def _responses(self, request: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        sent = [each for each in request["input"] if each.get("type") == "function_call_output"]
        self._keep(each["output"] for each in sent)
        names = [
            f"{tool.get('name', '')}__{inner['name']}"
            if inner is not tool
            else tool.get("name", "")
            for tool in request.get("tools", [])
            for inner in tool.get("tools", [tool])
        ]
        name = self._offered(names)
        text = [{"type": "output_text", "text": "done", "annotations": []}]
        item: dict[str, Any] = {"type": "message", "id": "m1", "role": "assistant", "content": text}
        if name:
            item = {"type": "function_call", "id": "c1", "call_id": "c1", "name": name}
            item["arguments"] = json.dumps(self.arguments)
            namespace, _, inner = name.rpartition("__")
            if any(tool.get("name") == namespace for tool in request.get("tools", [])):
                item |= {"namespace": namespace, "name": inner}
        done = {"id": "r1", "object": "response", "status": "completed", "output": [item]}
        done["usage"] = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        events = [
            {"type": "response.created", "response": {"id": "r1"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": done},
        ]
        return [(event["type"], event) for event in events]

    def _keep(self, results: Any) -> None:
        for result in results:
            text = result if isinstance(result, str) else "".join(p.get("text", "") for p in result)
            if text not in self.delivered:
                self.delivered.append(text)


@contextmanager
def serving(model: StubModel) -> Iterator[StubModel]:
    """The model at a loopback address while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            request = json.loads(body or b"{}")
            if "count_tokens" in self.path or not {"messages", "input"} & set(request):
                self._send("application/json", b'{"input_tokens": 1}')
                return
            events = model.answer(self.path, request)
            stream = "".join(f"event: {name}\ndata: {json.dumps(e)}\n\n" for name, e in events)
            self._send("text/event-stream", stream.encode())

        def do_GET(self) -> None:
            self._send("application/json", b'{"data": [], "models": []}')

        def _send(self, kind: str, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    model.address = f"http://127.0.0.1:{server.server_port}"
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
