"""Keeps `data/extensions.json` on the disk as its text changes."""

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from extensions.jobs.extensions_json import ExtensionsJson
from extensions.jobs.job import Job

logger = logging.getLogger(__name__)

_SPACING_SECONDS = 0.05
_RETRY_SECONDS = 1.0


class ExtensionsFile:
    """The file. Get one from `keeping_extensions_file`."""

    def __init__(self, path: Path, jobs: Iterable[Job]) -> None:
        self._path = path
        self._content = ExtensionsJson()
        for job in jobs:
            self._content.put(job)
        self._changed = asyncio.Event()
        self._hurry = asyncio.Event()
        self._closed = False

    def put(self, job: Job) -> None:
        """Have the file show a job as it is now: soon, and at once if it has settled."""
        self._content.put(job)
        self._changed.set()
        if job.status.is_settled:
            self._hurry.set()

    def close(self) -> None:
        """Have `keep_written` write what is not yet written, and return."""
        self._closed = True
        self._changed.set()
        self._hurry.set()

    async def keep_written(self) -> None:
        """Write the file at once, and then after each change, until it is closed."""
        while True:
            self._changed.clear()
            self._hurry.clear()
            last = self._closed
            written = await self._write()
            if last:
                return
            if not written:
                self._changed.set()
                await self._rest(_RETRY_SECONDS)
            await self._changed.wait()
            await self._rest(_SPACING_SECONDS)

    async def _rest(self, seconds: float) -> None:
        """Let further changes come together, unless one of them cannot wait."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._hurry.wait()

    async def _write(self) -> bool:
        data = self._content.text().encode()
        try:
            await asyncio.to_thread(write_atomically, self._path, data)
        except OSError:
            logger.exception("cannot write %s; its older content stays", self._path)
            return False
        return True


@asynccontextmanager
async def keeping_extensions_file(
    path: Path, jobs: Iterable[Job]
) -> AsyncGenerator[ExtensionsFile, None]:
    """Keep the file at `path` up to date while the block lasts.

    Args:
        path: The file; what it held before does not count.
        jobs: The jobs that it shows at first, oldest first.
    """
    file = ExtensionsFile(path, jobs)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(file.keep_written())
        try:
            yield file
        finally:
            file.close()


def write_atomically(path: Path, data: bytes) -> None:
    """Put `data` into a file that only its owner can read: whole, or not at all.

    Raises:
        OSError: If it cannot be written; the file is then what it was before.
    """
    temporary = path.with_name(path.name + ".tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(temporary, flags, 0o600), "wb") as file:  # noqa: PTH123 - a descriptor
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
