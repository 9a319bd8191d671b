"""Asks the bot what one of Claude's hooks is asked, and answers Claude as the bot does.

Usage: hook_relay.py closed|open SECONDS

What Claude says of the occasion comes on stdin, and goes to the path /hook of the server that
PAPERCUP_MCP_URL names, with the token in PAPERCUP_TOKEN. What the bot answers goes to stdout. Where
there is any doubt, `closed` forbids what Claude is about to do (exit code 2, with the reason on
stderr), and `open` lets it go on (exit code 0). Both know after SECONDS at the latest; `closed`
tries until then to reach a bot that is away.

A hook that is killed or cannot be started forbids nothing: whoever calls this with `closed` has to
make an exit code 2 of any but 0.
"""

import os
import signal
import socket
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Not at run time: the module is large, and each use of a tool waits for this program.
    from types import FrameType
    from typing import NoReturn

_RETRY_SECONDS = 0.2
_CHUNK_BYTES = 1 << 16
_MOST_BYTES = 64 << 20
_FORBIDS = 2
_GREETING = b"papercup hook\n"
"""What each answer begins with: any program may listen where the bot did."""


class Away(Exception):  # noqa: N818 - it is no error of anyone's
    """The bot could not be reached, or went away before it had answered."""


class Doubt(Exception):  # noqa: N818 - it is no error of anyone's
    """Nobody can say what the answer is; the text says why."""


class Relay:
    """Answers one hook."""

    def __init__(self, *, is_closed: bool) -> None:
        self._is_closed = is_closed

    def limit(self, seconds: float) -> None:
        """Have this process end after `seconds`, whatever it waits for then."""

        def over(_number: int, _frame: "FrameType | None") -> None:
            self.give_up("Papercup gave no answer in time")

        signal.signal(signal.SIGALRM, over)
        signal.setitimer(signal.ITIMER_REAL, seconds)

    def give_up(self, reason: str) -> "NoReturn":
        """End without an answer of the bot."""
        if self._is_closed:
            # Not through Python's own stream, which may be in the midst of something.
            os.write(2, f"not allowed, as the plugins could not be asked: {reason}\n".encode())
        os._exit(_FORBIDS if self._is_closed else 0)

    def answer(self) -> "NoReturn":
        """Ask the bot, and end as it says."""
        try:
            _write(1, self._asked(sys.stdin.buffer.read()))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is no permission
            self.give_up(str(error) or type(error).__name__)
        os._exit(0)

    def _asked(self, told: bytes) -> bytes:
        while True:
            try:
                return _body(_exchanged(told))
            except (Away, OSError) as error:
                if not self._is_closed:
                    raise Doubt("Papercup is away") from error
            # The alarm ends this.
            time.sleep(_RETRY_SECONDS)


def _exchanged(told: bytes) -> bytes:
    """Return all that the bot's server says to one request."""
    host, port = _address(os.environ["PAPERCUP_MCP_URL"])
    head = (
        f"POST /hook HTTP/1.1\r\nHost: {host}:{port}\r\n"
        f"Authorization: Bearer {os.environ['PAPERCUP_TOKEN']}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(told)}\r\n"
        "Connection: close\r\n\r\n"
    )
    with socket.create_connection((host, port)) as server:
        try:
            server.sendall(head.encode() + told)
        except OSError:
            # It may have answered without hearing all of it.
            return _received(server)
        return _received(server)


def _address(url: str) -> tuple[str, int]:
    scheme, _, rest = url.partition("://")
    host, _, port = rest.partition("/")[0].rpartition(":")
    if scheme != "http" or not host or not port.isdecimal():
        raise Doubt("its address makes no sense")
    return host, int(port)


def _received(server: socket.socket) -> bytes:
    received = bytearray()
    while data := server.recv(_CHUNK_BYTES):
        received += data
        if len(received) > _MOST_BYTES:
            raise Doubt("its answer has no end")
    return bytes(received)


def _body(answer: bytes) -> bytes:
    """Return what Claude is told by an answer, which must have come whole."""
    head, has_ended, body = answer.partition(b"\r\n\r\n")
    if not has_ended:
        raise Away("Papercup went away before it had answered")
    status, *lines = head.split(b"\r\n")
    if not status.startswith(b"HTTP/1.1 200 "):
        raise Doubt(f"Papercup refused: {body[:200].decode(errors='replace')}")
    fields = [line.partition(b":") for line in lines]
    lengths = [value.strip() for name, _, value in fields if name.lower() == b"content-length"]
    if len(lengths) != 1 or not lengths[0].isdigit():
        raise Doubt("its answer has no length")
    if len(body) != int(lengths[0]):
        raise Away("Papercup went away before it had answered")
    if not body.startswith(_GREETING):
        raise Doubt("its answer makes no sense")
    return body[len(_GREETING) :]


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def main() -> None:
    """Answer one hook; this never returns."""
    relay = Relay(is_closed=sys.argv[1] != "open")
    relay.limit(float(sys.argv[2]))
    relay.answer()


if __name__ == "__main__":
    main()
