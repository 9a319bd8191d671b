"""Asks a running bot, over the unix socket in its data folder."""

import http.client
import socket
from pathlib import Path

from bot.control.status import STATUS_PATH, StatusReport, report_of_json
from bot.errors import ControlError
from extensions.process.sockets import short_socket_path

_MAX_ANSWER_BYTES = 1_048_576


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
    connection = _UnixConnection(path, timeout_seconds)
    try:
        connection.request("GET", STATUS_PATH)
        response = connection.getresponse()
        body = response.read(_MAX_ANSWER_BYTES)
    except (FileNotFoundError, ConnectionRefusedError):
        return None
    except TimeoutError as error:
        reason = f"has not answered within {timeout_seconds:g} seconds"
        raise ControlError(path, reason) from error
    except (OSError, http.client.HTTPException) as error:
        raise ControlError(path, f"it cannot be asked ({error})") from error
    finally:
        connection.close()
    if response.status != http.client.OK:
        raise ControlError(path, f"it answered {response.status} {response.reason}")
    try:
        return report_of_json(body)
    except ValueError as error:
        raise ControlError(path, f"its answer is not understood ({error})") from error
