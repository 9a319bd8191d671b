"""A plugin that echoes, written by hand; with the SDK it is `sdk_child.py`.

It does what a careful author does: it checks the arguments, and says what is wrong with a request.
One request is answered after the other.
"""

import json
import sys
from typing import Any

METHOD_NOT_FOUND = -32601
ECHO = {
    "name": "echo",
    "description": "Echo a text.",
    "parameters": {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
        "additionalProperties": False,
    },
}


def answer(method: str, params: Any) -> dict[str, Any] | None:
    """Return the result of a request; `None` if nothing answers it."""
    match method, params:
        case "initialize", _:
            return {
                "protocol_version": 1,
                "extension": {"name": "echo", "version": "1.0.0"},
                "registrations": {"tools": [ECHO], "hooks": []},
            }
        case "tool/execute", {"tool": "echo", "arguments": arguments}:
            return echo(arguments)
        case (("ping" | "shutdown"), _):
            return {}
        case _:
            return None


def echo(arguments: Any) -> dict[str, Any]:
    """Use the tool."""
    match arguments:
        case {"text": str(text), **others} if not others:
            return {"content": text}
        case _:
            return {"content": "echo needs a `text`, and nothing else", "is_error": True}


def take(message: Any) -> None:
    """Answer a request."""
    match message:
        case {"id": number, "method": str(method)}:
            result = answer(method, message.get("params"))
            if result is None:
                error = {"code": METHOD_NOT_FOUND, "message": f"method not found: {method}"}
                send({"id": number, "error": error})
            else:
                send({"id": number, "result": result})
            if method == "shutdown":
                sys.exit()
        case _:
            pass  # nobody waits for an answer


def send(message: dict[str, Any]) -> None:
    """Write one line, at once: the host waits for it."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


for line in sys.stdin.buffer:
    take(json.loads(line))
