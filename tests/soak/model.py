"""What the model says: a speaker that starts the jobs it is asked for, and jobs as their names say.

It goes by all that was said before, as a model does: nothing is done again by a session that knows
that it was done.
"""

import json
import os
import signal
from collections import Counter
from pathlib import Path
from typing import Protocol

from simulator.messages_api import Answer, ModelRequest, Say
from tests.fakes.model_script import SPAWN, is_speaker
from tests.fakes.waiting import until
from tests.soak.jobs import END, REPORT, JobStep, Kind, job_step, kind_of, names_in, starting
from tests.soak.moments import Stage
from tests.soak.truth import runner_of


class Reached(Protocol):
    """Is told how far a speaker or a job has come."""

    def __call__(self, stage: Stage, name: str | None = None) -> None:
        """Take note of it; `name` is the job's."""
        ...


class SoakModel:
    """Answers speakers and jobs, and tells how far they have come."""

    def __init__(self, data: Path, reached: Reached, step: JobStep = job_step) -> None:
        """Make it.

        Args:
            data: The folder of the bots' data.
            reached: Is told how far speakers and jobs have come.
            step: What is said in a job.
        """
        self._data = data
        self._reached = reached
        self._step = step
        self.promised: dict[str, str] = {}
        """The jobs that a speaker was told to be started: their names, by their ids."""
        self.calls: dict[str, str | None] = {}
        """What came of a job's call to the bot, by its name: `None` if it went through."""
        self.begun: Counter[str] = Counter()
        """How often the model was asked in a job, by its name."""

    async def __call__(self, request: ModelRequest) -> Answer:
        """Return what is said next."""
        return self._speak(request) if is_speaker(request) else await self._work(request)

    def _speak(self, request: ModelRequest) -> Answer:
        for result in request.tool_results:
            if result.tool == SPAWN and not result.is_error:
                answer = json.loads(result.text)
                self.promised[answer["id"]] = answer["name"]
        known = set(self.promised.values())
        names = [name for name in names_in(request.last_user_text) if name not in known]
        if request.step == 0 and names:
            self._reached(Stage.SPAWN)
            return starting(names)
        return Say(f"I have seen to it. {END}")

    async def _work(self, request: ModelRequest) -> Answer:
        name = names_in("\n".join(request.user_texts))[0]
        for result in request.tool_results:
            if result.tool == REPORT:
                self.calls[name] = result.text if result.is_error else None
        is_first = '"tool_use"' not in json.dumps(request.body["messages"])
        answer = self._step(name, is_first=is_first, is_again=self.begun[name] > 0)
        self.begun[name] += 1
        self._reached(Stage.RUN if is_first else Stage.WORK, name)
        if isinstance(answer, Say):
            self._reached(Stage.SETTLE, name)
        if kind_of(name) is Kind.ORPHAN:
            await self._kill_runner(name)
        return answer

    async def _kill_runner(self, name: str) -> None:
        await until(lambda: runner_of(self._data, name) is not None)
        runner = runner_of(self._data, name)
        assert runner is not None
        os.kill(runner, signal.SIGKILL)
