"""Many jobs: what they cost the bot, and what is said of them."""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from bot.control.client import read_status
from bot.errors import ControlError
from simulator.demo.bot_process import BotProcess
from tests.soak.channel import is_notice
from tests.soak.findings import Findings
from tests.soak.ground import Ground, open_ground
from tests.soak.kills import Say as Tell
from tests.soak.kills import calm, nothing_is_left
from tests.soak.processes import processes_of
from tests.soak.truth import stored_jobs

_BATCH = 50
"""So many are asked for in one message."""
_POLL_SECONDS = 0.05
_MEASURE_SECONDS = 1.0
_JOB_SECONDS = 5.0
_MEBIBYTE = 1 << 20


@dataclass
class Samples:
    """What was measured meanwhile."""

    lags: list[float] = field(default_factory=list[float])
    """How long the bot took to answer on its control socket, in seconds."""
    runner_pss: list[float] = field(default_factory=list[float])
    """Of each runner, each time, in MiB."""
    runner_rss: list[float] = field(default_factory=list[float])
    bot_rss: float = 0.0
    """The most, in MiB."""


async def many(folder: Path, *, jobs: int, at_once: int, is_strict: bool, say: Tell) -> Findings:
    """Have that many quick jobs carried out, and return what was seen."""
    async with open_ground(folder, jobs__limit=str(at_once)) as ground:
        logins, samples, began_at = ground.logins, Samples(), time.monotonic()
        async with ground.bot() as bot:
            await ground.logged_in(after=logins)
            for first in range(0, jobs, _BATCH):
                count = min(_BATCH, jobs - first)
                ground.ask([f"quick-{first}-{number}" for number in range(1, count + 1)])
            give_up_at = began_at + 30 + _JOB_SECONDS * jobs
            while not _are_settled(ground, jobs) and time.monotonic() < give_up_at:
                await asyncio.to_thread(_measure, bot, ground, samples)
            seconds = time.monotonic() - began_at
        say(f"{jobs} jobs in {seconds:.0f} s")
        await calm(ground, is_strict=is_strict)
        await nothing_is_left(ground)
        _tell(ground, samples, seconds)
        return ground.findings


def _are_settled(ground: Ground, count: int) -> bool:
    settled = [job for job in stored_jobs(ground.data) if job.is_settled]
    return len(settled) >= count


def _measure(bot: BotProcess, ground: Ground, samples: Samples) -> None:
    """Take samples for a while."""
    until = time.monotonic() + _MEASURE_SECONDS
    while time.monotonic() < until:
        asked_at = time.monotonic()
        with suppress(ControlError):
            read_status(ground.data / "control.sock")
        samples.lags.append(time.monotonic() - asked_at)
        time.sleep(_POLL_SECONDS)
    for seen in processes_of(ground.house.folder):
        if "runner/__main__" in seen.command:
            with suppress(psutil.Error):
                memory = psutil.Process(seen.pid).memory_full_info()
                samples.runner_pss.append(memory.pss / _MEBIBYTE)
                samples.runner_rss.append(memory.rss / _MEBIBYTE)
    rss = psutil.Process(bot.process.pid).memory_info().rss
    samples.bot_rss = max(samples.bot_rss, rss / _MEBIBYTE)


def _tell(ground: Ground, samples: Samples, seconds: float) -> None:
    jobs = len(stored_jobs(ground.data))
    notices = [message for message in ground.messages() if is_notice(message)]
    lags = sorted(1000 * lag for lag in samples.lags)
    ground.findings.figures |= {
        "jobs": str(jobs),
        "seconds in all": f"{seconds:.0f}",
        "messages with notices": str(len(notices)),
        "a runner's memory": f"{_mean(samples.runner_pss):.1f} MiB PSS on average,"
        f" {max(samples.runner_rss, default=0):.1f} MiB RSS at most",
        "the bot's memory": f"{samples.bot_rss:.0f} MiB RSS at most",
        "the control socket answers within": f"{_rank(lags, 0.5):.0f} ms (p50),"
        f" {_rank(lags, 0.99):.0f} ms (p99), {lags[-1]:.0f} ms (at most)",
    }


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _rank(values: list[float], share: float) -> float:
    return values[min(len(values) - 1, int(share * len(values)))]
