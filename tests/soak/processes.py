"""The processes of a bot's folder, and where they listen, as `ps` and `ss` would tell."""

import re
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

import psutil


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A process that has to do with the folder."""

    pid: int
    started_at: float
    """Tells it from a later one with the same number."""
    job_id: str | None
    """Of which job it is; `None` for the bot and its speakers."""
    command: str

    @property
    def is_there(self) -> bool:
        """Whether it is still there, and no zombie."""
        try:
            process = psutil.Process(self.pid)
            is_same = process.create_time() == self.started_at
            return is_same and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False


def processes_of(folder: Path) -> list[Seen]:
    """Return the processes whose command, environment or working folder names `folder`."""
    found: list[Seen] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            told = _told_by(entry)
            if bytes(folder) in told:
                with suppress(psutil.NoSuchProcess):
                    found.append(_seen(int(entry.name), told, folder))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """A port that a process can be reached at."""

    process: Seen
    ip: str
    port: int

    @property
    def is_on_loopback(self) -> bool:
        """Whether no other machine can come to it."""
        return ip_address(self.ip).is_loopback


def doors_of(seen: list[Seen]) -> list[Door]:
    """Return where these processes can be reached, TCP and UDP, each in its own network."""
    doors: list[Door] = []
    for process in seen:
        with suppress(psutil.Error):
            for socket in psutil.Process(process.pid).net_connections(kind="inet"):
                # What is not bound has an empty address.
                ip = getattr(socket.laddr, "ip", None)
                if ip and not socket.raddr:
                    doors.append(Door(process=process, ip=ip, port=socket.laddr.port))
    return doors


def _seen(pid: int, told: bytes, folder: Path) -> Seen:
    process = psutil.Process(pid)
    job = re.search(re.escape(bytes(folder)) + rb"/data/(?:run|extensions)/([^/\0]+)", told)
    command = told.partition(b"\0\0")[0].replace(b"\0", b" ")
    return Seen(
        pid=pid,
        started_at=process.create_time(),
        job_id=None if job is None else job[1].decode(),
        command=command.decode(errors="replace").replace(str(folder), "…")[:120],
    )


def _told_by(entry: Path) -> bytes:
    try:
        cwd = bytes((entry / "cwd").readlink())
        return b"\0".join([(entry / "cmdline").read_bytes(), cwd, (entry / "environ").read_bytes()])
    except OSError:  # it has ended, or is not ours to look at
        return b""
