"""A small plugin of the wire `sep`; what it does beyond that, its arguments say.

exit-early, no-handshake, bad-handshake, crash-once=FILE, version=N    at the handshake
hooks=A,B  silent-on-hooks  hook=continue|block|modify|hang|error|unknown  patch=JSON
extra          has one tool more
closes-stdout  after the handshake
stays          when its standard input is closed
unkillable     ignores SIGTERM and its shutdown, and has children
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

WHAT = {each.partition("=")[0]: each.partition("=")[2] for each in sys.argv[1:]}
LINES = sys.stdin.buffer
TOOLS = ("say", "crash", "hang", "fail", "ask", "request", "progress", "number")


def send(message: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    sys.stdout.buffer.flush()


def registrations() -> dict[str, Any]:
    schema = {"type": "object", "properties": {"phrase": {"type": "string"}}}
    names = (*TOOLS, *(["extra"] if "extra" in WHAT else []))
    offered: dict[str, Any] = {
        "tools": [
            {"name": name, "description": f"The tool {name}.", "parameters": schema}
            for name in names
        ],
        "commands": [{"name": "greet", "description": "Greets."}],
        "subscriptions": ["turn_start", "session_start", "session_shutdown"],
        "providers": [{"name": "parrot", "models": [{"id": "grey"}]}],
    }
    if "silent-on-hooks" not in WHAT:
        offered["hooks"] = WHAT.get("hooks", "tool_call,input").split(",")
    return offered


def handshake(params: dict[str, Any]) -> dict[str, Any] | None:
    if "exit-early" in WHAT:
        sys.exit(3)
    if "no-handshake" in WHAT:
        return None
    if "bad-handshake" in WHAT:
        return {"result": [1, 2]}
    mark = Path(WHAT.get("crash-once", ""))
    if "crash-once" in WHAT and not mark.exists():
        mark.touch()
        sys.exit(4)
    send({"method": "log", "params": {"level": "info", "message": json.dumps(params)}})
    return {
        "result": {
            "protocol_version": int(WHAT.get("version", "1")),
            "extension": {"name": "fake", "version": "1"},
            "registrations": registrations(),
        }
    }


def ask(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Ask the host, and return its answer as that of a tool."""
    send({"id": "q", "method": method, "params": params})
    while True:
        message = json.loads(LINES.readline())
        if message.get("id") == "q":
            said = {key: message[key] for key in ("result", "error") if key in message}
            return {"result": {"content": json.dumps(said)}}


def use(params: dict[str, Any]) -> dict[str, Any] | None:
    phrase = params["arguments"].get("phrase", "")
    match params["tool"]:
        case "crash":
            os._exit(5)
        case "hang":
            return None
        case "fail":
            return {"error": {"code": -32602, "message": f"no, {phrase}"}}
        case "ask":
            return ask("ui/request", {"kind": "confirm", "prompt": phrase})
        case "request":
            asked = json.loads(phrase)
            return ask(asked["method"], {"context": params["context"], **asked["params"]})
        case "progress":
            update = {"call_id": params["call_id"], "message": "half", "progress": 0.5}
            send({"method": "tool/update", "params": update})
        case "number":
            return {"result": {"content": os.environ.get("NUMBER", "none")}}
    return {"result": {"content": phrase, "details": {"call_id": params["call_id"]}}}


def hook(params: dict[str, Any]) -> dict[str, Any] | None:
    match WHAT.get("hook", "continue"):
        case "hang":
            return None
        case "error":
            return {"error": {"code": -32603, "message": "it broke"}}
        case "unknown":
            return {"error": {"code": -32601, "message": "no such method"}}
        case "block":
            return {"result": {"action": "block", "reason": f"no {params['hook']}"}}
        case "modify":
            return {"result": {"action": "modify", "patch": json.loads(WHAT["patch"])}}
        case action:
            return {"result": {"action": action}}


def command(params: dict[str, Any]) -> dict[str, Any]:
    raw = params["arguments"]["args"]
    if raw == "fail":
        return {"error": {"code": -32602, "message": "not that"}}
    return {"result": {"content": f"hello {raw}" if raw else ""}}


def complete(params: dict[str, Any]) -> dict[str, Any]:
    delta = {"request_id": params["request_id"], "event": {"type": "Delta", "text": "h"}}
    send({"method": "provider/delta", "params": delta})
    return {"result": {"content": "hi"}}


ANSWERS: dict[str, Callable[[dict[str, Any]], dict[str, Any] | None]] = {
    "initialize": handshake,
    "tool/execute": use,
    "hook": hook,
    "command/execute": command,
    "command/complete": lambda params: {
        "result": {"completions": [{"value": f"{params['partial']}-done"}]}
    },
    "provider/complete": complete,
    "ping": lambda _params: {"result": {}},
    "shutdown": lambda _params: None if "unkillable" in WHAT else {"result": {}},
}


def answer(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    if method not in ANSWERS:
        return {"error": {"code": -32601, "message": "no such method"}}
    return ANSWERS[method](params)


def read(message: dict[str, Any]) -> None:
    method = message.get("method")
    if method == "event":
        send({"method": "log", "params": {"level": "info", "message": json.dumps(message)}})
    elif method is not None and "id" in message:
        reply = answer(method, message.get("params") or {})
        if reply is not None:
            send({"id": message["id"], **reply})
        if method == "initialize" and "closes-stdout" in WHAT:
            os.close(1)
            time.sleep(60)


def main() -> None:
    if "unkillable" in WHAT:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for number in range(10):
            subprocess.Popen(["sleep", WHAT["unkillable"]], start_new_session=number == 0)  # noqa: S607
    # Not `for`: a line that a tool reads must not be in a buffer of the loop.
    while line := LINES.readline():
        read(json.loads(line))
    if {"stays", "unkillable"} & WHAT.keys():
        time.sleep(60)


main()
