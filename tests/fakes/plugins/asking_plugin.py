"""A plugin of the wire `sep` that asks the host for whatever its command `ask` is told to ask.

The command says what came back, in that order; a tool of that name does the same. `CONTEXT` in a
request stands for the context of the call, `OLD` for the first one that the plugin was ever given.
The tool `heard` tells what the plugin was told on the bus.
"""

import json
import sys
from pathlib import Path
from typing import Any

LINES = sys.stdin.buffer
MEMORY = Path(sys.argv[1])
HEARD: list[Any] = []


def send(message: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    sys.stdout.buffer.flush()


def old_context(context: dict[str, str]) -> dict[str, str]:
    """Return the first context of this or an earlier process."""
    if not MEMORY.exists():
        MEMORY.write_text(json.dumps(context))
    return dict(json.loads(MEMORY.read_text()))


def filled(params: dict[str, Any], context: dict[str, str]) -> dict[str, Any]:
    stands_for = {"CONTEXT": context, "OLD": old_context(context)}
    return {
        name: stands_for.get(value, value) if isinstance(value, str) else value
        for name, value in params.items()
    }


def ask(number: int, request: dict[str, Any], context: dict[str, str]) -> Any:
    """Ask, and return what comes back."""
    params = filled(request["params"], context)
    send({"id": number, "method": request["method"], "params": params})
    while True:
        reply = json.loads(LINES.readline())
        if "method" in reply:
            read(reply)
        elif reply["id"] == number:
            return reply.get("result", reply.get("error"))


def use(params: dict[str, Any]) -> str:
    if params["tool"] == "heard":
        return json.dumps(HEARD)
    return ask_all(params["arguments"]["requests"], params["context"])


def ask_all(requests: list[dict[str, Any]], context: dict[str, str]) -> str:
    return json.dumps([ask(number, each, context) for number, each in enumerate(requests, 1)])


def greeting() -> dict[str, Any]:
    names = ("ask", "heard")
    commands = [{"name": "ask", "description": ""}]
    tools = [{"name": name, "description": "", "parameters": {}} for name in names]
    return {
        "protocol_version": 1,
        "extension": {"name": "asking", "version": "1"},
        "registrations": {
            "tools": tools,
            "commands": commands,
            "hooks": [],
            "subscriptions": ["bus/event"],
        },
    }


def read(message: dict[str, Any]) -> None:
    match message:
        case {"method": "initialize", "id": number}:
            send({"id": number, "result": greeting()})
        case {"method": "tool/execute", "id": number, "params": params}:
            send({"id": number, "result": {"content": use(params)}})
        case {"method": "command/execute", "id": number, "params": params}:
            requests = json.loads(params["arguments"]["args"])
            send({"id": number, "result": {"content": ask_all(requests, params["context"])}})
        case {"method": "event", "params": {"event": "bus/event", "payload": payload}}:
            HEARD.append(payload)
        case {"id": number}:
            send({"id": number, "result": {}})


# Not `for`: a line that is read elsewhere must not be in a buffer of the loop.
while line := LINES.readline():
    read(json.loads(line))
