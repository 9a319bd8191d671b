"""How soon a job runs once it is asked for, and how soon its end is told."""

import json
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

from benchmarks.rows import Row, Target
from benchmarks.samples import Samples
from benchmarks.text.house import open_house
from benchmarks.text.model import PromptModel
from benchmarks.text.one_shot import OneShot
from benchmarks.text.stage import Stage, running_stage
from bot.data_folder import DataFolder
from extensions.jobs.run_plan import RunFolders
from extensions.process.detached import Exited, runner_state
from simulator.messages_api import Answer, ModelRequest, Say, Use

_SPAWN = "mcp__papercup__spawn_extension"
_HANDED_OVER = "It is on its way."
_TIMES_LONGER = 2.0
_NOTICE_LIMIT_MS = 1000.0
_SETTINGS = {"jobs.spawns_per_minute": "1000"}
"""One person asks for all jobs, one soon after the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Jobs:
    """What was measured."""

    to_process: Samples
    to_request: Samples
    exit_to_notice: Samples
    words_to_notice: Samples
    one_shot_request: Samples
    """From the start of a `claude -p` to its request to the model."""

    def rows(self) -> list[Row]:
        """Return what is told of it."""
        return [
            Row(
                name="spawn → running: times a bare `claude -p`",
                value=self.to_request.median / self.one_shot_request.median,
                unit="times",
                target=Target("≤", _TIMES_LONGER),
                against="one without bot, runner and jail, from its start, measured in turns with"
                " it; to the first request, medians",
            ),
            *self.to_process.rows(
                "spawn → running: process up",
                against="from the model's tool call until the runner knows the pid of `claude`",
            ),
            *self.to_request.rows(
                "spawn → running: first request",
                against="from the model's tool call until the job asks the model",
            ),
            *self.one_shot_request.rows(
                "bare `claude -p`: first request", against="from its start until it asks the model"
            ),
            *self.exit_to_notice.rows(
                "settle → notice",
                against="from the end that the runner recorded until Discord has the notice;"
                " limit: 1 s",
                limit_ms=_NOTICE_LIMIT_MS,
            ),
            *self.words_to_notice.rows(
                "last words → notice",
                against="from the model's last answer; the exit of `claude` is in it",
            ),
        ]


async def measure(folder: Path, rounds: int) -> Jobs:
    """Measure it, on a bot of its own."""
    model, bare_model = _Model(), PromptModel()
    measured: list[_Job] = []
    requests: list[float] = []
    async with (
        open_house(folder / "bare", bare_model) as house,
        running_stage(folder, model, _SETTINGS) as stage,
    ):
        shots = OneShot(house)
        await stage.alice.slash(stage.channel, "pickup")
        await stage.alice.slash(stage.channel, "notify", state="on")
        for number in range(rounds + 1):
            job = await _job(stage, model, f"round-{number}")
            began, _ = await shots.first_text("Hello.", str(uuid.uuid4()), is_resumed=False)
            if number:  # the first starts the speaker, and fills caches
                measured.append(job)
                requests.append(bare_model.asked_at - began)
    return Jobs(
        to_process=Samples([job.running_at - job.called_at for job in measured]),
        to_request=Samples([job.asked_at - job.called_at for job in measured]),
        exit_to_notice=Samples([job.told_at - job.ended_at for job in measured]),
        words_to_notice=Samples([job.told_at - job.asked_at for job in measured]),
        one_shot_request=Samples(requests),
    )


class _Model:
    """Hands everything to a job, which says one word; remembers when what happened."""

    def __init__(self) -> None:
        self.called_at = 0.0
        self.asked_at = 0.0
        self.job_id = ""

    def __call__(self, request: ModelRequest) -> Answer:
        if _SPAWN not in request.tools:
            self.asked_at = time.monotonic()
            return Say("Done.")
        if request.last_tool_result is None:
            name = request.last_user_text.split()[-1]
            self.called_at = time.monotonic()
            return Use(_SPAWN, {"task": "Say that you are done.", "name": name})
        self.job_id = json.loads(request.last_tool_result)["id"]
        return Say(_HANDED_OVER)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """When what happened to one job; monotonic."""

    called_at: float
    running_at: float
    asked_at: float
    ended_at: float
    told_at: float


async def _job(stage: Stage, model: _Model, name: str) -> _Job:
    await stage.answer(name, _HANDED_OVER)
    notice = await stage.sees(lambda m: m.text.startswith("🔔") and f"**{name}**" in m.text)
    control = RunFolders(DataFolder(stage.bot.data).run / model.job_id).control(1)
    ended = runner_state(control)
    assert isinstance(ended, Exited), "a job is told of when it has ended"
    since_the_epoch = time.time() - time.monotonic()
    return _Job(
        called_at=model.called_at,
        running_at=_found_at(control) - since_the_epoch,
        asked_at=model.asked_at,
        ended_at=ended.finished_at - since_the_epoch,
        told_at=notice.posted_at_seconds,
    )


def _found_at(control: Path) -> float:
    """Return when the runner found the job's process; Unix time."""
    # The record is written then, and not again.
    return (control / "runner.json").stat().st_mtime
