"""A plugin of the wire `sep` that does wrong what it is told to. Standard library alone.

What its arguments say, it does wrong from the start:

exits            before the handshake
says=TEXT        in place of the handshake's answer, in which <id> stands for its id
offers=FILE      answers that it offers what stands in that file
deaf             reads nothing after the handshake
slow=N, for=M    reads the first M bytes after the handshake at N bytes a second
stubborn         ignores all that asks it to end

Each of its tools does wrong what its name says; see the functions below.
"""

import base64
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

WHAT = {each.partition("=")[0]: each.partition("=")[2] for each in sys.argv[1:]}
BLOCK_BYTES = 64 * 1024
MOST_OPEN = 100
"""How many of its requests the host keeps open."""
HEARD: Counter[str] = Counter()
"""What it was sent, by kind."""
ANSWERED: set[object] = set()
"""The requests of its own that were answered."""
PENDING: list[object] = []
"""The request that is answered when its own request `asked` is."""
WRITING = threading.Lock()
Params = dict[str, Any]


def write(data: bytes, fd: int = 1) -> int:
    """Write all of it, and return how much that was."""
    left = memoryview(data)
    with WRITING:
        while left:
            left = left[os.write(fd, left) :]
    return len(data)


def send(message: Params) -> None:
    write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def answer(request_id: object, content: object) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    send({"id": request_id, "result": {"content": text}})


def flood(request_id: object, block: bytes, seconds: float, fd: int = 1) -> None:
    """Write `block` again and again, and then tell how much that was."""
    began, count = time.monotonic(), 0
    while time.monotonic() < began + seconds:
        count += write(block, fd)
    answer(request_id, {"bytes": count, "seconds": time.monotonic() - began})


def say(request_id: object, arguments: Params) -> None:
    answer(request_id, arguments.get("phrase", ""))


def crash(_: object, arguments: Params) -> None:
    os._exit(arguments.get("code", 5))


def hang(_: object, _arguments: Params) -> None:
    """Never answer."""


def late(request_id: object, arguments: Params) -> None:
    """Answer after a while, and do other things meanwhile."""
    threading.Timer(arguments["seconds"], answer, (request_id, "late")).start()


