#!/usr/bin/env python3
"""A first plugin: one tool and one hook, in the dialect `stdio`.

On each line stands one JSON object: requests on stdin, the answers to them on stdout. What is
written to stderr goes to the log of the host.
"""

import json
import sys
from typing import Any

PARSE_ERROR, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32601, -32602

GREET = {
    "name": "greet",
    "description": "Greets somebody by name.",
    "input_schema": {
        "type": "object",
        "properties": {"name": {"type": "string", "description": "Who is greeted."}},
        "required": ["name"],
        "additionalProperties": False,
    },
}


class RefusedError(Exception):
    """What the host is told in place of a result."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def answer(method: str, params: Any) -> Any:
    """Return the result of a request."""
    match method, params:
        case "initialize", _:
            return {"server_version": "1.0.0", "tools": [GREET], "hooks": ["before_message"]}
        case "tools/list", _:
            return {"tools": [GREET]}
        case "tools/call", {"name": "greet", "arguments": {"name": str(name)}}:
            return f"Hello, {name.strip() or 'stranger'}!"
        case "tools/call", _:
            raise RefusedError(INVALID_PARAMS, "there is only the tool greet, which needs a name")
        case "hooks/before_message", {"text": str(text)} if "o/" in text:
            return {"override": {"text": text.replace("o/", "(I wave at you)")}}
        case "hooks/before_message", _:
            return {}  # the message stays as it is
        case _:
            raise RefusedError(METHOD_NOT_FOUND, f"method not found: {method}")


def send(message: dict[str, Any]) -> None:
    """Write one line, at once: the host waits for it."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def read(line: bytes) -> None:
    """Answer what stands on a line."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        send({"id": None, "error": {"code": PARSE_ERROR, "message": "this is not JSON"}})
        return
    match message:
        case {"method": "shutdown"}:
            sys.exit()
        case {"method": str(method), "id": int() | str() as number}:
            try:
                send({"id": number, "result": answer(method, message.get("params"))})
            except RefusedError as error:
                send({"id": number, "error": {"code": error.code, "message": str(error)}})
        case _:
            pass  # nobody waits for an answer


if __name__ == "__main__":
    for each in sys.stdin.buffer:
        read(each)
