"""An outage: the bot is gone for a while, in the midst of a stream, of a tool, of a call to it."""

import asyncio
import json
from pathlib import Path

from simulator.messages_api import Answer, Say, ToolUse, UseSeveral
from tests.fakes.waiting import until
from tests.soak.findings import Findings
from tests.soak.ground import Ground, open_ground
from tests.soak.jobs import REPORT, command, job_step, last_words
from tests.soak.kills import Say as Tell
from tests.soak.kills import calm, nothing_is_left
from tests.soak.truth import run_folders, stored_jobs

_STREAM, _SHORT_TOOL, _LONG_TOOL, _CALL = "talk-0-1", "linger-0-1", "linger-0-2", "report-0-1"
_NAMES = [_STREAM, _SHORT_TOOL, _LONG_TOOL, _CALL]
_BEGIN_SECONDS = 30.0
_MIDST_SECONDS = 1.5
"""After which every job is in the midst of what it does."""


async def outage(folder: Path, *, away_seconds: float, is_strict: bool, say: Tell) -> Findings:
    """Kill the bot for that long while jobs are at work, and return what was seen."""

    def step(name: str, *, is_first: bool, is_again: bool) -> Answer:
        return _step(name, away_seconds, is_first=is_first, is_again=is_again)

    async with open_ground(folder, step=step, jobs__limit="8") as ground:
        logins = ground.logins
        async with ground.bot() as bot:
            await ground.logged_in(after=logins)
            ground.ask(_NAMES)
            await until(lambda: set(_NAMES) <= set(ground.model.begun), timeout_seconds=30)
            await asyncio.sleep(_MIDST_SECONDS)
            bot.process.kill()
            await bot.process.wait()
        say(f"the bot is away for {away_seconds:g} s")
        await asyncio.sleep(away_seconds)
        await calm(ground, is_strict=is_strict)
        await nothing_is_left(ground)
        _tell(ground, away_seconds)
        return ground.findings


def _step(name: str, away_seconds: float, *, is_first: bool, is_again: bool) -> Answer:
    match name:
        case "talk-0-1":
            return Say(last_words(name), chunk_seconds=0.3)
        case "linger-0-1" if is_first:
            return command(_lasting(away_seconds / 2))
        case "linger-0-2" if is_first:
            return command(_lasting(away_seconds + 10))
        case "report-0-1" if is_first:
            waits = {"command": _lasting(_MIDST_SECONDS + 3), "description": "Wait"}
            says = {"message": "half of it", "fraction": 0.5}
            return UseSeveral((ToolUse("Bash", waits), ToolUse(REPORT, says)))
        case _:
            return job_step(name, is_first=is_first, is_again=is_again)


def _lasting(seconds: float) -> str:
    # Claude takes no plain `sleep` that is long.
    return f"timeout {seconds:g} tail -f /dev/null || true"


def _tell(ground: Ground, away_seconds: float) -> None:
    figures = ground.findings.figures
    figures["seconds away"] = f"{away_seconds:g}"
    for job in stored_jobs(ground.data):
        folders = run_folders(ground.data, job.id)
        figures[f"{job.name}"] = (
            f"{job.end.status}, {len(folders)} run(s), {_retries(folders)} retries of the model,"
            f" {ground.model.begun[job.name]} requests to it"
        )


def _retries(folders: list[Path]) -> int:
    lines = [line for path in folders for line in (path / "out.jsonl").read_bytes().splitlines()]
    return sum(json.loads(line).get("subtype") == "api_retry" for line in lines)
