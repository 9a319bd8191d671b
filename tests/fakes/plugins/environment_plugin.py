"""A plugin of the wire `sep` that shows its environment, and ends when it is told to crash."""

import json
import os
import sys
from typing import Any

TOOLS = [{"name": name, "description": name} for name in ("environment", "crash")]


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        return {
            "protocol_version": 1,
            "extension": {"name": "dice", "version": "1"},
            "registrations": {"tools": TOOLS},
        }
    if params.get("tool") == "crash":
        os._exit(5)
    return {"content": json.dumps(dict(os.environ)) if method == "tool/execute" else ""}


for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked and "method" in asked:
        result = answer(asked["method"], asked.get("params") or {})
        reply = {"jsonrpc": "2.0", "id": asked["id"], "result": result}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()
