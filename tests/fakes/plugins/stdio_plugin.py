"""A small plugin of the wire `stdio`. What it does beyond that, its arguments say.

Runs by itself: `python -ISE stdio_plugin.py WHAT...`.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

WHAT = set(sys.argv[1:])


def send(message: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    sys.stdout.buffer.flush()


def handshake() -> dict[str, Any]:
    return {
        "server_version": "1",
        "tools": [
            {
                "name": "add",
                "description": "Adds.",
                "input_schema": {
                    "type": "object",
                    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                    "required": ["a", "b"],
                },
            },
            {"name": "say", "description": "Says what it was told."},
        ],
        "hooks": ["before_message", "before_tool_call", "after_message"],
    }


def use(name: str, arguments: dict[str, Any]) -> Any:
    if name == "add":
        return {"sum": arguments["a"] + arguments["b"]}
    return arguments


def hook(name: str, params: dict[str, Any]) -> dict[str, Any] | None:
    if name == "before_message":
        if "forbidden" in params["text"]:
            return {"abort": True, "reason": "that word"}
        return {"override": {"text": params["text"].lstrip()}}
    if name == "before_tool_call" and "guards" in WHAT:
        return {"decision": "block", "reason": f"not {params['tool_name']}"}
    if name == "after_message":
        return {"abort": True}
    return None


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        return {"result": handshake()}
    if method == "tools/list":
        return {"result": {"tools": []}}
    if method == "tools/call" and "older" not in WHAT:
        return {"result": use(params["name"], params["arguments"])}
    if method.startswith("tools/") and "older" in WHAT and method != "tools/call":
        return {"result": use(method.removeprefix("tools/"), params)}
    if method.startswith("hooks/"):
        return {"result": hook(method.removeprefix("hooks/"), params)}
    return {"error": {"code": -32601, "message": "no such method"}}


def main() -> None:
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["method"] == "shutdown":
            if "mark" in WHAT:
                Path("said-goodbye").write_text(message["params"]["reason"])
            return
        if "id" in message:
            is_fixed = "fixed" in WHAT and message["method"] == "initialize"
            number = 0 if is_fixed else message["id"]
            send({"id": number, **answer(message["method"], message.get("params") or {})})


main()
os._exit(0)
