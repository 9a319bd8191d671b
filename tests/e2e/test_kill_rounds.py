"""Bots that are killed at chosen moments; `just soak` does so many times, at moments by chance."""

import asyncio
from pathlib import Path

import pytest

from tests.soak.checks import ANSWERED, GONE, LOOPBACK, NOTICE, READABLE
from tests.soak.ground import open_ground
from tests.soak.kills import calm, kill_round, nothing_is_left
from tests.soak.moments import Moment, Stage

STAGES = (Stage.SPAWN, Stage.RUN, Stage.SETTLE, Stage.NOTICE)


@pytest.mark.timeout(120)
async def test_jobs_come_through_kills_of_the_bot_at_every_stage_and_are_told_once(
    tmp_path: Path,
) -> None:
    async with asyncio.timeout(110), open_ground(tmp_path) as ground:
        for number, stage in enumerate(STAGES, start=1):
            moment, names = Moment(stage=stage), [f"tool-{number}-1"]
            left = await kill_round(ground, moment, names, print, patience_seconds=30)
            await left
        await calm(ground, is_strict=True)
        await nothing_is_left(ground)
        findings = ground.findings

    assert findings.violations == []
    assert ground.missed == []
    # Else too little was looked at to say so.
    assert findings.looked_at[NOTICE] == len(STAGES)
    assert findings.looked_at[ANSWERED] == len(STAGES)
    assert findings.looked_at[READABLE] == len(STAGES)
    assert findings.looked_at[GONE] > len(STAGES)
    assert findings.looked_at[LOOPBACK] > 1
