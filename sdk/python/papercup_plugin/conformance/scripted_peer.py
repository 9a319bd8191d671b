#!/usr/bin/env python3
"""A plugin that says what it is told to say, with which a host is tested.

It is run by its path, with a file of JSON: the answer to each method, as the members `result` or
`error` of a message. Whoever tests the host steers it by the command `control` (in the dialect
`stdio`: the tool), whose argument is JSON, and reads what it gives back:

    {"say": [line, ...], "wait": [id, ...]}    writes these lines, and gives back what came then;
                                               "@command", "@event" in a line: such a context
    {"answer": {method: {"result": ...}}}      answers so from now on; with null: not at all
    {"heard": true}                            gives back all that it was told and asked so far
"""

import json
import sys
from pathlib import Path
from typing import Any

_FENCE = "fence"
_MOST_HEARD = 10_000

answers: dict[str, Any] = {}
contexts: dict[str, Any] = {}
heard: list[Any] = []


def write(line: str) -> None:
    """Write one line, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def send(message: dict[str, Any]) -> None:
    """Say a message."""
    write(json.dumps({"jsonrpc": "2.0", **message}))


def read() -> Any:
    """Return the next message of the host's, and remember it."""
    line = sys.stdin.readline()
    if not line:
        sys.exit()
    message = json.loads(line)
    heard.append(message)
    del heard[:-_MOST_HEARD]
    match message:
        case {"params": {"context": {"tier": str(tier)} as context}}:
            contexts[tier] = context
        case _:
            pass
    return message


def say(lines: list[str], wait: list[Any]) -> list[Any]:
    """Write lines, and return the answers that came to them."""
    for line in lines:
        said = line
        for tier, context in contexts.items():
            said = said.replace(f'"@{tier}"', json.dumps(context))
        write(said)
    send({"id": _FENCE, "method": "ping", "params": {}})
    open_ids = {json.dumps(each) for each in (*wait, _FENCE)}
    came: list[Any] = []
    while open_ids:
        message = read()
        if "method" not in message:
            open_ids.discard(json.dumps(message.get("id")))
            came.append(message)
        elif "id" in message:
            serve(message)
    return [each for each in came if each.get("id") != _FENCE]


def control(order: dict[str, Any]) -> Any:
    """Do what whoever tests the host wants."""
    if "say" in order:
        return say(order["say"], order.get("wait", []))
    if "answer" in order:
        answers.update(order["answer"])
        return {}
    return heard


def order_in(method: str, params: Any) -> Any:
    """Return what a request steers; `None`: nothing."""
    match method, params:
        case "command/execute", {"command": "control", "arguments": {"args": str(order)}}:
            return json.loads(order)
        case "tools/call", {"name": "control", "arguments": {"order": str(order)}}:
            return json.loads(order)
        case _:
            return None


def serve(message: dict[str, Any]) -> None:
    """Answer a request."""
    method, number = message["method"], message["id"]
    order = order_in(method, message.get("params"))
    if order is not None:
        given = json.dumps(control(order))
        send({"id": number, "result": {"content": given} if method[0] == "c" else given})
    elif method in answers:
        if answers[method] is not None:
            send({"id": number, **answers[method]})
    else:
        send({"id": number, "error": {"code": -32601, "message": f"method not found: {method}"}})
    if method == "shutdown":
        sys.exit()


def main() -> None:
    """Serve the host until it says farewell."""
    answers.update(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    while True:
        message = read()
        if message.get("method") == "shutdown" and "id" not in message:
            return
        if "method" in message and "id" in message:
            serve(message)


if __name__ == "__main__":
    main()
