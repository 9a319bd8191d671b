"""Runs a command, and leads loopback ports to unix sockets for as long as the command runs.

Usage: forwarder.py [--hold SECONDS] PORT=SOCKET [PORT=SOCKET ...] -- COMMAND [ARGUMENT ...]

Where there is no network, this is the way out: each connection to 127.0.0.1:PORT is joined to one
to SOCKET. While nobody listens there the connection is held, for SECONDS at most (600 unless
told), so that who listens may be started anew meanwhile. What was asked and not answered at all
when the socket broke is asked again of the next who listens: whoever serves a socket takes a
request that comes twice for one. Signals go on to the command, and its exit code comes back
(128 + N if signal N ended it).
"""

import os
import select
import signal
import socket
import sys
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Not at run time: the module is large, and a job waits for this program to start.
    from types import FrameType

_PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_HOLD_SECONDS = 600.0
_RETRY_MILLISECONDS = 100
_CONNECTIONS = 128
_CHUNK_BYTES = 1 << 16
_KEPT_BYTES = 8 << 20
_MOST_REPEATS = 5
_STACK_BYTES = 256 * 1024
_LONGEST_ADDRESS_BYTES = 107


class Port:
    """One loopback port, and the socket that it leads to."""

    def __init__(self, number: int, path: str, hold_seconds: float) -> None:
        self._path = path
        self._hold_seconds = hold_seconds
        self._free = threading.BoundedSemaphore(_CONNECTIONS)
        self._listener = socket.create_server(("127.0.0.1", number), backlog=_CONNECTIONS)

    def serve(self) -> None:
        """Take connections until this process ends."""
        while True:
            # More wait in the backlog.
            self._free.acquire()
            client, _ = self._listener.accept()
            # Answers come in small pieces: each would wait for the one before to be confirmed.
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._join, args=(client,), daemon=True).start()

    def _join(self, client: socket.socket) -> None:
        try:
            with client:
                self._lead(_Connection(client))
        finally:
            self._free.release()

    def _lead(self, connection: "_Connection") -> None:
        """Lead a connection to the socket, and to the next one if that breaks too early."""
        for _ in range(1 + _MOST_REPEATS):
            server = self._reach(connection.client)
            if server is None:
                return
            with server:
                if not connection.lasts_longer_than(server):
                    return

    def _reach(self, client: socket.socket) -> "socket.socket | None":
        """Connect to the socket; give up when the time is over or the client has gone."""
        give_up_at = time.monotonic() + self._hold_seconds
        gone = select.poll()
        gone.register(client, select.POLLRDHUP)
        while True:
            server = socket.socket(socket.AF_UNIX)
            try:
                _connect(server, self._path)
            except OSError:
                server.close()
            else:
                return server
            if time.monotonic() >= give_up_at or gone.poll(_RETRY_MILLISECONDS):
                return None


def _connect(server: socket.socket, path: str) -> None:
    if len(os.fsencode(path)) <= _LONGEST_ADDRESS_BYTES:
        server.connect(path)
        return
    folder = os.open(os.path.dirname(path), os.O_RDONLY)  # noqa: PTH120 - pathlib is large
    try:
        server.connect(f"/proc/self/fd/{folder}/{os.path.basename(path)}")  # noqa: PTH119
    finally:
        os.close(folder)


class _Connection:
    """A connection of the command, and what it has asked since the last answer."""

    def __init__(self, client: socket.socket) -> None:
        self.client = client
        self._asked = bytearray()
        self._is_whole = True
        """Whether all of that was kept."""
        self._has_ended = False

    def lasts_longer_than(self, server: socket.socket) -> bool:
        """Copy both ways until one side ends; say whether the next server is to be asked."""
        try:
            self._copy(server)
        except OSError:
            # Which side broke does not matter: a client that is gone is seen before the next.
            if self._asked and self._is_whole:
                return True
            _break(self.client)
            return False
        if self._asked and self._is_whole:
            return True
        self.client.shutdown(socket.SHUT_WR)
        return False

    def _copy(self, server: socket.socket) -> None:
        """Copy both ways until the server ends what it says."""
        poll = select.poll()
        poll.register(server, select.POLLIN)
        if self._pass_on(server, self._asked) and not self._has_ended:
            poll.register(self.client, select.POLLIN)
        while True:
            for end, _ in poll.poll():
                if end == server.fileno():
                    if not self._take_answer(server):
                        return
                elif not self._take_request(server):
                    poll.unregister(self.client)

    def _take_answer(self, server: socket.socket) -> bool:
        data = server.recv(_CHUNK_BYTES)
        if data:
            self._asked.clear()
            self._is_whole = True
            self.client.sendall(data)
        return bool(data)

    def _take_request(self, server: socket.socket) -> bool:
        data = self.client.recv(_CHUNK_BYTES)
        self._has_ended = not data
        self._is_whole = self._is_whole and len(self._asked) + len(data) <= _KEPT_BYTES
        if self._is_whole:
            self._asked += data
        return self._pass_on(server, data) and not self._has_ended

    def _pass_on(self, server: socket.socket, data: bytes | bytearray) -> bool:
        """Say `data` to the server; `False` if it hears nothing any more, but may have answered."""
        try:
            if data:
                server.sendall(data)
            if self._has_ended:
                server.shutdown(socket.SHUT_WR)
        except OSError:
            return False
        return True


def _break(end: socket.socket) -> None:
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        # It is broken already.
        return


def _start(command: list[str]) -> int:
    """Start the command; from then on, signals go on to it."""
    ignored = [signal.SIGPIPE, signal.SIGXFSZ]
    # They wait until there is somebody to pass them on to.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _PASSED_ON)
    try:
        pid = os.posix_spawnp(
            command[0], command, _first_environment(), setsigdef=ignored, setsigmask=before
        )
    except OSError as error:
        print(f"cannot start {command[0]}: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(127)

    def pass_on(number: int, _frame: "FrameType | None") -> None:
        os.kill(pid, number)

    for number in _PASSED_ON:
        signal.signal(number, pass_on)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return pid


def _first_environment() -> dict[bytes, bytes]:
    """Return the environment as it was given: Python adds LC_CTYPE to its own."""
    with open("/proc/self/environ", "rb") as file:  # noqa: PTH123 - pathlib is large
        items = file.read().split(b"\0")
    return dict(item.split(b"=", 1) for item in items if b"=" in item)


def _exit_code(pid: int) -> int:
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return code if code >= 0 else 128 - code


def main() -> None:
    """Listen, run the command, and exit as it does."""
    end = sys.argv.index("--")
    arguments, command = sys.argv[1:end], sys.argv[end + 1 :]
    hold_seconds = _HOLD_SECONDS
    if arguments[:1] == ["--hold"]:
        hold_seconds = float(arguments[1])
        del arguments[:2]
    pairs = [argument.split("=", 1) for argument in arguments]
    # All listen before the command runs, and it is started while there is one thread only.
    ports = [Port(int(number), path, hold_seconds) for number, path in pairs]
    pid = _start(command)
    threading.stack_size(_STACK_BYTES)
    for port in ports:
        threading.Thread(target=port.serve, daemon=True).start()
    # Without the interpreter's farewell: threads may be in the middle of things.
    os._exit(_exit_code(pid))


if __name__ == "__main__":
    main()
