"""Connections that are cut when the time for a question is over, whatever comes in by then.

A limit on silence does not end them: whoever sends a byte now and then, or heads of answers
without end, is never silent.
"""

import http.client
import socket
import threading
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager


class Connections:
    """Those that are made for one question."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lock = threading.Lock()
        self._sockets = list[socket.socket]()
        self._is_over = False

    @property
    def is_over(self) -> bool:
        """Whether they were cut."""
        return self._is_over

    @contextmanager
    def lasting(self, seconds: float) -> Generator[None]:
        """Cut all of them if the block takes longer."""
        timer = threading.Timer(seconds, self._cut)
        # Whoever ends the program does not wait for it.
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def handlers(self) -> tuple[urllib.request.BaseHandler, ...]:
        """Return what makes connections for `urllib`."""
        return _Http(self), _Https(self)

    def note(self, made: socket.socket) -> None:
        """Cut that one as well."""
        with self._lock:
            self._sockets.append(made)
            if self._is_over:
                _shut(made)

    def _cut(self) -> None:
        with self._lock:
            self._is_over = True
            for each in self._sockets:
                _shut(each)


class _Http(urllib.request.HTTPHandler):
    def __init__(self, connections: Connections) -> None:
        super().__init__()
        self._connections = connections

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        connections = self._connections

        class Connection(http.client.HTTPConnection):
            def connect(self) -> None:
                super().connect()
                connections.note(self.sock)

        return self.do_open(Connection, req)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, connections: Connections) -> None:
        super().__init__()
        self._connections = connections

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        connections = self._connections

        class Connection(http.client.HTTPSConnection):
            def connect(self) -> None:
                super().connect()
                connections.note(self.sock)

        return self.do_open(Connection, req)


def _shut(made: socket.socket) -> None:
    try:
        # Not its own method: that of one with TLS would have what comes be taken for plain text.
        socket.socket.shutdown(made, socket.SHUT_RDWR)
    except OSError:
        # It is closed already.
        return
