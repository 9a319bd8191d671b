"""Keeps `data/extensions.json` on the disk as its text changes."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from extensions.disk import is_disk_full, write_atomically
from extensions.jobs.extensions_json import ExtensionsJson
from extensions.jobs.job import Job

logger = logging.getLogger(__name__)

_SPACING_SECONDS = 0.05
_RETRY_SECONDS = 1.0


class ExtensionsFile:
    """The file. Get one from `keeping_extensions_file`."""

    def __init__(self, path: Path, jobs: Iterable[Job], write: "WriteFile") -> None:
        self._path = path
        self._write_file = write
        self._is_failing = False
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
            await self._write_file(self._path, data)
        except OSError as error:
            self._say_once_that_it_fails(error)
            return False
        if self._is_failing:
            self._is_failing = False
            logger.warning("%s is up to date again", self._path)
        return True

    def _say_once_that_it_fails(self, error: OSError) -> None:
        # It is tried again each second: a full disk should not get a longer log for it.
        if not self._is_failing:
            reason = "the disk is full" if is_disk_full(error) else str(error)
            logger.error("cannot write %s, whose older content stays: %s", self._path, reason)
        self._is_failing = True


WriteFile = Callable[[Path, bytes], Awaitable[None]]
"""Puts content into a file, whole or not at all; raises OSError if it cannot."""


async def _write_on_a_thread(path: Path, data: bytes) -> None:
    await asyncio.to_thread(write_atomically, path, data)


@asynccontextmanager
async def keeping_extensions_file(
    path: Path, jobs: Iterable[Job], *, write: WriteFile = _write_on_a_thread
) -> AsyncGenerator[ExtensionsFile, None]:
    """Keep the file at `path` up to date while the block lasts.

    Args:
        path: The file; what it held before does not count.
        jobs: The jobs that it shows at first, oldest first.
        write: Writes the file.
    """
    file = ExtensionsFile(path, jobs, write)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(file.keep_written())
        try:
            yield file
        finally:
            file.close()