def garbage(request_id: object, arguments: Params) -> None:
    lines = (b"g" * 4095 + b"\n") * (BLOCK_BYTES // 4096)
    flood(request_id, lines, arguments["seconds"])


def complain(request_id: object, arguments: Params) -> None:
    lines = (b"e" * 255 + b"\n") * (BLOCK_BYTES // 256)
    flood(request_id, lines, arguments["seconds"], fd=2)


def tell(request_id: object, arguments: Params) -> None:
    """Tell as much as can be told."""
    params = {"call_id": "nobody's", "message": "more", "progress": 0.5}
    line = json.dumps({"jsonrpc": "2.0", "method": "tool/update", "params": params}) + "\n"
    flood(request_id, line.encode() * (BLOCK_BYTES // len(line)), arguments["seconds"])


def ask(request_id: object, arguments: Params) -> None:
    """Ask as much as can be asked, and read what is answered meanwhile; then take the rest back."""
    threading.Thread(target=ask_much, args=(request_id, arguments["seconds"])).start()


def ask_much(request_id: object, seconds: float) -> None:
    began, asked = time.monotonic(), 0
    params = '"method":"ui/request","params":{"kind":"confirm","prompt":"?"}}\n'
    while time.monotonic() < began + seconds:
        lines = [f'{{"jsonrpc":"2.0","id":{asked + n},{params}' for n in range(100)]
        write("".join(lines).encode())
        asked += 100
    took = time.monotonic() - began
    patience = time.monotonic() + 10
    while asked - len(ANSWERED) > MOST_OPEN and time.monotonic() < patience:
        time.sleep(0.05)
    unanswered = set(range(asked)) - ANSWERED
    for number in unanswered:
        send({"method": "$/cancel", "params": {"id": number}})
    while len(ANSWERED) < asked and time.monotonic() < patience:
        time.sleep(0.05)
    told = {"asked": asked, "seconds": took, "answered": len(ANSWERED), "open": len(unanswered)}
    answer(request_id, {**told, "heard": HEARD})


def take_back(request_id: object, arguments: Params) -> None:
    """Ask, and take each back at once; and what was never asked, too."""
    for number in range(arguments["count"]):
        params = {"key": "key"}
        send({"id": number, "method": "kv/get", "params": params})
        send({"method": "$/cancel", "params": {"id": number}})
        send({"method": "$/cancel", "params": {"id": f"never-{number}"}})
    PENDING.append(request_id)
    send({"id": "asked", "method": "ping", "params": {}})


def long_line(request_id: object, arguments: Params) -> None:
    """Write a line of that many bytes: an answer, or one of which nobody knows whose it is."""
    size = arguments["bytes"]
    if not arguments["known"]:
        write_x(size)
        write(b"\n")
        if arguments.get("answers", True):
            answer(request_id, "done")
        return
    begin = f'{{"jsonrpc":"2.0","id":{json.dumps(request_id)},"result":{{"content":"'.encode()
    end = b'"}}'
    write(begin)
    write_x(size - len(begin) - len(end))
    write(end + b"\n")


def write_x(count: int) -> None:
    block = b"x" * (1 << 20)
    while count > 0:
        count -= write(block[:count])


def odd(request_id: object, arguments: Params) -> None:
    """Write what it is given, in which <id> stands for the request's id, and answer then."""
    for text in arguments["lines"]:
        line = base64.b64decode(text)
        write(line.replace(b"<id>", json.dumps(request_id).encode()) + b"\n")
    if arguments.get("answers", True):
        answer(request_id, "fine")


def half(request_id: object, arguments: Params) -> None:
    """Write half of the answer, and crash, or write the other half after a pause."""
    result = {"content": "whole"}
    line = json.dumps({"jsonrpc": "2.0", "id": request_id, "result": result}).encode() + b"\n"
    write(line[:20])
    if "seconds" not in arguments:
        os._exit(6)
    time.sleep(arguments["seconds"])
    write(line[20:])


def close(request_id: object, arguments: Params) -> None:
    number = arguments["number"]
    if number == 2:
        answer(request_id, "closed")
    os.close(number)
    if number != 2:
        time.sleep(600)


def daemon(_: object, arguments: Params) -> None:
    """Leave the pipes to a grandchild in a session of its own, and end once that has begun."""
    begun, begins = os.pipe()
    if os.fork():
        os.close(begins)
        os.read(begun, 1)
        os._exit(0)
    os.setsid()
    if os.fork():
        os._exit(0)
    Path(arguments["file"]).write_text(str(os.getpid()))
    os.close(begins)
    os.close(begun)
    time.sleep(600)


def family(request_id: object, _: Params) -> None:
    """Start ten children that ignore SIGTERM, one of them in a session of its own."""
    command = ["/bin/sh", "-c", "trap '' TERM HUP INT; while :; do sleep 600; done"]
    children = [
        subprocess.Popen(command, start_new_session=number == 0, stdin=subprocess.DEVNULL)
        for number in range(10)
    ]
    answer(request_id, [child.pid for child in children])


def eat(_: object, arguments: Params) -> None:
    """Take memory, step by step, and keep it."""
    kept: list[bytearray] = []
    for _step in range(arguments["mebibytes"] // 64):
        kept.append(bytearray(b"x" * (64 << 20)))
        time.sleep(0.01)
    time.sleep(600)


def compute(_: object, _arguments: Params) -> None:
    while True:
        pass


def fork(_: object, arguments: Params) -> None:
    """Become many."""
    for _number in range(arguments["times"]):
        if not os.fork():
            time.sleep(600)
    time.sleep(600)


def fill(_: object, arguments: Params) -> None:
    """Become a program that fills the disk, as Python itself would only be told that it may not."""
    file = os.open(arguments["file"], os.O_WRONLY | os.O_CREAT)
    os.dup2(file, 1)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    os.execv("/usr/bin/head", ["head", "-c", str(arguments["bytes"]), "/dev/zero"])  # noqa: S606


def heard(request_id: object, _: Params) -> None:
    """Tell what it was sent so far."""
    answer(request_id, HEARD)


def request(request_id: object, arguments: Params) -> None:
    """Ask one thing, and answer with what comes back."""
    PENDING.append(request_id)
    send({"id": "asked", "method": arguments["method"], "params": arguments["params"]})


def surroundings(request_id: object, _: Params) -> None:
    answer(request_id, dict(os.environ))


FAULTS: dict[str, Callable[[object, Params], None]] = {
    function.__name__: function
    for function in (
        *(say, crash, hang, late, garbage, complain, tell, ask, take_back, long_line, odd, half),
        *(close, daemon, family, eat, compute, fork, fill, heard, request, surroundings),
    )
}


def greet(request_id: object) -> None:
    if "exits" in WHAT:
        sys.exit(3)
    if "says" in WHAT:
        write(WHAT["says"].replace("<id>", json.dumps(request_id)).encode() + b"\n")
        return
    tools: list[Params] = [{"name": name, "description": name} for name in FAULTS]
    offered: Params = {"tools": tools, "hooks": ["tool_call", "input"]}
    if "offers" in WHAT:
        offered = json.loads(Path(WHAT["offers"]).read_bytes())
    extension = {"name": "faulty", "version": "1"}
    send(
        {
            "id": request_id,
            "result": {"protocol_version": 1, "extension": extension, "registrations": offered},
        }
    )
    if "deaf" in WHAT:
        time.sleep(600)


def read(line: bytes) -> None:
    try:
        message = json.loads(line)
    except ValueError:
        HEARD["broken"] += 1
        return
    method, request_id = message.get("method"), message.get("id")
    if method is None:
        take_answer(message)
        return
    HEARD[method] += 1
    if method == "initialize":
        greet(request_id)
    elif method == "tool/execute":
        FAULTS[message["params"]["tool"]](request_id, message["params"]["arguments"])
    elif request_id is not None and not (method == "shutdown" and "stubborn" in WHAT):
        send({"id": request_id, "result": {}})


def take_answer(message: Params) -> None:
    HEARD[str(message["error"]["code"]) if "error" in message else "answers"] += 1
    ANSWERED.add(message["id"])
    if message["id"] == "asked":
        answer(PENDING.pop(), {"heard": HEARD, "answer": message})


def main() -> None:
    if "stubborn" in WHAT:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
    waiting, slowly = b"", 0
    while data := os.read(0, slow_bytes(slowly) or BLOCK_BYTES):
        *lines, waiting = (waiting + data).split(b"\n")
        slowly += len(data) if HEARD["initialize"] else 0
        for line in lines:
            read(line)
        if slow_bytes(slowly):
            time.sleep(0.05)
    if "stubborn" in WHAT:
        time.sleep(600)


def slow_bytes(read_slowly: int) -> int:
    """Return how much is read at once; 0: as much as is there."""
    is_slow = HEARD["initialize"] and read_slowly < int(WHAT.get("for", "0"))
    return int(WHAT["slow"]) // 20 if is_slow else 0


main()
