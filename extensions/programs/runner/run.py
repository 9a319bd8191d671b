"""The life of one run."""

from __future__ import annotations

import os
import resource
import select
import signal
import time

from extensions.programs.runner.control import ControlSocket, reserve, write_whole
from extensions.programs.runner.guard import guard_of
from extensions.programs.runner.output import Output
from extensions.programs.runner.program import Program, children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

_FIND_POLL_SECONDS, _BUSY_POLL_SECONDS, _IDLE_POLL_SECONDS = 0.003, 0.02, 0.2
_BUSY_FOR_SECONDS = 1.0
_SWEEP_SECONDS = 5.0
_ROOM_SECONDS, _RETRY_SECONDS = 24 * 3600.0, 1.0


class Run:
    """The run, from the start of its program until all of its processes are gone."""

    def __init__(self, spec: dict[str, Any], secrets: dict[str, Any]) -> None:
        self._spec = spec
        self._signals, wakeup = os.pipe()
        for fd in (self._signals, wakeup):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, _wake_up)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        self._control = ControlSocket()
        reserve("exit.json")
        self._guard = guard_of(spec)
        self._program = Program(spec, secrets, self._guard.folders)
        self._output = Output("out.jsonl")
        self._started_at = time.time()
        now = time.monotonic()
        self._deadline: float = now + spec["timeout_seconds"]
        self._busy_until = now + _BUSY_FOR_SECONDS
        self._kill_at: float | None = None
        self._exit_by: float | None = None
        self._sent_at = 0
        self._code: int | None = None
        self._reason = "exited"
        self._was_slow_to_exit = False
        if spec["first_line"] is not None:
            self._program.stdin.send(spec["first_line"])
        self._program.find()
        self._is_start_recorded = False
        self._record_start()

    def carry_on(self) -> None:
        """Go on until the program has ended; then end what it left, and record it."""
        while self._code is None:
            self._wait()
            self._reap()
            self._follow_output()
            self._keep_deadlines(time.monotonic())
            self._keep_limits()
            if self._program.find() or not self._is_start_recorded:
                self._try_to_record_start()
        # The kernel may have ended it for that.
        self._keep_limits()
        self._sweep()
        self._guard.close()
        self._record_end()

    def _wait(self) -> None:
        poll = select.poll()
        poll.register(self._signals, select.POLLIN)
        poll.register(self._control, select.POLLIN)
        if (fd := self._program.stdin.waits_for) is not None:
            poll.register(fd, select.POLLOUT)
        ready = dict(poll.poll(1000 * self._poll_seconds()))
        if self._signals in ready and signal.SIGTERM in os.read(self._signals, 512):
            self._stop("terminated")
        if self._control.fileno() in ready:
            self._control.serve(self._obey)
        self._program.stdin.flush()

    def _poll_seconds(self) -> float:
        if time.monotonic() >= self._busy_until:
            return _IDLE_POLL_SECONDS
        return _FIND_POLL_SECONDS if self._program.pid is None else _BUSY_POLL_SECONDS

    def _reap(self) -> None:
        try:
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == self._program.group:
                    self._code = os.waitstatus_to_exitcode(ended[1])
        except ChildProcessError:
            return

    def _follow_output(self) -> None:
        if self._output.size > self._spec["output_limit_bytes"]:
            self._stop("output")
        now = time.monotonic()
        if not self._output.read():
            return
        self._busy_until = now + _BUSY_FOR_SECONDS
        if self._output.result_end > self._sent_at:
            self._program.stdin.close()
            # From its last output: a message that came late may have begun another turn.
            self._exit_by = now + self._spec["exit_seconds"]

    def _keep_deadlines(self, now: float) -> None:
        if now >= self._deadline:
            self._stop("timeout")
        if self._exit_by is not None and now >= self._exit_by and self._kill_at is None:
            self._was_slow_to_exit = True
            self._end(now)
        if self._kill_at is not None and now >= self._kill_at:
            self._program.signal(signal.SIGKILL)

    def _keep_limits(self) -> None:
        limit = self._guard.exceeded()
        if limit is not None and self._reason == "exited":
            self._reason = limit
            self._busy_until = time.monotonic() + _BUSY_FOR_SECONDS
            # Without grace: it would go on to use more.
            self._program.signal(signal.SIGKILL)
            self._guard.kill()

    def _stop(self, reason: str) -> None:
        if self._reason == "exited" and self._code is None:
            self._reason = reason
            self._end(time.monotonic())

    def _end(self, now: float) -> None:
        self._busy_until = now + self._spec["grace_seconds"] + _BUSY_FOR_SECONDS
        self._kill_at = self._kill_at or now + self._spec["grace_seconds"]
        self._program.signal(signal.SIGTERM)

    def _obey(self, request: dict[str, Any]) -> str | None:
        """Do what is asked; return why it is not done."""
        self._follow_output()
        match request:
            case {"verb": "cancel"}:
                self._stop("cancelled")
            case {"verb": "close"}:
                self._program.stdin.close()
            case {"verb": "send", "line": str(line)}:
                self._sent_at = self._output.size
                return self._program.stdin.send(line)
            case _:
                return "the verb is not understood"
        return None

    def _sweep(self) -> None:
        """End what the program left behind, also where it left the group."""
        self._program.signal(signal.SIGKILL)
        give_up_at = time.monotonic() + _SWEEP_SECONDS
        # What loses its parent comes to this process, so that nothing is missed in the end.
        while (left := children(os.getpid())) and time.monotonic() < give_up_at:
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            self._guard.kill()
            self._reap()
            time.sleep(0.001)

    def _try_to_record_start(self) -> None:
        try:
            self._record_start()
        except OSError:
            # The disk is full, perhaps; a run need not end for that.
            self._is_start_recorded = False

    def _record_start(self) -> None:
        record = {
            "runner_pid": os.getpid(),
            "pid": self._program.pid,
            "started_at": self._started_at,
            "cgroups": self._guard.folders,
        }
        write_whole("runner.json", record)
        self._is_start_recorded = True

    def _record_end(self) -> None:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        record = {
            "code": self._code,
            "reason": self._reason,
            "pid": self._program.pid,
            "started_at": self._started_at,
            "finished_at": time.time(),
            "max_rss_kb": used.ru_maxrss,
            "cpu_seconds": used.ru_utime + used.ru_stime,
            "was_slow_to_exit": self._was_slow_to_exit,
            "was_disk_full": os.statvfs(".").f_bavail == 0,
        }
        self._write_end(record)
        self._control.close()

    def _write_end(self, record: dict[str, Any]) -> None:
        """Write how it ended, however long it takes until the disk takes it, within limits."""
        give_up_at = time.monotonic() + _ROOM_SECONDS
        poll = select.poll()
        poll.register(self._signals, select.POLLIN)
        while True:
            try:
                return write_whole("exit.json", record)
            except OSError:
                if time.monotonic() >= give_up_at:
                    raise
            if poll.poll(1000 * _RETRY_SECONDS) and signal.SIGTERM in os.read(self._signals, 512):
                give_up_at = 0.0


def _wake_up(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: that the signal is handled at all wakes the poll."""
