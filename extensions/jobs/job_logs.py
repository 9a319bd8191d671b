"""Reads what the runs of jobs have left on this machine of what they did."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

from extensions.claude.lines import LineSplitter, TooLong
from extensions.jobs.job import Job
from extensions.jobs.job_log import JobLog
from extensions.jobs.progress import Progress
from extensions.jobs.run_plan import RunFolders
from extensions.jobs.trace import RunTrace

_MOST_READ_BYTES = 64 * 1024 * 1024
"""How much of what the runs of a job have printed is read for its log: the newest part."""
_MOST_TRACED_BYTES = 32 * 1024 * 1024
"""How much a run may have printed for its progress to be read once more."""
_LINE_BYTES = 32 * 1024 * 1024
_CHUNK_BYTES = 256 * 1024


class JobLogs:
    """The logs of the jobs that were carried out on this machine."""

    def __init__(self, folder: Path) -> None:
        """Take the folder that holds the files of all runs."""
        self._folder = folder

    async def read(self, job: Job, *, most_bytes: int) -> str | None:
        """Return the log of a job, over all of its runs; `None` if none is kept.

        Args:
            job: Whose.
            most_bytes: How long it may be; of a longer one it is the newest part.
        """
        return await asyncio.to_thread(self._read, job, most_bytes)

    async def progress_of(self, job: Job) -> Progress:
        """Return how far the newest run of a job had come; nothing if that cannot be known."""
        return await asyncio.to_thread(self._trace, job)

    def _read(self, job: Job, most_bytes: int) -> str | None:
        outputs = self._outputs(job)
        if not outputs:
            return None
        log, bytes_before = JobLog(job, most_bytes=most_bytes), sum(outputs.values())
        for number, size in outputs.items():
            # Of what has to be left out, the oldest goes first.
            begin = min(size, max(0, bytes_before - _MOST_READ_BYTES))
            bytes_before -= size
            log.begin_run(number)
            if begin:
                log.leave_out()
            for line in _lines(self._output(job, number), begin, size):
                log.add(line)
        return log.text

    def _trace(self, job: Job) -> Progress:
        size = self._outputs(job).get(job.run_number, 0)
        trace = RunTrace()
        if size <= _MOST_TRACED_BYTES:
            for line in _lines(self._output(job, job.run_number), 0, size):
                trace = trace.after_line(line)
        return trace.progress

    def _outputs(self, job: Job) -> dict[int, int]:
        """Return how much each run has printed, by its number."""
        sizes: dict[int, int] = {}
        for number in range(1, job.run_number + 1):
            try:
                sizes[number] = self._output(job, number).stat().st_size
            except OSError:  # it never started, or its files are kept no more
                continue
        return sizes

    def _output(self, job: Job, run_number: int) -> Path:
        return RunFolders(self._folder / job.id).control(run_number) / "out.jsonl"


def _lines(path: Path, begin: int, end: int) -> Iterator[bytes]:
    """Yield the whole lines between two places of a file; it may grow or vanish meanwhile."""
    splitter = LineSplitter(_LINE_BYTES)
    try:
        with path.open("rb") as file:
            # What was begun before the place is no whole line.
            file.seek(max(0, begin - 1))
            is_first = begin > 0
            while chunk := file.read(min(_CHUNK_BYTES, end - file.tell())):
                if is_first:
                    chunk, is_first = _after_line_end(chunk)
                for line in splitter.feed(chunk):
                    if not isinstance(line, TooLong):
                        yield line
    except OSError:
        return


def _after_line_end(chunk: bytes) -> tuple[bytes, bool]:
    """Return what follows the first end of a line, and whether none was found yet."""
    _, found, rest = chunk.partition(b"\n")
    return rest, not found
