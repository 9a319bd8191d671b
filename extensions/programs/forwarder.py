"""Runs a command, and leads loopback ports to unix sockets for as long as the command runs.

Usage: forwarder.py [--hold SECONDS] PORT=SOCKET [PORT=SOCKET ...] -- COMMAND [ARGUMENT ...]

Where there is no network, this is the way out: each connection to 127.0.0.1:PORT is joined to one
to SOCKET. While nobody listens there the connection is held, for SECONDS at most (600 unless
told), so that who listens may be started anew meanwhile. Signals go on to the command, and its
exit code comes back (128 + N if signal N ended it).
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
                server = self._reach(client)
                if server is not None:
                    with server:
                        _exchange(client, server)
        finally:
            self._free.release()

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


def _exchange(client: socket.socket, server: socket.socket) -> None:
    answers = threading.Thread(target=_pump, args=(server, client), daemon=True)
    answers.start()
    _pump(client, server)
    answers.join()


def _pump(source: socket.socket, target: socket.socket) -> None:
    """Copy until the source ends; if either breaks, break both."""
    try:
        while data := source.recv(_CHUNK_BYTES):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, target):
            _break(end)


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
