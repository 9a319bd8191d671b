"""A web server on this machine that serves some files, or misbehaves."""

import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True, kw_only=True)
class Served:
    """What is answered to a request."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    sent_bytes: int | None = None
    """After how many bytes the connection is cut."""
    tells_size: bool = True


@contextmanager
def serving(files: Mapping[str, Served]) -> Generator[str]:
    """Serve files by their paths, and yield the address of the server."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served = files.get(self.path, Served(status=404))
            self.send_response(served.status)
            for name, value in served.headers.items():
                self.send_header(name, value)
            if served.tells_size:
                self.send_header("Content-Length", str(len(served.body)))
            self.end_headers()
            self.wfile.write(served.body[: served.sent_bytes])

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
            del format, args

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
