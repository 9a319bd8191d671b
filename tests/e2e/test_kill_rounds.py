"""Bots that are killed at chosen moments; `just soak` does so many times, at moments by chance."""

import asyncio
from pathlib import Path

from tests.soak.checks import GONE, LOOPBACK, NOTICE, READABLE
from tests.soak.ground import open_ground
from tests.soak.kills import calm, kill_round, nothing_is_left
from tests.soak.moments import Moment, Stage


async def test_jobs_come_through_kills_of_the_bot_at_every_stage_and_are_told_once(
    tmp_path: Path,
) -> None:
    stages = (Stage.SPAWN, Stage.RUN, Stage.SETTLE, Stage.NOTICE)
    async with asyncio.timeout(58), open_ground(tmp_path) as ground:
        for number, stage in enumerate(stages, start=1):
            names = [f"tool-{number}-1", f"talk-{number}-2"]
            left = await kill_round(ground, Moment(stage=stage), names, print)
            await left
        await calm(ground, is_strict=True)
        await nothing_is_left(ground)
        findings = ground.findings

    assert findings.violations == []
    assert ground.missed == []
    # Else too little was looked at to say so.
    assert findings.looked_at[NOTICE] >= len(stages)
    assert findings.looked_at[READABLE] == len(stages)
    assert findings.looked_at[GONE] > len(stages)
    assert findings.looked_at[LOOPBACK] > 1
