#!/usr/bin/env python3
"""Asks a person before Bash does what looks dangerous: a hook, in the dialect `sep`.

On each line of stdin and stdout stands one JSON-RPC message. Each request is answered in a thread
of its own, so that one that waits for a person holds up no other.
"""

import hashlib
import itertools
import json
import re
import sys
import threading
import traceback
from queue import SimpleQueue
from typing import Any

PARSE_ERROR, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32601, -32602, -32603
CANCELLED = -32800

LONGEST_SHOWN = 700
MOST_LINES_SHOWN = 19
"""Of more the host shows only the beginning: of 20 lines, and 1500 characters, some of which count
twice."""
DANGEROUS = re.compile(
    r"""
      \b(?: rm | rmdir | shred | truncate | dd | mkfs[.\w]* | sudo | su | doas | kill | pkill
          | killall | chmod | chown | shutdown | reboot | crontab | eval )\b
    | \bgit \s+ (?: push | reset | clean | checkout | restore )\b
    | \bfind\b .* \s-(?: delete | exec )
    | \b(?: curl | wget )\b .* \| \s* \w*sh\b
    | > \s* / (?! dev/null\b )
    """,
    re.VERBOSE | re.DOTALL,
)
"""What is asked about. It finds mistakes, not malice: that is what jails are for."""


class RefusedError(Exception):
    """What is answered in place of a result: by us, or by the host."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


# --- The gate. ----------------------------------------------------------------------------------


def before_tool(call: Any) -> dict[str, Any]:
    """Return whether a tool may be used."""
    match call:
        case {"tool": "Bash", "arguments": {"command": str(command)}}:
            reason = objection(command, call.get("session_id"))
        case _:
            reason = None
    if reason is None:
        return {"action": "continue"}
    return {"action": "block", "reason": reason}


def objection(command: str, session: Any) -> str | None:
    """Return why a command may not be run, for the model; `None`: it may."""
    if not DANGEROUS.search(command):
        return None
    if len(command) > LONGEST_SHOWN or len(command.splitlines()) > MOST_LINES_SHOWN:
        return "it looks dangerous, and is too long to be shown to a person; split it up"
    key = f"allowed/{session}/{hashlib.sha256(command.encode()).hexdigest()}"
    if session and ask("kv/get", key=key)["value"]:
        return None
    answer = ask("ui/request", kind="confirm", prompt=f"May this be run?\n{command}")
    if answer.get("cancelled"):
        return "it looks dangerous, and nobody said whether it may be run"
    if answer.get("confirmed") is not True:
        return "a person said no; do not try it in another way, but ask what to do"
    if session:
        ask("kv/set", key=key, value=True)
    return None


def run_command(raw: str) -> str:
    """Carry out `/gate` or `/gate forget`."""
    keys = ask("kv/list", prefix="allowed/")["keys"]
    if raw.strip() == "forget":
        for key in keys:
            ask("kv/delete", key=key)
        return "From now on I ask about every command again."
    if raw.strip():
        raise RefusedError(INVALID_PARAMS, "it is /gate, or /gate forget")
    return f"{len(keys)} commands were allowed, each for one session. `/gate forget` forgets them."


# --- What the host asks. ------------------------------------------------------------------------

WELCOME = {
    "protocol_version": 1,
    "extension": {"name": "permission_gate", "version": "1.0.0"},
    "registrations": {
        "commands": [{"name": "gate", "description": "Tells what was allowed, or forgets it."}],
        "hooks": ["tool_call"],
    },
}


def answer(method: str, params: Any) -> Any:
    """Return the result of a request."""
    match method, params:
        case "initialize", _:
            return WELCOME
        case "ping", _:
            return {}
        case "hook", {"hook": "tool_call", "input": call}:
            return before_tool(call)
        case "hook", {"hook": str()}:
            return {"action": "continue"}  # there are hosts that ask at every point
        case "command/execute", {"command": "gate", "arguments": {"args": str(raw)}}:
            return {"content": run_command(raw)}
        case "command/complete", {"command": "gate"}:
            return {"completions": [{"value": "forget", "description": "ask about all again"}]}
        case "hook" | "command/execute" | "command/complete", _:
            raise RefusedError(INVALID_PARAMS, "there is no such hook or command, or not so")
        case _:
            raise RefusedError(METHOD_NOT_FOUND, f"method not found: {method}")


# --- The wire. ----------------------------------------------------------------------------------

writing = threading.Lock()
numbers = itertools.count(1)
waiting: dict[int, SimpleQueue[Any]] = {}
"""Where the answer to each question of ours goes."""
asked_for: dict[Any, int] = {}
"""Our open question, by the number of the request for which we ask it."""
serving = threading.local()


def send(message: dict[str, Any]) -> None:
    """Write one line, at once: the host waits for it."""
    line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
    with writing:
        sys.stdout.write(line)
        sys.stdout.flush()


def ask(method: str, **params: Any) -> Any:
    """Ask the host, and return its answer; never in the main thread, which reads it.

    Raises:
        RefusedError: If it refuses, or the request for which we ask was cancelled.
    """
    number = asked_for[serving.request] = next(numbers)
    box = waiting[number] = SimpleQueue[Any]()
    send({"id": number, "method": method, "params": params})
    reply = box.get()
    if "error" in reply:
        raise RefusedError(reply["error"]["code"], reply["error"]["message"])
    return reply["result"]


def cancel(request: Any) -> None:
    """Break off what is done for a request: nobody needs to answer our question any more."""
    number = asked_for.get(request)
    if number in waiting:
        send({"method": "$/cancel", "params": {"id": number}})
        waiting.pop(number).put({"error": {"code": CANCELLED, "message": "cancelled"}})


def serve(request: Any, method: str, params: Any) -> None:
    """Answer one request, whatever becomes of it: the host waits."""
    serving.request = request
    try:
        send({"id": request, "result": answer(method, params)})
    except RefusedError as error:
        send({"id": request, "error": {"code": error.code, "message": str(error)}})
    except Exception:  # noqa: BLE001 - the host's log has what went wrong
        traceback.print_exc()
        send({"id": request, "error": {"code": INTERNAL_ERROR, "message": "the plugin failed"}})
    finally:
        asked_for.pop(request, None)


def read(line: bytes) -> None:
    """Do what a line says."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        send({"id": None, "error": {"code": PARSE_ERROR, "message": "this is not JSON"}})
        return
    match message:
        case {"method": "shutdown", "id": int() | str() as request}:
            send({"id": request, "result": {}})
            sys.exit()
        case {"method": "$/cancel", "params": {"id": int() | str() as request}}:
            cancel(request)
        case {"method": str(method), "id": int() | str() as request}:
            work = threading.Thread(
                target=serve, args=(request, method, message.get("params")), daemon=True
            )
            work.start()
        case {"id": int(number)} if number in waiting:
            waiting.pop(number).put(message)
        case _:
            pass  # nobody waits for an answer


if __name__ == "__main__":
    for each in sys.stdin.buffer:
        read(each)
