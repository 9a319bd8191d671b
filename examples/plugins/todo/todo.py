#!/usr/bin/env python3
"""Keeps a list of things to do: tools, a command and a widget with keys, in the dialect `sep`.

On each line of stdin and stdout stands one JSON-RPC message. What asks the host for something runs
in a thread of its own, as the answer comes on stdin like all else.
"""

import itertools
import json
import sys
import threading
import traceback
from queue import SimpleQueue
from typing import Any

PARSE_ERROR, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32601, -32602, -32603

MOST_ITEMS = 20
LONGEST_ITEM = 100

Items = list[dict[str, Any]]


class RefusedError(Exception):
    """What is answered in place of a result: by us, or by the host."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


# --- The list. ----------------------------------------------------------------------------------

changing = threading.Lock()
"""Held by whoever changes the list, so that no two changes get in each other's way."""


def change(action: str, what: str) -> str:
    """Change the list, keep it, have people shown it, and return how it is now."""
    with changing:
        items: Items = ask("kv/get", key="items")["value"] or []
        items = changed(items, action, what)
        ask("kv/set", key="items", value=items)
        ask("ui/request", kind="set_widget", widget=widget(items))
    return in_words(items)


def changed(items: Items, action: str, what: str) -> Items:
    """Return the list after a change.

    Raises:
        RefusedError: If it cannot be changed like that.
    """
    match action:
        case "add" if not what.strip() or len(what) > LONGEST_ITEM:
            raise RefusedError(INVALID_PARAMS, f"an item has 1 to {LONGEST_ITEM} characters")
        case "add" if len(items) >= MOST_ITEMS:
            raise RefusedError(INVALID_PARAMS, f"the list is full: {MOST_ITEMS} are the most")
        case "add":
            return [*items, {"text": what.strip(), "done": False}]
        case "finish" if any(item["text"] == what for item in items):
            return [item | {"done": item["done"] or item["text"] == what} for item in items]
        case "finish":
            raise RefusedError(INVALID_PARAMS, f"there is no item {what!r}")
        case "clear":
            return [item for item in items if not item["done"]]
        case _:
            return items


def in_words(items: Items) -> str:
    """Return the list as models and people read it."""
    return "\n".join(f"{mark(item)} {item['text']}" for item in items) or "The list is empty."


def mark(item: dict[str, Any]) -> str:
    """Return what stands before an item."""
    return "☑" if item["done"] else "☐"


def widget(items: Items) -> dict[str, Any]:
    """Return the list as it is drawn; each item that is open has a key that finishes it."""
    finished = sum(item["done"] for item in items)
    drawn = [
        {"kind": "progress", "label": "Done", "value": finished / max(len(items), 1)},
        # Not markdown, in which what people wrote could look like something else.
        {
            "kind": "table",
            "columns": ["", "to do"],
            "rows": [[mark(item), item["text"]] for item in items],
        },
    ]
    keys = [
        {"key": f"finish {item['text']}", "description": f"✓ {item['text']}"}
        for item in items
        if not item["done"]
    ]
    if finished:
        keys.append({"key": "clear", "description": "Clear"})
    return {
        "kind": "widget",
        "widget_id": "list",
        "body": {"kind": "stack", "children": drawn},
        "keybindings": keys,
        "text": in_words(items),  # for a place that draws no widgets
    }


# --- What the host asks and tells. --------------------------------------------------------------

TEXT = {
    "type": "object",
    "properties": {"item": {"type": "string", "minLength": 1, "maxLength": LONGEST_ITEM}},
    "required": ["item"],
    "additionalProperties": False,
}
NOTHING: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
WELCOME: dict[str, Any] = {
    "protocol_version": 1,
    "extension": {"name": "todo", "version": "1.0.0"},
    "registrations": {
        "tools": [
            {"name": "add", "description": "Puts an item on the to-do list.", "parameters": TEXT},
            {
                "name": "finish",
                "description": "Ticks an item off, by its text.",
                "parameters": TEXT,
            },
            {"name": "show", "description": "Shows the to-do list.", "parameters": NOTHING},
        ],
        "commands": [{"name": "todo", "description": "Puts something on the list, or shows it."}],
        "hooks": [],  # a plugin that does not say so is asked at every point
    },
}


