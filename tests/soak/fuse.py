"""Kills a process when something has come to a stage."""

import asyncio
from asyncio.subprocess import Process
from collections.abc import Iterable

from tests.soak.moments import Moment, Stage


class Fuse:
    """Burns down to `kill -9`, once for each time that it is armed."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._moment: Moment | None = None
        """What is waited for; `None` once it has come."""
        self._names: frozenset[str] = frozenset()
        self._timer: asyncio.TimerHandle | None = None

    def arm(self, moment: Moment, process: Process, names: Iterable[str] = ()) -> None:
        """Kill `process` at `moment`; where that is one of a job, of a job of these names."""
        self._moment, self._process, self._names = moment, process, frozenset(names)

    def reached(self, stage: Stage, name: str | None = None) -> None:
        """Take note of a stage that was reached, by the job `name` if it is one of a job."""
        moment, process = self._moment, self._process
        if moment is None or process is None or moment.stage is not stage:
            return
        if name is not None and name not in self._names:
            return
        self._moment = None
        if moment.delay_seconds == 0:
            _kill(process)
        else:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(moment.delay_seconds, _kill, process)

    async def burnt(self, *, patience_seconds: float) -> bool:
        """Wait until the process is dead; return whether its moment had come.

        If that does not come in time, the process is killed all the same.
        """
        assert self._process is not None, "it is armed first"
        try:
            async with asyncio.timeout(patience_seconds):
                await self._process.wait()
        except TimeoutError:
            _kill(self._process)
            await self._process.wait()
        has_come = self._moment is None
        if self._timer is not None:
            self._timer.cancel()
        self._moment = self._process = self._timer = None
        return has_come


def _kill(process: Process) -> None:
    if process.returncode is None:
        process.kill()
