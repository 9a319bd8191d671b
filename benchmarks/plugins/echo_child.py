"""A child that answers at once with what it was sent.

Usage: echo_child.py raw|sep|mcp|lsp. Standard library alone. Calls are not parsed: their text and
their id are cut out of the line, so that what takes the time is not the child, but who calls it.
"""

import json
import re
import sys
from typing import Any

_TEXT = re.compile(rb'"text": ?"([^"]*)"')
_ID = re.compile(rb'"id": ?("[^"]*"|\d+)')
_EDGE_BYTES = 100
_SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}
_RESULTS: dict[str, dict[str, Any]] = {
    "sep": {
        "initialize": {
            "protocol_version": 1,
            "extension": {"name": "echo", "version": "1.0.0"},
            "registrations": {
                "tools": [{"name": "echo", "description": "Echoes.", "parameters": _SCHEMA}],
                # Else it would be asked at every hook point, as one that did not say.
                "hooks": ["input"],
            },
        },
        "shutdown": {},
        "ping": {},
    },
    "mcp": {
        "initialize": {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "echo", "version": "1.0.0"},
        },
        "tools/list": {
            "tools": [{"name": "echo", "description": "Echoes.", "inputSchema": _SCHEMA}]
        },
    },
    "lsp": {},
}
_ANSWERS = {
    "sep": b'{"jsonrpc":"2.0","id":%b,"result":{"content":"%b"}}',
    "mcp": b'{"jsonrpc":"2.0","id":%b,"result":{"content":[{"type":"text","text":"%b"}]}}',
    "lsp": b'{"jsonrpc":"2.0","id":%b,"result":{"content":"%b"}}',
}


def _answered(line: bytes, kind: str) -> bytes:
    text = _TEXT.search(line)
    if text is None:
        return _answered_slowly(json.loads(line), kind)
    # It stands before the text or behind it; a long text is not searched for it.
    found = _ID.search(line, 0, _EDGE_BYTES) or _ID.search(line, max(0, len(line) - _EDGE_BYTES))
    assert found is not None
    return _ANSWERS[kind] % (found[1], text[1])


def _answered_slowly(message: dict[str, Any], kind: str) -> bytes:
    if "id" not in message:
        return b""
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    result = _RESULTS[kind].get(message["method"])
    if result is None:
        reply["error"] = {"code": -32601, "message": f"method not found: {message['method']}"}
    else:
        reply["result"] = result
    return json.dumps(reply).encode()


def _echo_lines(kind: str) -> None:
    output = sys.stdout.buffer
    for line in sys.stdin.buffer:
        if answer := _answered(line, kind):
            output.write(answer + b"\n")
            output.flush()


def _echo_with_headers() -> None:
    output = sys.stdout.buffer
    while header := sys.stdin.buffer.readline():
        size = int(header.split(b":")[1])
        while sys.stdin.buffer.readline().strip():
            pass
        answer = _answered(sys.stdin.buffer.read(size), "lsp")
        output.write(b"Content-Length: %d\r\n\r\n%b" % (len(answer), answer))
        output.flush()


def _echo_raw() -> None:
    output = sys.stdout.buffer
    for line in sys.stdin.buffer:
        output.write(line)
        output.flush()


if __name__ == "__main__":
    match sys.argv[1]:
        case "raw":
            _echo_raw()
        case "lsp":
            _echo_with_headers()
        case kind:
            _echo_lines(kind)
