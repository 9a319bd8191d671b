"""An owner of a peer that writes down what it is told, and the children that it is tried with."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from extensions.process.interpreter import base_python, python_command
from extensions.process.limits import ProcessLimits
from extensions.rpc.messages import ErrorCode, RequestId, RpcError
from extensions.rpc.peer import Peer, PeerOptions, running_peer
from tests.fakes.waiting import until

_CHILDREN = Path(__file__).parent / "plugin_children"


class RecordingOwner:
    """Answers `echo`, fails at `fail` and `break`, and keeps `wait` waiting."""

    def __init__(self) -> None:
        self.notes: deque[tuple[str, dict[str, Any]]] = deque(maxlen=1000)
        self.complaints: list[str] = []
        self.waiting: set[RequestId] = set()
        self.cancelled: list[RequestId] = []

    async def requested(self, method: str, params: dict[str, Any], request_id: RequestId) -> Any:
        match method:
            case "echo":
                return params
            case "large":
                return "x" * params["size"]
            case "wait":
                return await self._wait(request_id)
            case "fail":
                raise RpcError(ErrorCode.NOT_TRUSTED, "no", {"why": "because"})
            case "break":
                raise ZeroDivisionError
            case _:
                raise RpcError(ErrorCode.METHOD_NOT_FOUND, f"method not found: {method}")

    def notified(self, method: str, params: dict[str, Any]) -> None:
        if method == "break":
            raise ZeroDivisionError
        self.notes.append((method, params))

    def stderr(self, line: str) -> None:
        self.complaints.append(line)

    async def told(self) -> dict[str, Any]:
        """Return what the child told first."""
        await until(lambda: bool(self.notes))
        return self.notes[0][1]

    async def _wait(self, request_id: RequestId) -> None:
        self.waiting.add(request_id)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.append(request_id)
            raise


def child_command(name: str, *arguments: str) -> list[str]:
    """Return the command of a child that is in `plugin_children`."""
    return [*python_command(base_python()), str(_CHILDREN / f"{name}.py"), *arguments]


@asynccontextmanager
async def child(
    name: str,
    *arguments: str,
    owner: RecordingOwner | None = None,
    options: PeerOptions | None = None,
    limits: ProcessLimits | None = None,
) -> AsyncGenerator[Peer]:
    """Start a child that is in `plugin_children`."""
    async with (
        asyncio.timeout(30),
        running_peer(
            child_command(name, *arguments),
            cwd=_CHILDREN,
            env={},
            owner=owner or RecordingOwner(),
            options=options,
            limits=limits,
        ) as peer,
    ):
        yield peer


def is_gone(pid: int) -> bool:
    """Say whether a process has ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return text.rpartition(")")[2].split()[0] in "ZX"
