"""A child that speaks JSON-RPC and does what each request says. Standard library alone.

echo {...}           answers with its params
hang {}              never answers
exit {code}          ends at once
print {text, times}  writes text, <id> being the id of the request, and answers nothing
complain {text}      writes text to its standard error, and answers
heard {count}        answers with the lines that were no requests, once there are that many
tell {lines}         writes those messages, and answers
close {number}       closes that descriptor, and answers if it still can
"""

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

heard: list[object] = []
wanted: list[tuple[int, int]] = []


def write(message: object) -> None:
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
    sys.stdout.buffer.flush()


def answer(request_id: int, result: object) -> None:
    write({"jsonrpc": "2.0", "id": request_id, "result": result})


def answer_who_waits() -> None:
    for request_id, count in list(wanted):
        if len(heard) >= count:
            wanted.remove((request_id, count))
            answer(request_id, heard)


def end(_: int, params: dict[str, Any]) -> None:
    os._exit(params["code"])


def write_text(request_id: int, params: dict[str, Any]) -> None:
    text = params["text"].replace("<fill>", "x" * params.get("fill", 0))
    line = text.replace("<id>", str(request_id)).encode("latin-1")
    for _ in range(params.get("times", 1)):
        sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def complain(request_id: int, params: dict[str, Any]) -> None:
    sys.stderr.buffer.write(params["text"].encode())
    sys.stderr.buffer.flush()
    answer(request_id, {})


def tell(request_id: int, params: dict[str, Any]) -> None:
    for message in params["lines"]:
        write(message)
    answer(request_id, {})


def close(request_id: int, params: dict[str, Any]) -> None:
    os.close(params["number"])
    if params["number"] < 2:
        time.sleep(60)
    answer(request_id, {})


ACTS: dict[str, Callable[[int, dict[str, Any]], None]] = {
    "echo": answer,
    "hang": lambda _id, _params: None,
    "exit": end,
    "print": write_text,
    "complain": complain,
    "heard": lambda request_id, params: wanted.append((request_id, params["count"])),
    "tell": tell,
    "close": close,
}

for line in sys.stdin.buffer:
    frame = json.loads(line)
    if "method" in frame and "id" in frame:
        ACTS[frame["method"]](frame["id"], frame["params"])
    else:
        heard.append(frame)
    answer_who_waits()
