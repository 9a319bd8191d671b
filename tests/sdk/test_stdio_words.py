"""The same plugin, served to a host of the other wire: tools and four hooks."""

import json
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Any

import pytest

from papercup_plugin import CapabilityDisabledError, Context, Plugin, RefusedError, block
from papercup_plugin.serving import Serving


class Host:
    """A host that asks, and is asked nothing."""

    def __init__(self, plugin: Plugin) -> None:
        self.said: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self.serving = Serving(plugin.declared, lambda line: self.said.put(json.loads(line)))
        self.greeting = self.ask("initialize", agent_version="1", extension_id="guard")

    def ask(self, method: str, **params: Any) -> Any:
        """Ask, and return the result, or the error's message."""
        request = {"jsonrpc": "2.0", "id": "x", "method": method, "params": params}
        self.serving.take(json.dumps(request).encode())
        answer = self.said.get(timeout=10)
        while "method" in answer:
            TOLD.append(answer["params"])
            answer = self.said.get(timeout=10)
        return answer["result"] if "result" in answer else answer["error"]["message"]


TOLD: list[Any] = []


@pytest.fixture
def host() -> Iterator[Host]:
    TOLD.clear()
    plugin = Plugin("guard", version="2")

    @plugin.tool
    def add(a: int, b: int = 1) -> dict[str, int]:
        """Add two numbers."""
        return {"sum": a + b}

    @plugin.tool(name="fail")
    def fail() -> None:
        raise RefusedError("not now")

    @plugin.hook("tool_call")
    def gate(event: dict[str, Any], ctx: Context) -> Any:
        return block(f"no {event['tool']}") if ctx.session_id == "chat" else None

    @plugin.hook("tool_result")
    def result(event: dict[str, Any]) -> Any:
        return {"content": event["content"].upper(), "is_error": event["is_error"]}

    @plugin.hook("input")
    def heard(event: dict[str, Any]) -> Any:
        return {"text": event["text"].strip()}

    @plugin.hook("message_end")
    def said(event: dict[str, Any]) -> None:
        TOLD.append(event)

    @plugin.tool
    def ask(ctx: Context) -> str:
        ctx.log.info("told")
        with pytest.raises(CapabilityDisabledError):
            ctx.kv.get("a")
        return str(ctx.ui.confirm("?"))

    @plugin.on("session_shutdown")
    def end(event: dict[str, Any]) -> None:
        TOLD.append(event)

    opened = Host(plugin)
    yield opened
    opened.serving.finish()


def test_it_says_what_it_offers_in_that_hosts_words(host: Host) -> None:
    tool = host.greeting["tools"][0]

    assert (host.greeting["server_version"], len(host.greeting["tools"])) == ("2", 3)
    assert (tool["name"], tool["description"]) == ("add", "Add two numbers.")
    assert tool["input_schema"]["required"] == ["a"]
    assert host.greeting["hooks"] == [
        *("before_message", "after_message", "before_tool_call", "after_tool_call")
    ]
    assert host.ask("tools/list") == {"tools": host.greeting["tools"]}


def test_tools_are_used_in_both_ways(host: Host) -> None:
    arguments = {"a": 2, "b": 3, "_meta": {"session_id": "chat"}}
    assert host.ask("tools/call", name="add", arguments=arguments) == '{"sum": 5}'
    assert host.ask("tools/add", a=2) == '{"sum": 3}'
    assert host.ask("tools/call", name="fail", arguments={}) == "not now"
    assert host.ask("tools/call", name="none", arguments={}) == "there is no tool 'none'"
    assert host.ask("tools/none") == "method not found: tools/none"


def test_hooks_are_asked_in_its_words(host: Host) -> None:
    ids = {"agent_id": "speaker", "session_id": "chat"}
    call = {"tool_name": "Bash", "arguments": {}}
    ended = {"tool_name": "Bash", "duration_ms": 1}

    assert host.ask("hooks/before_tool_call", **ids, **call) == {
        "abort": True,
        "decision": "block",
        "reason": "no Bash",
    }
    assert host.ask("hooks/before_tool_call", **call) == {"abort": False}
    assert host.ask("hooks/before_message", **ids, text=" hi ", source="text") == {
        "abort": False,
        "override": {"text": "hi"},
    }
    assert host.ask("hooks/after_tool_call", **ended, result="ok", error=None) == {
        "abort": False,
        "override": {"result": "OK"},
    }
    assert host.ask("hooks/after_tool_call", **ended, result=None, error="no") == {
        "abort": False,
        "override": {"error": "NO"},
    }
    assert host.ask("hooks/after_message", text="bye", source="text") == {"abort": False}
    assert host.ask("hooks/no_such", text="bye") == "method not found: hooks/no_such"
    assert TOLD == [{"text": "bye", "source": "text", "role": "assistant"}]


def test_nothing_can_be_asked_of_it(host: Host) -> None:
    assert host.ask("tools/call", name="ask", arguments={}) == "False"
    assert TOLD == [{"level": "info", "message": "told"}]


def test_it_is_told_why_it_ends(host: Host) -> None:
    farewell = {"jsonrpc": "2.0", "method": "shutdown", "params": {"reason": "stop"}}
    host.serving.take(json.dumps(farewell).encode())

    assert host.serving.is_ending
    assert host.serving.settled(10)
    assert TOLD == [{"reason": "stop"}]
