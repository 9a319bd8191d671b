import asyncio
from dataclasses import replace

import pytest

from bot.commands.offered import OfferedCommands
from bot.commands.table import COMMANDS

ROLL = replace(COMMANDS[0], name="roll")
SAY = replace(COMMANDS[0], name="utter")


def test_what_is_added_stands_after_what_is_always_there() -> None:
    offered = OfferedCommands()
    assert offered.all == COMMANDS
    offered.add([ROLL])
    offered.add([SAY])
    assert list(offered.all) == [*COMMANDS, SAY]
    assert offered.added == (SAY,)


async def test_whoever_waits_hears_of_each_change_but_not_of_none() -> None:
    offered = OfferedCommands()
    offered.add([])
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await offered.change()
    offered.add([ROLL])
    offered.add([SAY])
    async with asyncio.timeout(5):
        await offered.change()
    offered.add([SAY])
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await offered.change()


async def test_nobody_waits_longer_than_they_want_for_what_comes_late() -> None:
    offered = OfferedCommands(is_settled=False)
    await offered.settled(within_seconds=0.0)
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        tasks.create_task(offered.settled(within_seconds=60.0))
        offered.settle()
    await OfferedCommands().settled(within_seconds=60.0)
