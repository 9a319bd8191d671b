import asyncio

import pytest

from bot.awaited_plugins import AwaitedPlugins
from extensions.hooks import NOWHERE, Blocked, HookPoint, Pass
from tests.fakes.plugin_points import FakePlugins


async def test_what_is_asked_before_they_are_there_waits_for_them() -> None:
    forbidden = Blocked("no", by="gate")
    awaited = AwaitedPlugins(expected=True)
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        asked = tasks.create_task(awaited.fire(HookPoint.TOOL_CALL, {}, NOWHERE))
        await asyncio.sleep(0)
        assert awaited.is_hooked(HookPoint.TOOL_CALL)
        with awaited.through(FakePlugins({HookPoint.TOOL_CALL: forbidden})):
            assert await asked == forbidden
            assert not awaited.is_hooked(HookPoint.INPUT)


@pytest.mark.parametrize("point", HookPoint)
async def test_where_they_never_come_only_what_must_be_asked_is_not_done(point: HookPoint) -> None:
    awaited = AwaitedPlugins(expected=True, wait_seconds=0)
    ruling = await awaited.fire(point, {}, NOWHERE)
    is_stopped = point in {HookPoint.TOOL_CALL, HookPoint.USER_BASH}
    assert isinstance(ruling, Blocked if is_stopped else Pass)


async def test_where_there_are_none_nothing_waits() -> None:
    awaited = AwaitedPlugins(expected=False)
    assert not awaited.is_hooked(HookPoint.TOOL_CALL)
    assert await awaited.fire(HookPoint.TOOL_CALL, {}, NOWHERE) == Pass()


async def test_events_are_handed_on_while_they_are_there() -> None:
    awaited, plugins = AwaitedPlugins(expected=True), FakePlugins()
    awaited.tell("turn_start", {}, NOWHERE)
    with awaited.through(plugins):
        assert awaited.is_observed("turn_start")
        awaited.tell("turn_start", {"n": 1}, NOWHERE)
    awaited.tell("turn_start", {}, NOWHERE)
    assert not awaited.is_observed("turn_start")
    assert plugins.told == [("turn_start", {"n": 1})]
