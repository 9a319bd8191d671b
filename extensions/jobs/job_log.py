"""The log of a job: what it did, step by step, as text. Pure."""

from collections import deque
from datetime import UTC, datetime

from extensions.jobs.job import Job
from extensions.jobs.log_steps import Steps, set_in, time_of

_LONGEST_TASK = 4000
_CUT = "The beginning is left out, as the whole is too long: this is the newest part."
_NO_STEPS = "Nothing has been written down yet."
_SPARE_BYTES = 200


class JobLog:
    """Takes the lines of a job's runs in their order, and keeps the newest part of the log."""

    def __init__(self, job: Job, *, most_bytes: int) -> None:
        """Make an empty one.

        Args:
            job: Whose log it is.
            most_bytes: How long the whole text may be, in UTF-8.
        """
        self._head = _head(job)
        self._bytes_left = max(0, most_bytes - len(self._head.encode()) - _SPARE_BYTES)
        self._words = Steps()
        self._steps: deque[str] = deque()
        self._time: str | None = None
        self._is_cut = False

    def begin_run(self, number: int) -> None:
        """Take note that the lines which follow are those of another run."""
        self._time, self._words = None, Steps()
        self._put(f"\n== Run {number} ==")

    def leave_out(self) -> None:
        """Take note that lines were left out here."""
        self._is_cut = True

    def add(self, line: bytes) -> None:
        """Take a line."""
        self._time = time_of(line) or self._time
        if step := self._words.step_of(line):
            self._put(f"{self._time or '--:--:--'}  {step}")

    @property
    def text(self) -> str:
        """All of it, or as much of its newest part as there is room for."""
        steps = self._steps or [_NO_STEPS]
        return "\n".join([self._head, *([_CUT] if self._is_cut else []), *steps]) + "\n"

    def _put(self, step: str) -> None:
        self._steps.append(step)
        self._bytes_left -= _size(step)
        while self._bytes_left < 0 and self._steps:
            self._bytes_left += _size(self._steps.popleft())
            self._is_cut = True


def _size(step: str) -> int:
    return len(step.encode()) + 1


def _head(job: Job) -> str:
    task = job.task if len(job.task) <= _LONGEST_TASK else f"{job.task[: _LONGEST_TASK - 1]}…"
    asked_at = datetime.fromtimestamp(job.created_at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    lines = [
        f"{job.name} ({job.id}), {job.status.value}",
        f"Asked for at {asked_at}; all times are UTC.",
        "Task:",
        set_in(task),
    ]
    return "\n".join(lines)
