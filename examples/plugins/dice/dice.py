#!/usr/bin/env python3
"""Rolls dice: a tool, and a command whose argument is completed, in the dialect `sep`.

On each line of stdin and stdout stands one JSON-RPC message.
"""

import json
import re
import secrets
import sys
from typing import Any

PARSE_ERROR, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32601, -32602

THROW = re.compile(r"([0-9]{0,2})d([0-9]{1,4})([+-][0-9]{1,4})?", re.IGNORECASE)
USUAL = "1d6"
SIDES = (4, 6, 8, 10, 12, 20, 100)
MOST_DICE = 50

ROLL = {
    "name": "roll",
    "description": "Rolls dice. The outcome is left to chance: use it wherever dice are wanted.",
    "parameters": {
        "type": "object",
        "properties": {
            "throw": {"type": "string", "description": "Such as 2d6+1.", "examples": ["2d6+1"]}
        },
        "required": ["throw"],
        "additionalProperties": False,
    },
}
WELCOME = {
    "protocol_version": 1,
    "extension": {"name": "dice", "version": "1.0.0"},
    "registrations": {
        "tools": [ROLL],
        "commands": [{"name": "roll", "description": "Rolls dice, such as 2d6+1."}],
        "hooks": [],  # a plugin that does not say so is asked at every point
    },
}


class RefusedError(Exception):
    """What the host is told in place of a result."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def roll(throw: str) -> str:
    """Return how a throw came out."""
    found = THROW.fullmatch(throw.strip())
    count, sides = (int(found[1] or 1), int(found[2])) if found else (0, 0)
    if found is None or not 1 <= count <= MOST_DICE or sides < 1:
        raise RefusedError(INVALID_PARAMS, f"a throw is such as {USUAL} or 2d20+3")
    dice = [secrets.randbelow(sides) + 1 for _ in range(count)]
    bonus = found[3] or ""
    total = sum(dice) + int(bonus or 0)
    shown = " + ".join(map(str, dice)) + (f" {bonus[0]} {bonus[1:]}" if bonus else "")
    return f"🎲 {throw.strip()}: {shown} = **{total}**"


def completions(partial: str) -> list[dict[str, str]]:
    """Return throws that begin as what is typed so far."""
    typed = partial.strip().lower()
    count = typed.partition("d")[0]
    if not re.fullmatch("[0-9]{0,2}", count):
        return []
    dice = int(count or 1)
    throws = {f"{count}d{sides}": f"from {dice} to {dice * sides}" for sides in SIDES}
    return [
        {"value": throw, "description": range_of}
        for throw, range_of in throws.items()
        if throw.startswith(typed)
    ]


def answer(method: str, params: Any) -> Any:
    """Return the result of a request."""
    match method, params:
        case "initialize", _:
            return WELCOME
        case "ping", _:
            return {}
        case "tool/execute", {"tool": "roll", "arguments": {"throw": str(throw)}}:
            return {"content": roll(throw)}
        case "command/execute", {"command": "roll", "arguments": {"args": str(raw)}}:
            return {"content": roll(raw or USUAL)}
        case "command/complete", {"command": "roll"}:
            return {"completions": completions(str(params.get("partial") or ""))}
        case "hook", _:
            return {"action": "continue"}  # there are hosts that ask all the same
        case "tool/execute" | "command/execute" | "command/complete", _:
            raise RefusedError(INVALID_PARAMS, "there is only roll, which needs a throw")
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
        case {"method": "shutdown", "id": int() | str() as number}:
            send({"id": number, "result": {}})
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
