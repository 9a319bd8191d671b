"""As small a plugin of the wire `sep` as there can be: it says things, and crashes."""

import json
import os
import sys
from typing import Any

TOOLS = [{"name": "say", "description": ""}, {"name": "crash", "description": ""}]
GREETING = {
    "protocol_version": 1,
    "extension": {"name": "small", "version": "1"},
    "registrations": {"tools": TOOLS},
}


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        return GREETING
    if method == "tool/execute" and params["tool"] == "crash":
        os._exit(5)
    return {"content": params["arguments"]["phrase"]} if method == "tool/execute" else {}


for line in sys.stdin.buffer:
    asked = json.loads(line)
    if "id" in asked and "method" in asked:
        result = answer(asked["method"], asked.get("params") or {})
        reply = {"jsonrpc": "2.0", "id": asked["id"], "result": result}
        sys.stdout.buffer.write(json.dumps(reply).encode() + b"\n")
        sys.stdout.buffer.flush()
