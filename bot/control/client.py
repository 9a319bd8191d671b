"""Asks a running bot, over the unix socket in its data folder."""

import http.client
import json
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from bot.control.job_reports import (
    JOBS_PATH,
    JobReport,
    cancel_path,
    job_of_json,
    job_path,
    jobs_of_json,
    prune_path,
    pruning_of_json,
)
from bot.control.status import STATUS_PATH, StatusReport, report_of_json
from bot.errors import ControlError, ControlRefusedError
from extensions.jobs.pruning import PruneReport
from extensions.process.sockets import short_socket_path

_MAX_ANSWER_BYTES = 64 * 1_048_576
_PRUNE_SECONDS = 600.0
"""Much may have to be counted, and removed."""

T = TypeVar("T")


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path, timeout_seconds: float) -> None:
        super().__init__("localhost", timeout=timeout_seconds)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        with short_socket_path(self._path) as short:
            self.sock.connect(str(short))


def read_status(path: Path, *, timeout_seconds: float = 5.0) -> StatusReport | None:
    """Return how the bot is that answers on the socket `path`; `None` if none runs.

    Raises:
        ControlError: If one runs, but does not answer as it should.
    """
    return ask_bot(path, "GET", STATUS_PATH, report_of_json, timeout_seconds=timeout_seconds)


def read_jobs(path: Path, limit: int) -> list[JobReport] | None:
    """Return the newest jobs of a running bot, newest first; `None` if none runs.

    Raises:
        ControlError: If one runs, but does not answer as it should.
    """
    return ask_bot(path, "GET", f"{JOBS_PATH}?limit={limit}", jobs_of_json)


def read_job(path: Path, wanted: str) -> JobReport | None:
    """Return the job of a running bot that has that id or name; `None` if no bot runs.

    Raises:
        ControlError: If one runs, but does not answer as it should.
        ControlRefusedError: If there is no such job.
    """
    return ask_bot(path, "GET", job_path(wanted), job_of_json)


def cancel_job(path: Path, wanted: str) -> JobReport | None:
    """Have a running bot cancel a job, and return that as it was before; `None` if none runs.

    Raises:
        ControlError: If one runs, but does not answer as it should.
        ControlRefusedError: If there is no such job, or it has ended already.
    """
    return ask_bot(path, "POST", cancel_path(wanted), job_of_json)


def prune_jobs(path: Path, *, dry_run: bool) -> PruneReport | None:
    """Have a running bot remove the files of old jobs; `None` if none runs.

    Args:
        path: Its socket.
        dry_run: Whether nothing is removed, only said what would be.

    Raises:
        ControlError: If one runs, but does not answer as it should.
        ControlRefusedError: If they cannot be removed.
    """
    target = prune_path(dry_run=dry_run)
    return ask_bot(path, "POST", target, pruning_of_json, timeout_seconds=_PRUNE_SECONDS)


def ask_bot(
    path: Path,
    method: str,
    target: str,
    read: Callable[[bytes], T],
    *,
    body: bytes | None = None,
    timeout_seconds: float = 5,
) -> T | None:
    """Return what a running bot answers, as `read` understands it; `None` if none runs.

    Raises:
        ControlError: If one runs, but does not answer as it should.
        ControlRefusedError: If it refuses, and says why.
    """
    with _response(path, method, target, body=body, timeout_seconds=timeout_seconds) as response:
        if response is None:
            return None
        content = response.read(_MAX_ANSWER_BYTES)
        _check(path, response, content)
    try:
        return read(content)
    except ValueError as error:
        raise ControlError(path, f"its answer is not understood ({error})") from error


def hear_bot(
    path: Path, target: str, hear: Callable[[bytes], None], *, body: bytes, timeout_seconds: float
) -> bool:
    """Have a running bot answer line by line, each as it comes; say whether one runs.

    Args:
        path: Its socket.
        target: What is asked, by POST.
        hear: Called with each line.
        body: What is sent along.
        timeout_seconds: How long it may be silent.

    Raises:
        ControlError: If one runs, but does not answer as it should.
        ControlRefusedError: If it refuses, and says why.
    """
    with _response(path, "POST", target, body=body, timeout_seconds=timeout_seconds) as response:
        if response is None:
            return False
        if response.status != http.client.OK:
            _check(path, response, response.read(_MAX_ANSWER_BYTES))
        while line := response.readline(_MAX_ANSWER_BYTES):
            hear(line)
    return True


@contextmanager
def _response(
    path: Path, method: str, target: str, *, body: bytes | None, timeout_seconds: float
) -> Generator[http.client.HTTPResponse | None, None, None]:
    """Yield the answer of a running bot, to be read; `None` if none runs."""
    connection = _UnixConnection(path, timeout_seconds)
    try:
        try:
            connection.request(method, target, body=body)
        except (FileNotFoundError, ConnectionRefusedError):
            yield None
            return
        yield connection.getresponse()
    except TimeoutError as error:
        reason = f"has not answered within {timeout_seconds:g} seconds"
        raise ControlError(path, reason) from error
    except (OSError, http.client.HTTPException) as error:
        raise ControlError(path, f"it cannot be asked ({error})") from error
    finally:
        connection.close()


def _check(path: Path, response: http.client.HTTPResponse, content: bytes) -> None:
    """Raise what the bot refuses with, if it does."""
    if response.status != http.client.OK:
        _raise_refusal(content)
        raise ControlError(path, f"it answered {response.status} {response.reason}")


def _raise_refusal(body: bytes) -> None:
    """Raise what the bot says; do nothing if it says nothing that is understood."""
    try:
        answer = json.loads(body)
        reason = answer["error"]
    except (ValueError, KeyError, TypeError):
        return
    raise ControlRefusedError(str(reason))
