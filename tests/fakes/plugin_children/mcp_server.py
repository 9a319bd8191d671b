"""A small MCP server on its standard input and output. What it does beyond that, its arguments say.

Runs by itself: `python -ISE mcp_server.py WHAT...`.
"""

import json
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

WHAT = set(sys.argv[1:])
TOOLS = ["say", "told", "environment", "grow", "fail", "refuse", "garble", "flood", "hang", "crash"]
told: list[dict[str, Any]] = []
PREFIX = next((each.partition(":")[2] + "_" for each in WHAT if each.startswith("prefix:")), "")
tools = [] if "bare" in WHAT else [PREFIX + name for name in TOOLS]


def send(message: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    sys.stdout.buffer.flush()


def described(name: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    return {"name": name, "description": f"What {name} does.", "inputSchema": schema}


def listed(cursor: str | None) -> dict[str, Any]:
    if "pages" not in WHAT:
        return {"result": {"tools": [described(name) for name in tools]}}
    page = int(cursor or 0)
    result: dict[str, Any] = {"tools": [described(tools[page])]}
    if page + 1 < len(tools):
        result["nextCursor"] = str(page + 1)
    return {"result": result}


def text(said: str, *, is_error: bool = False) -> dict[str, Any]:
    return {"result": {"content": [{"type": "text", "text": said}], "isError": is_error}}


def use(name: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
    results = {
        "told": text(json.dumps(told)),
        "environment": text(json.dumps({"cwd": str(Path.cwd()), **os.environ})),
        "fail": text("it went wrong", is_error=True),
        "refuse": {"error": {"code": -32602, "message": "no such text"}},
        "hang": None,
    }
    odd_deeds: dict[str, Callable[[], None]] = {
        "grow": grow,
        "garble": garble,
        "flood": flood,
        "crash": lambda: os._exit(3),
    }
    if name in odd_deeds:
        odd_deeds[name]()
    return results.get(name, text(f"{name}: {arguments.get('text')}"))


def grow() -> None:
    tools.append(f"more{len(tools)}")
    for _ in range(50):
        send({"method": "notifications/tools/list_changed"})


def garble() -> None:
    sys.stdout.buffer.write(b"\xff\xfe no words\n\x00\n")


def flood() -> None:
    sys.stdout.buffer.write(b"x" * 17 * 1024 * 1024 + b"\n")


def answer(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    if method == "initialize":
        version = "1999-01-01" if "ancient" in WHAT else params["protocolVersion"]
        info = {"name": "small", "version": "1"}
        return {"result": {"protocolVersion": version, "capabilities": {}, "serverInfo": info}}
    if method == "ping":
        return {"result": {}}
    if method == "tools/list" and "toolless" not in WHAT:
        return listed(params.get("cursor"))
    if method == "tools/call":
        return use(params["name"], params["arguments"])
    return {"error": {"code": -32601, "message": "no such method"}}


def main() -> None:
    if "ends" in WHAT:
        sys.stderr.write("cannot go on\n")
        sys.stderr.flush()
        os._exit(4)
    if "deaf" in WHAT:
        threading.Event().wait()
    for line in sys.stdin.buffer:
        message = json.loads(line)
        reply = answer(message["method"], message.get("params") or {}) if "id" in message else None
        if "id" not in message:
            told.append(message)
        elif reply is not None:
            send({"id": message["id"], **reply})


main()
