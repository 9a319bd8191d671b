"""A web server on this machine that is never silent, and never done."""

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager

_PAUSE_SECONDS = 0.02


@contextmanager
def serving_without_end(head: bytes, piece: bytes) -> Generator[str]:
    """Answer each connection with a head and then the same piece again and again."""
    is_over = threading.Event()

    def answer(connection: socket.socket) -> None:
        with connection:
            try:
                connection.recv(65536)
                connection.sendall(head)
                while not is_over.wait(_PAUSE_SECONDS):
                    connection.sendall(piece)
            except OSError:
                # The client has gone.
                return

    def serve(listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                # It was closed.
                return
            threads.append(threading.Thread(target=answer, args=(connection,)))
            threads[-1].start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threads = [threading.Thread(target=serve, args=(listener,))]
        threads[0].start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            is_over.set()
            listener.shutdown(socket.SHUT_RDWR)
            for each in threads:
                each.join()
