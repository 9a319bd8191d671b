"""A plugin of the wire `sep` that does one thing wrongly: the one that its argument names."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
LINES = sys.stdin.buffer
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
}
TOOL_ERRORS = {"tool-fails": "KeyError: 7", "tool-complains": "a\n" * 2000, "tool-is-mute": " "}
TOOL: dict[str, Any] = {"name": "say", "description": "Says it.", "parameters": SCHEMA}


def send(message: dict[str, Any]) -> None:
    version = "1.0" if FAULT == "jsonrpc" else "2.0"
    line = json.dumps({"jsonrpc": version, **message})
    match FAULT:
        case "no-line-end":
            write(line)
        case "byte-order-mark":
            write(f"\ufeff{line}\n")
        case _:
            write(f"{line}\n")


def write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def greeting(params: Any) -> Any:
    version = params["protocol_version"] if FAULT == "echoes-version" else 1
    offered: dict[str, Any] = {
        "tools": [TOOL],
        "commands": [{"name": "greet", "description": "Greets."}],
        "hooks": ["tool_call"],
    }
    match FAULT:
        case "undeclared-tool":
            offered["tools"] = [TOOL, {**TOOL, "name": "other"}]
        case "no-schema":
            offered["tools"] = [{"name": "say", "description": "Says it."}]
        case "says-no-hooks":
            del offered["hooks"]
        case "wrong-schema":
            offered["tools"] = [{**TOOL, "parameters": {"properties": {"text": {"type": "txt"}}}}]
        case "requires-unnamed":
            offered["tools"] = [{**TOOL, "parameters": {**SCHEMA, "required": ["x"]}}]
        case "many-tools":
            offered["tools"] = [{**TOOL, "name": f"say{number}"} for number in range(300)]
        case "tools-fail":
            offered["tools"] = [{**TOOL, "name": f"say{number}"} for number in range(13)]
        case "unknown-event":
            offered["subscriptions"] = ["turn_ended"]
    about = {"name": "other" if FAULT == "other-name" else "broken", "version": "1.0.0"}
    result = {"protocol_version": version, "extension": about, "registrations": offered}
    if FAULT == "strict" and "nobody_knows_this" in params:
        raise ValueError("what is this?")
    return {} if FAULT == "empty-greeting" else result


def ask(method: str, params: Any) -> Any:
    """Ask the host, and wait for the answer; what else comes meanwhile is lost."""
    send({"id": "q", "method": method, "params": params})
    while (message := json.loads(LINES.readline())).get("id") != "q" or "method" in message:
        pass
    return message


def use(params: Any) -> Any:
    if params["tool"] != "say":
        if FAULT == "any-tool":
            return {"content": ""}
        if params["tool"] == "say12":
            return {}
        raise LookupError("no such tool")
    text = params["arguments"]["text"]
    if not isinstance(text, str):
        raise TypeError("text")
    if FAULT == "tool-refuses":
        raise ValueError(text)
    if FAULT in TOOL_ERRORS:
        return {"content": TOOL_ERRORS[FAULT], "is_error": True}
    if FAULT in QUESTIONS:
        method, params = QUESTIONS[FAULT]
        send({"id": "q", "method": method, "params": params})
    return used(text)


def used(text: str) -> Any:
    match FAULT:
        case "deaf":
            ask("kv/get", {"key": "a"})
        case "prints":
            write("a word\n")
        case "no-content":
            return {"text": text}
        case "extra":
            return {"content": text, "more": 1}
        case "not-a-number":
            return {"content": text, "details": float("nan")}
        case "crashes":
            sys.stderr.write("a part is broken\n")
            os._exit(3)
        case "hangs":
            time.sleep(60)
    return {"content": text}


def nested_widget() -> Any:
    block: Any = {"kind": "markdown", "text": "text"}
    for _ in range(250):
        block = {"kind": "stack", "children": [block]}
    return {"kind": "set_widget", "widget": block}


QUESTIONS: dict[str, tuple[str, Any]] = {
    "undeclared-question": ("ui/request", {"kind": "confirm", "prompt": "?"}),
    "wrong-question": ("kv/set", {"value": 1}),
    "strange-question": ("ui/request", {"kind": "notify", "message": "a", "prompt": "a"}),
    "empty-question": ("ui/request", {"kind": "select", "prompt": "?", "options": []}),
    "forbidden-question": ("session/state", {"context": {"token": "t", "tier": "event"}}),
    "run": ("exec/run", {"command": "ls", "context": {"token": "t", "tier": "event"}}),
    "unknown-question": ("kv/steal", {}),
    "nested": ("ui/request", nested_widget()),
}


def outcome() -> Any:
    match FAULT:
        case "outcome":
            return {"action": "dance"}
        case "no-reason":
            return {"action": "block"}
        case "wrong-patch":
            return {"action": "modify", "patch": {"arguments": "text"}}
        case "vain-patch":
            return {"action": "modify", "patch": {"txt": "text"}}
        case _:
            return {"action": "continue"}


def answer(method: str, params: Any) -> Any:  # noqa: PLR0911 - one for each method
    match method:
        case "initialize":
            return greeting(params)
        case "ping":
            return None if FAULT == "null-ping" else {}
        case "tool/execute":
            return use(params)
        case "command/execute":
            if params["command"] != "greet":
                raise LookupError("no such command")
            return {"content": "hello"}
        case "command/complete":
            found = [{"description": "a"}] if FAULT == "completion" else []
            return {
                "completions": [{"value": "a"}] * 10_000 if FAULT == "completes-much" else found
            }
        case "hook":
            return outcome()
        case "shutdown":
            return {}
        case _:
            raise KeyError(method)


def failure(error: Exception) -> dict[str, Any]:
    is_unknown = isinstance(error, KeyError) and FAULT != "wrong-code"
    code = -32601 if is_unknown and "/" in str(error.args[0]) else -32602
    return {"code": -32601 if is_unknown and "\0" in str(error.args[0]) else code, "message": "no"}


def read(message: Any) -> None:
    method, number = message.get("method"), message.get("id")
    if method is not None and number is not None:
        serve(method, number, message.get("params"))
        return
    match FAULT, method:
        case "answers-notifications", "nobody/tells_this":
            send({"id": 1, "result": {}})
        case "dies-of-events", "event":
            os._exit(4)
        case "errors-to-nobody", "event":
            send({"id": None, "error": {"code": -32601, "message": "no"}})


def given_back(method: str, number: Any) -> Any:
    if FAULT == "ids" and number == 2**53 - 1:
        return number + 1
    return str(number) if FAULT == "text-id" and method == "ping" else number


def serve(method: str, number: Any, params: Any) -> None:
    if FAULT == "mute" and method not in {"initialize", "ping", "shutdown"}:
        return
    number = given_back(method, number)
    also: dict[str, Any] = {}
    if FAULT == "both" and method == "tool/execute":
        also = {"error": {"code": -32603, "message": "no"}}
    try:
        send({"id": number, "result": answer(method, params), **also})
    except (LookupError, TypeError, ValueError) as error:
        if FAULT != "silent-errors":
            send({"id": number, "error": failure(error)})
    if FAULT == "ends-by-itself" and method == "ping":
        os._exit(0)
    if FAULT == "twice" and method == "tool/execute":
        send({"id": number, "result": {"content": "again"}})
    if method == "shutdown" and FAULT != "stays":
        sys.exit(7 if FAULT == "exit-code" else 0)


def begin() -> None:
    match FAULT:
        case "no-start":
            sys.stderr.write("it lacks a part\n")
            sys.exit(5)
        case "leaves":
            subprocess.Popen(["/usr/bin/env", "sleep", "60"], start_new_session=True)
        case "floods":
            while True:
                write("something else\n" * 1000)
        case "writes":
            Path("made.txt").touch()
        case "complains":
            sys.stderr.write("x" * 2_000_000)


def main() -> None:
    begin()
    while line := LINES.readline():
        if FAULT == "short-lines" and len(line) > 1 << 20:
            sys.exit(6)
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            if FAULT == "dies-of-garbage":
                sys.exit(8)
            continue
        if isinstance(message, dict):
            read(message)
    if FAULT in {"stays", "stays-without-host"}:
        time.sleep(60)


main()
