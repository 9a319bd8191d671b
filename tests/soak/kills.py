"""Kill rounds: bots that are killed at all moments, on one data folder, one after the other."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path

from simulator.demo.bot_process import BotProcess
from tests.soak.channel import notices_by_name
from tests.soak.checks import (
    check_channel,
    check_gone,
    check_jobs,
    check_listening,
    check_shown,
    others,
    replies,
)
from tests.soak.findings import Findings
from tests.soak.ground import Ground, open_ground
from tests.soak.jobs import names_in, new_names
from tests.soak.moments import Moment, Stage, moments
from tests.soak.truth import stored_jobs

ROUNDS_BETWEEN_CALMS = 10
_PATIENCE_SECONDS = 8.0
_CALM_SECONDS = 90.0
_LATE_SECONDS = 3.0
"""How long one waits for what must not come."""
_MOST_JOBS = 3
_POLL_SECONDS = 0.1

Say = Callable[[str], None]


async def kill_rounds(
    folder: Path, *, rounds: int, seed: int, is_strict: bool, say: Say
) -> Findings:
    """Kill that many bots at moments that the seed tells, and return what was seen."""
    dice = random.Random(seed)  # noqa: S311 - it can be repeated
    times = moments(dice)
    async with open_ground(folder) as ground:
        began_at = time.monotonic()
        for first in range(1, rounds + 1, ROUNDS_BETWEEN_CALMS):
            last = min(first + ROUNDS_BETWEEN_CALMS - 1, rounds)
            async with asyncio.TaskGroup() as looks:
                for number in range(first, last + 1):
                    names = new_names(dice, number, dice.randint(1, _MOST_JOBS))
                    look = await kill_round(ground, next(times), names, say)
                    looks.create_task(look)
            await calm(ground, is_strict=is_strict)
            violations = ground.findings.violations
            say("\n  ".join([f"{last} kills, {len(violations)} violations", *map(str, violations)]))
        await nothing_is_left(ground)
        _tell(ground, time.monotonic() - began_at, rounds)
        return ground.findings


async def kill_round(
    ground: Ground,
    moment: Moment,
    names: list[str],
    say: Say,
    *,
    patience_seconds: float = _PATIENCE_SECONDS,
) -> Coroutine[None, None, None]:
    """Start a bot, ask it for jobs, and kill it at `moment`.

    Args:
        ground: Where.
        moment: When; where it is one of a job, of one of these jobs.
        names: The jobs.
        say: Is told how it went.
        patience_seconds: After which it is killed all the same.

    Returns:
        What waits until all is gone that must be.
    """
    logins = ground.logins
    # Before it is there: that is read when it has come.
    is_early = moment.stage in {Stage.START, Stage.LOGIN}
    async with ground.bot() as bot, asyncio.TaskGroup() as tasks:
        ground.fuse.arm(moment, bot.process, names)
        ground.fuse.reached(Stage.START)
        if is_early:
            ground.ask(names)
        else:
            asking = tasks.create_task(_ask_once_there(ground, names, after=logins))
            bot_ended = tasks.create_task(bot.process.wait())
            bot_ended.add_done_callback(lambda _: asking.cancel())
        came = await ground.fuse.burnt(patience_seconds=patience_seconds)
        left = others(ground)
        check_shown(ground)
    if not came:
        ground.missed.append(moment)
    say(f"  {ground.lives}: {', '.join(names)}: {moment}{'' if came else ', which never came'}")
    return check_gone(ground, left, f"after kill {ground.lives}, at {moment}")


async def calm(ground: Ground, *, is_strict: bool) -> None:
    """Run a bot until all is done, and see whether all is well."""
    logins = ground.logins
    async with ground.bot() as bot:
        await ground.logged_in(after=logins)
        await _all_done(ground, is_strict=is_strict)
        await asyncio.sleep(_LATE_SECONDS)
        await _look_around(ground, bot, is_strict=is_strict)
        bot.process.kill()
        await bot.process.wait()


async def nothing_is_left(ground: Ground) -> None:
    """See that no process is left at all, once no bot runs."""
    await check_gone(ground, others(ground), "in the end")


async def _ask_once_there(ground: Ground, names: list[str], *, after: int) -> None:
    await ground.logged_in(after=after)
    ground.ask(names)


async def _all_done(ground: Ground, *, is_strict: bool) -> None:
    """Wait until jobs have settled and were told of; no longer than that should take."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_CALM_SECONDS):
            while True:
                if _is_done(ground, is_strict=is_strict):
                    return
                await asyncio.sleep(_POLL_SECONDS)


def _is_done(ground: Ground, *, is_strict: bool) -> bool:
    told = notices_by_name(ground.messages())
    are_told = all(job.is_settled and told[job.name] for job in stored_jobs(ground.data))
    if not is_strict:
        return are_told
    return are_told and all(reply.is_fine for reply in replies(ground).values())


async def _look_around(ground: Ground, bot: BotProcess, *, is_strict: bool) -> None:
    when = f"after kill {ground.lives - 1}"
    check_jobs(ground)
    check_channel(ground, is_strict=is_strict)
    await check_listening(ground, when)
    jobs = [seen for seen in others(ground, besides=bot.process.pid) if seen.job_id is not None]
    await check_gone(ground, jobs, f"{when}, when all was done")


def _tell(ground: Ground, seconds: float, rounds: int) -> None:
    jobs = stored_jobs(ground.data)
    became = Counter(replies(ground).values())
    counts = ", ".join(f"{count} {reply}" for reply, count in became.items())
    twice = len(jobs) - len({names_in(job.name)[0] for job in jobs})
    ground.findings.figures |= {
        "kills": f"{rounds}, {len(ground.missed)} of them late, as their moment did not come",
        "bots started": str(ground.lives),
        "jobs": str(len(jobs)),
        "messages": f"{became.total()}: {counts}",
        "jobs that were started twice": str(twice),
        "seconds in all": f"{seconds:.0f}",
        "seconds a kill": f"{seconds / rounds:.1f}",
    }
