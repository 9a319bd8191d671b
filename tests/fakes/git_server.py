"""Repositories that git serves over https on this machine, by its own HTTP backend."""

import os
import shutil
import subprocess
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from simulator.tls import write_tls_files

_PROGRAM = shutil.which("git") or "git"
_WRITE = ("hash-object", "-w", "--stdin", "-t")
_STILL = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "Author",
    "GIT_AUTHOR_EMAIL": "author@example.org",
    "GIT_COMMITTER_NAME": "Author",
    "GIT_COMMITTER_EMAIL": "author@example.org",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}


@dataclass(frozen=True)
class GitServer:
    """A server, and the folder of its repositories."""

    host: str
    """With its port."""
    folder: Path
    ca: Path
    """The certificate that has to be trusted."""

    @property
    def environment(self) -> dict[str, str]:
        """What a client of it has in its environment."""
        return {"PATH": os.environ["PATH"], "GIT_SSL_CAINFO": str(self.ca)}

    def commit(self, name: str, files: Mapping[str, bytes | Path], *, tag: str = "") -> str:
        """Commit just these files to a repository, and return the commit.

        A file that is a path becomes a link to it.
        """
        tree, bare = self.folder / f"{name}.tree", self.folder / name
        if not bare.exists():
            _git(self.folder, "init", "--quiet", "--bare", "--initial-branch=main", str(bare))
            _git(bare, "config", "uploadpack.allowAnySHA1InWant", "true")
        tree.mkdir()
        for path, body in files.items():
            file = tree / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(body, Path):
                file.symlink_to(body)
            else:
                file.write_bytes(body)
        work = ("--git-dir", str(bare), "--work-tree", str(tree))
        _git(tree, *work, "add", "--all")
        _git(tree, *work, "commit", "--quiet", "--message=change")
        if tag:
            _git(bare, "tag", tag)
        for file in sorted(tree.rglob("*"), reverse=True):
            file.rmdir() if file.is_dir() and not file.is_symlink() else file.unlink()
        tree.rmdir()
        return _git(bare, "rev-parse", "HEAD").strip()

    def sign(self, name: str) -> None:
        """Have the newest commit look as if it were signed."""
        bare = self.folder / name
        head, _, message = _git(bare, "cat-file", "commit", "HEAD").partition("\n\n")
        signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
        commit = _git(bare, *_WRITE, "commit", told=f"{head}\n{signature}\n\n{message}")
        _git(bare, "update-ref", "refs/heads/main", commit.strip())


@contextmanager
def serving_git(folder: Path) -> Generator[GitServer]:
    """Serve the repositories in `folder`, which is empty, while the block lasts."""
    repositories = folder / "repositories"
    repositories.mkdir()
    tls = write_tls_files(folder, hosts=["localhost"])

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            self._answer(self.rfile.read(int(self.headers["Content-Length"])))

        def _answer(self, body: bytes) -> None:
            path, _, query = self.path.partition("?")
            answer = subprocess.run(
                [_PROGRAM, "http-backend"],
                input=body,
                stdout=subprocess.PIPE,
                check=True,
                env={
                    **_STILL,
                    "PATH": os.environ["PATH"],
                    "GIT_PROJECT_ROOT": str(repositories),
                    "GIT_HTTP_EXPORT_ALL": "1",
                    "REQUEST_METHOD": self.command,
                    "PATH_INFO": path,
                    "QUERY_STRING": query,
                    "REMOTE_ADDR": "127.0.0.1",
                    "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                    "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                    "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                },
            ).stdout
            head, _, content = answer.partition(b"\r\n\r\n")
            headers = dict(line.split(": ", 1) for line in head.decode().splitlines())
            self.send_response(int(headers.pop("Status", "200").split()[0]))
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
            del format, args

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.socket = tls.server_context().wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield GitServer(f"127.0.0.1:{server.server_port}", repositories, tls.ca_path)
        finally:
            server.shutdown()
            thread.join()


def _git(folder: Path, *arguments: str, told: str = "") -> str:
    return subprocess.run(
        [_PROGRAM, *arguments],
        input=told,
        cwd=folder,
        env={**_STILL, "PATH": os.environ["PATH"], "HOME": str(folder)},
        check=True,
        text=True,
        stdout=subprocess.PIPE,
    ).stdout