def answer(method: str, params: Any) -> Any:  # noqa: PLR0911 - one for each method
    """Return the result of a request."""
    match method, params:
        case "initialize", _:
            return WELCOME
        case "ping" | "shutdown", _:
            return {}
        case "tool/execute", {"tool": "show"}:
            return {"content": change("show", "")}
        case "tool/execute", {"tool": "add" | "finish" as tool, "arguments": {"item": str(item)}}:
            return {"content": change(tool, item)}
        case "command/execute", {"command": "todo", "arguments": {"args": str(raw)}}:
            return {"content": change("add" if raw.strip() else "show", raw)}
        case "command/complete", {"command": "todo"}:
            return {"completions": []}
        case "hook", _:
            return {"action": "continue"}  # there are hosts that ask all the same
        case "tool/execute" | "command/execute" | "command/complete", _:
            raise RefusedError(INVALID_PARAMS, "there is no such tool or command, or not so")
        case _:
            raise RefusedError(METHOD_NOT_FOUND, f"method not found: {method}")


def press(key: str) -> None:
    """Do what the key of a widget stands for."""
    action, _, what = key.partition(" ")
    try:
        change(action, what)
    except RefusedError as error:
        tell("log", level="warn", message=f"the key was pressed in vain: {error}")


# --- The wire. ----------------------------------------------------------------------------------

writing = threading.Lock()
numbers = itertools.count(1)
waiting: dict[int, SimpleQueue[Any]] = {}
"""Where the answer to each question of ours goes."""


def send(message: dict[str, Any]) -> None:
    """Write one line, at once: the host waits for it."""
    line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
    with writing:
        sys.stdout.write(line)
        sys.stdout.flush()


def tell(method: str, **params: Any) -> None:
    """Tell the host something."""
    send({"method": method, "params": params})


def ask(method: str, **params: Any) -> Any:
    """Ask the host, and return its answer; never in the main thread, which reads it.

    Raises:
        RefusedError: If it refuses.
    """
    number = next(numbers)
    box = waiting[number] = SimpleQueue[Any]()
    send({"id": number, "method": method, "params": params})
    reply = box.get()
    if "error" in reply:
        raise RefusedError(reply["error"]["code"], reply["error"]["message"])
    return reply["result"]


def serve(number: Any, method: str, params: Any) -> None:
    """Answer one request, whatever becomes of it: the host waits."""
    try:
        send({"id": number, "result": answer(method, params)})
    except RefusedError as error:
        send({"id": number, "error": {"code": error.code, "message": str(error)}})
    except Exception:  # noqa: BLE001 - the host's log has what went wrong
        traceback.print_exc()
        send({"id": number, "error": {"code": INTERNAL_ERROR, "message": "the plugin failed"}})


def in_thread(work: Any, *given: Any) -> None:
    """Have something done while more is read."""
    threading.Thread(target=work, args=given, daemon=True).start()


def read(line: bytes) -> None:
    """Do what a line says."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        send({"id": None, "error": {"code": PARSE_ERROR, "message": "this is not JSON"}})
        return
    match message:
        case {"method": "shutdown", "id": int() | str() as number}:
            serve(number, "shutdown", None)
            sys.exit()
        case {"method": "event", "params": {"event": "widget/key", "payload": {"key": str(key)}}}:
            in_thread(press, key)
        case {"method": str(method), "id": int() | str() as number}:
            in_thread(serve, number, method, message.get("params"))
        case {"id": int(number)} if number in waiting:
            waiting.pop(number).put(message)
        case _:
            pass  # nobody waits for an answer


if __name__ == "__main__":
    for each in sys.stdin.buffer:
        read(each)
