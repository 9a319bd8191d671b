"""Kill rounds: bots that are killed at all moments, on one data folder, one after the other."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from simulator.demo.bot_process import BotProcess
from tests.soak.channel import Reply, cards_by_name, notices_by_name
from tests.soak.checks import (
    ANSWERED,
    THERE,
    check_channel,
    check_gone,
    check_jobs,
    check_listening,
    check_shown,
    others,
    replies,
    shows_end,
)
from tests.soak.findings import Findings
from tests.soak.ground import LOGIN_SECONDS, Ground, open_ground
from tests.soak.jobs import names_in, new_names
from tests.soak.moments import Moment, Stage, moments
from tests.soak.truth import stored_jobs

_ROUNDS_BETWEEN_CALMS = 10
_ROUNDS_IN_A_FOLDER = 75
"""After 100 bots in a day, the next one waits before it goes to Discord."""
_PATIENCE_SECONDS = 8.0
_CALM_SECONDS = 90.0
_LATE_SECONDS = 3.0
"""How long one waits for what must not come."""
_MOST_JOBS = 3
_POLL_SECONDS = 0.1

Say = Callable[[str], None]


@dataclass
class _Tally:
    """What is told in the end."""

    lives: int = 0
    jobs: int = 0
    started_twice: int = 0
    missed: int = 0
    replies: Counter[Reply] = field(default_factory=Counter[Reply])


async def kill_rounds(
    folder: Path, *, rounds: int, seed: int, is_strict: bool, say: Say
) -> Findings:
    """Kill that many bots at moments that the seed tells, and return what was seen."""
    dice = random.Random(seed)  # noqa: S311 - it can be repeated
    times, findings, tally = moments(dice), Findings(), _Tally()
    began_at = time.monotonic()
    for first in range(1, rounds + 1, _ROUNDS_IN_A_FOLDER):
        numbers = range(first, min(first + _ROUNDS_IN_A_FOLDER, rounds + 1))
        own_folder = folder / f"from-{first}"
        own_folder.mkdir()
        async with open_ground(own_folder, findings) as ground:
            await _kill_in_one_folder(ground, numbers, dice, times, is_strict=is_strict, say=say)
            _count(ground, tally)
    seconds = time.monotonic() - began_at
    became = ", ".join(f"{count} {reply}" for reply, count in tally.replies.items())
    findings.figures |= {
        "kills": f"{rounds}, {tally.missed} of them late, as their moment did not come",
        "bots started": str(tally.lives),
        "jobs": str(tally.jobs),
        "messages": f"{tally.replies.total()}: {became}",
        "jobs that were started twice": str(tally.started_twice),
        "seconds in all": f"{seconds:.0f}",
        "seconds a kill": f"{seconds / rounds:.1f}",
    }
    return findings


async def _kill_in_one_folder(
    ground: Ground,
    numbers: range,
    dice: random.Random,
    times: Iterator[Moment],
    *,
    is_strict: bool,
    say: Say,
) -> None:
    for first in numbers[::_ROUNDS_BETWEEN_CALMS]:
        last = min(first + _ROUNDS_BETWEEN_CALMS - 1, numbers[-1])
        async with asyncio.TaskGroup() as looks:
            for number in range(first, last + 1):
                names = new_names(dice, number, dice.randint(1, _MOST_JOBS))
                look = await kill_round(ground, next(times), names, say)
                looks.create_task(look)
        await calm(ground, is_strict=is_strict)
        violations = ground.findings.violations
        say("\n  ".join([f"{last} kills, {len(violations)} violations", *map(str, violations)]))
    await nothing_is_left(ground)


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
    return check_gone(ground, left, f"{ground}, killed at {moment}")


async def calm(ground: Ground, *, is_strict: bool) -> None:
    """Run a bot until all is done, and see whether all is well."""
    logins = ground.logins
    async with ground.bot() as bot:
        await _comes_to_discord(ground, after=logins)
        await _all_done(ground, is_strict=is_strict)
        await asyncio.sleep(_LATE_SECONDS)
        await _look_around(ground, bot, is_strict=is_strict)
        bot.process.kill()
        await bot.process.wait()


async def nothing_is_left(ground: Ground) -> None:
    """See that no process is left at all, once no bot runs."""
    await check_gone(ground, others(ground), f"{ground}, in the end")


async def _comes_to_discord(ground: Ground, *, after: int) -> None:
    seen = None
    try:
        await ground.logged_in(after=after)
    except TimeoutError:
        seen = f"not within {LOGIN_SECONDS:g} s"
    ground.findings.check(THERE, str(ground), seen)


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
    jobs, messages = stored_jobs(ground.data), ground.messages()
    told, cards = notices_by_name(messages), cards_by_name(messages)
    if not all(job.is_settled and told[job.name] for job in jobs):
        return False
    # Cards of one channel are edited one after another, which takes a while.
    if not all(shows_end(cards.get(job.name, []), job) for job in jobs):
        return False
    # What was in vain before is not waited for again.
    in_vain = {violation.subject for violation in ground.findings.of(ANSWERED)}
    became = replies(ground).items()
    return not is_strict or all(fate.is_fine or text in in_vain for text, fate in became)


async def _look_around(ground: Ground, bot: BotProcess, *, is_strict: bool) -> None:
    check_jobs(ground)
    check_channel(ground, is_strict=is_strict)
    await check_listening(ground)
    jobs = [seen for seen in others(ground, besides=bot.process.pid) if seen.job_id is not None]
    await check_gone(ground, jobs, f"{ground}, when all was done")


def _count(ground: Ground, tally: _Tally) -> None:
    jobs = stored_jobs(ground.data)
    tally.lives += ground.lives
    tally.jobs += len(jobs)
    tally.started_twice += len(jobs) - len({names_in(job.name)[0] for job in jobs})
    tally.missed += len(ground.missed)
    tally.replies.update(replies(ground).values())
