"""All that is gone through of plugins: each fault in a process of its own."""

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from tests.soak.findings import Findings
from tests.soak.plugins.scenario_process import TOLD
from tests.soak.plugins.scenarios import SCENARIOS
from tests.soak.plugins.scene import Look

_MOST_TRIES = 3
_MOST_SECONDS = 300.0
_MOST_PATIENT = 3
"""How many of those that mostly wait are tried at once."""

Say = Callable[[str], None]

SENTENCE = (
    "Real programs on the host of the plugins, beside a plugin that is well and called all the"
    " time: its neighbour. Each fault has a number and is tried in a process of its own, with the"
    " event loop, the settings and the limits that the bot has. What is said of times may come of"
    f" what else the machine does: where such a limit is missed, it is tried again, up to"
    f" {_MOST_TRIES} times in all, and the figure says so; all else must hold at the first try."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    looks: list[Look]
    figures: list[str]

    @property
    def missed(self) -> list[Look]:
        return [look for look in self.looks if look.seen is not None]

    @property
    def is_worth_another_try(self) -> bool:
        return bool(self.missed) and all(look.is_timed for look in self.missed)


async def plugins(folder: Path, *, say: Say, only: Collection[str] = ()) -> Findings:
    """Go through all faults, and return what was seen.

    Args:
        folder: Where everything is kept; must be empty.
        say: Is told how it goes.
        only: The numbers of those that are tried; all if there are none.
    """
    findings, began, load = Findings(), time.monotonic(), os.getloadavg()[0]
    wanted = [number for number in SCENARIOS if number in only or not only]
    told: dict[str, tuple[_Told, int]] = {}
    slots = asyncio.Semaphore(_MOST_PATIENT)

    async def try_patiently(number: str) -> None:
        async with slots:
            told[number] = await _tried(number, folder, say)

    async with asyncio.TaskGroup() as tasks:
        for number in wanted:
            if SCENARIOS[number].is_patient:
                tasks.create_task(try_patiently(number))
    for number in wanted:
        if not SCENARIOS[number].is_patient:
            told[number] = await _tried(number, folder, say)
    for number in wanted:
        _take(findings, number, *told[number])
    findings.figures |= {
        "the machine's load (all that runs on it)": f"{load:.1f} in the beginning,"
        f" {os.getloadavg()[0]:.1f} in the end",
        "seconds in all": f"{time.monotonic() - began:.0f}",
    }
    return findings


async def _tried(number: str, folder: Path, say: Say) -> tuple[_Told, int]:
    """Return what was seen of one, and at which try."""
    for attempt in range(1, _MOST_TRIES):
        told = await _try(number, folder / f"{number}-{attempt}")
        _tell(number, told, say)
        if not told.is_worth_another_try:
            return told, attempt
    told = await _try(number, folder / f"{number}-{_MOST_TRIES}")
    _tell(number, told, say)
    return told, _MOST_TRIES


async def _try(number: str, folder: Path) -> _Told:
    folder.mkdir()  # noqa: ASYNC240 - nothing else is done meanwhile
    command = [sys.executable, "-m", "tests.soak.plugins.scenario_process", number, str(folder)]
    log = folder / "papercup.log"
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(*command, stdout=output, stderr=output)
    try:
        async with asyncio.timeout(_MOST_SECONDS):
            code = await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
        return _broken(f"it was not done within {_MOST_SECONDS:g} s; {log} says more")
    if code != 0:
        end = log.read_text(errors="replace").strip().rpartition("\n")[2]
        return _broken(f"it ended with {code}: {end}")
    told = json.loads((folder / TOLD).read_text())
    looks = [Look(**look) for look in told["looks"]]
    return _Told(looks=looks, figures=told["figures"])


def _broken(why: str) -> _Told:
    return _Told(looks=[Look(check="it can be tried", seen=why)], figures=[])


def _tell(number: str, told: _Told, say: Say) -> None:
    say(f"  {number} {SCENARIOS[number].title}: {'; '.join(told.figures)}")
    for look in told.missed:
        say(f"    MISSED {look.check}: {look.seen}")


def _take(findings: Findings, number: str, told: _Told, attempt: int) -> None:
    title = SCENARIOS[number].title
    for look in told.looks:
        findings.check(f"{number}: {look.check}", f"{title} ({number})", look.seen)
    tries = f" (try {attempt})" if attempt > 1 else ""
    figure = f"{number}: {title}{tries}"
    findings.figures[figure] = "; ".join(told.figures).replace("|", "/") or "-"
