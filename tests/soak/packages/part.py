"""All that is gone through of packages."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from tests.soak.findings import Findings, Violation
from tests.soak.packages.desk import open_desk
from tests.soak.packages.refusals import (
    forget_the_scheme,
    name_bad_repositories,
    offer_archives,
    offer_scripts,
)
from tests.soak.packages.ways import KINDS, Kind, go_the_way

_MOST_AT_ONCE = 2

Say = Callable[[str], None]

SENTENCE = (
    "`papercup plugin` as a process of its own, with registries of npm and of PyPI and real git"
    " over TLS on this machine: a plugin goes its whole way from each kind of source, and is"
    " offered in each way in which it must not be installed."
)


async def packages(folder: Path, *, say: Say) -> Findings:
    """Go through all of it, and return what was seen.

    Args:
        folder: Where everything is kept; must be empty.
        say: Is told how it goes.
    """
    findings, began = Findings(), time.monotonic()
    slots = asyncio.Semaphore(_MOST_AT_ONCE)
    said: list[Violation] = []

    async def tell(title: str, work: Awaitable[object]) -> object:
        told = await work
        # Others go on meanwhile: what was told of one is not told again.
        amiss = [each for each in findings.violations if each not in said]
        said.extend(amiss)
        say(f"  {title}: {'ok' if not amiss else '; '.join(map(str, amiss))} {told or ''}".rstrip())
        return told

    async def way(number: int, kind: Kind) -> None:
        async with slots:
            with open_desk(folder / f"way-{number}") as desk:
                told = await tell(kind.title, go_the_way(desk, kind, findings))
        findings.figures[f"{kind.title}: how long it took"] = str(told)

    async with asyncio.TaskGroup() as tasks:
        for number, kind in enumerate(KINDS):
            tasks.create_task(way(number, kind))
    with open_desk(folder / "refusals") as desk:
        count = await tell("hostile archives", offer_archives(desk, findings))
        await tell("scripts that come along", offer_scripts(desk, findings))
        await tell("repositories and odd sources of git", name_bad_repositories(desk, findings))
        await tell("names without a scheme", forget_the_scheme(desk, findings))
    findings.figures["hostile archives"] = str(count)
    findings.figures["seconds in all"] = f"{time.monotonic() - began:.0f}"
    return findings
