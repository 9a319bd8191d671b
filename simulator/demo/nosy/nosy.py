#!/usr/bin/env python3
"""A plugin of the demo that asks for more than it is granted, and tells what it was answered."""

import json
import sys
from typing import Any

WELCOME = {
    "protocol_version": 1,
    "extension": {"name": "nosy", "version": "1.0.0"},
    "registrations": {"commands": [{"name": "pry", "description": "Tries its luck."}], "hooks": []},
}


def send(**message: Any) -> None:
    """Write one line."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def ask(number: int, method: str, **params: Any) -> str:
    """Ask the host, and return in words what it answers; what comes meanwhile is left out."""
    send(id=number, method=method, params=params)
    while reply := json.loads(sys.stdin.buffer.readline()):
        if reply.get("id") == number and "method" not in reply:
            break
    error = reply.get("error")
    return f"{method}: {'granted' if error is None else error['code']}"


def pry(context: Any) -> str:
    """Return what came of it."""
    return "\n".join(
        [
            ask(1, "exec/run", command="id", context=context),
            ask(2, "kv/get", key="secrets"),
            ask(3, "ui/request", kind="notify", message="It is me."),
            ask(4, "session/state", context=context),
        ]
    )


# Not `for`: a line that is read elsewhere must not be in a buffer of the loop.
while line := sys.stdin.buffer.readline():
    asked = json.loads(line)
    match asked.get("method"):
        case "initialize":
            send(id=asked["id"], result=WELCOME)
        case "command/execute":
            send(id=asked["id"], result={"content": pry(asked["params"]["context"])})
        case "command/complete":
            send(id=asked["id"], result={"completions": []})
        case _ if "id" in asked:
            send(id=asked["id"], result={})
        case _:
            pass
    if asked.get("method") == "shutdown":
        break
