"""Those that run in no event loop: python-lsp-jsonrpc, and nothing at all."""

import importlib
import os
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from benchmarks.plugins.contenders import child_arguments
from benchmarks.plugins.loads import WARM_UP_CALLS, Load, Rates
from extensions.process.interpreter import base_python

_AROUND = b'{"jsonrpc":"2.0","id":1000,"method":"tool/execute","params":{"call_id":"call-1000"}}'
"""About what stands in a call beside its text."""
_CALL_SECONDS = 30.0

# By name, as it says nothing of its types.
_endpoints: Any = importlib.import_module("pylsp_jsonrpc.endpoint")
_streams: Any = importlib.import_module("pylsp_jsonrpc.streams")


@dataclass(frozen=True, slots=True, kw_only=True)
class RawEcho:
    """Writes a line to a pipe and reads it back, and nothing else: nobody can be faster."""

    name: str
    read_bytes: int
    """How much it asks for at once."""

    def rates(self, loads: Sequence[Load]) -> Rates:
        """Start a child, have it called, and return how fast that went; one at a time alone."""
        with _child("raw") as child:
            assert child.stdin is not None
            assert child.stdout is not None
            to_child, from_child = child.stdin.fileno(), child.stdout.fileno()

            def echo(line: bytes) -> None:
                left = memoryview(line)
                while left:
                    left = left[os.write(to_child, left) :]
                while not os.read(from_child, self.read_bytes).endswith(b"\n"):
                    pass

            return {
                load.name: _rate_of_one(echo, _AROUND + b"x" * load.text_bytes + b"\n", load)
                for load in loads
                if load.in_flight == 1
            }


@dataclass(frozen=True, slots=True, kw_only=True)
class LspJsonRpc:
    """python-lsp-jsonrpc: a thread reads, and futures wait."""

    name: str

    def rates(self, loads: Sequence[Load]) -> Rates:
        """Start a child, have it called, and return how fast that went."""
        with _child("lsp") as child:
            endpoint: Any = _endpoints.Endpoint({}, _streams.JsonRpcStreamWriter(child.stdin).write)
            reader: Any = _streams.JsonRpcStreamReader(child.stdout)
            reading = threading.Thread(target=reader.listen, args=(endpoint.consume,))
            reading.start()
            try:
                return {load.name: _rate_of_window(endpoint, load) for load in loads}
            finally:
                assert child.stdin is not None
                child.stdin.close()
                reading.join(_CALL_SECONDS)
                endpoint.shutdown()


@contextmanager
def _child(kind: str) -> Generator[subprocess.Popen[bytes], None, None]:
    command = [str(base_python()), *child_arguments(kind)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=-1 if kind == "lsp" else 0
    ) as child:
        yield child


def _rate_of_one(echo: Callable[[bytes], None], line: bytes, load: Load) -> float:
    for _ in range(WARM_UP_CALLS):
        echo(line)
    count = 0
    began = time.perf_counter()
    while time.perf_counter() < began + load.seconds:
        echo(line)
        count += 1
    return count / (time.perf_counter() - began)


def _rate_of_window(endpoint: Any, load: Load) -> float:
    """Keep as many calls open as the load says, and wait for the oldest each time."""
    params = {"text": "x" * load.text_bytes}
    for _ in range(WARM_UP_CALLS):
        endpoint.request("tool/execute", params).result(_CALL_SECONDS)
    waiting: deque[Any] = deque()
    count = 0
    began = time.perf_counter()
    while time.perf_counter() < began + load.seconds:
        waiting.append(endpoint.request("tool/execute", params))
        if len(waiting) >= load.in_flight:
            waiting.popleft().result(_CALL_SECONDS)
            count += 1
    count += len(waiting)
    for future in waiting:
        future.result(_CALL_SECONDS)
    return count / (time.perf_counter() - began)
