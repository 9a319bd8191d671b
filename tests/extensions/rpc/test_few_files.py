"""What happens when this process may open no more files."""

import os
import resource
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from extensions.rpc.errors import PeerStartError
from tests.fakes.peer_owner import child

_MOST_FILES = 400


@contextmanager
def files_to_spare(count: int) -> Generator[None, None, None]:
    """Have so many files open that there is room for that many alone."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (_MOST_FILES, limits[1]))
    opened: list[int] = []
    try:
        with suppress(OSError):
            while True:
                opened.append(os.open("/dev/null", os.O_RDONLY))
        for fd in opened[:count]:
            os.close(fd)
        yield
    finally:
        for fd in opened[count:]:
            os.close(fd)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_without_files_to_spare_that_is_the_reason_and_nothing_stays_open() -> None:
    async with child("talker") as peer:
        await peer.call("echo", {}, timeout_seconds=20)
    before, reasons = open_files(), list[str]()
    for count in range(14):
        with files_to_spare(count):
            try:
                async with child("talker") as peer:
                    assert await peer.call("echo", {}, timeout_seconds=20) == {}
            except PeerStartError as error:
                reasons.append(error.reason.rpartition("`: ")[2])

    assert set(reasons) == {"too many files are open"}
    assert 3 < len(reasons) < 14
    assert open_files() == before
