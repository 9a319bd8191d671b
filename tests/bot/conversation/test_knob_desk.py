from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.access import NOT_YOUR_RANK, NOT_YOURS, Person
from bot.conversation.asked_session import NO_MODEL
from bot.conversation.knob_desk import NO_SERVERS
from bot.conversation.session import Notify, Streaming
from bot.speaker.speaker import Knobs, PermissionMode
from tests.fakes.session_house import (
    ADMIN,
    OTHER_USER,
    OWNER,
    USER,
    HouseOptions,
    open_session_house,
    private,
)

AUTO, BYPASS = PermissionMode.AUTO, PermissionMode.BYPASS


async def test_each_knob_is_kept_and_turned_in_the_running_speaker(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("pickup")
        said = [
            await house.call("model", name="opus"),
            await house.call("effort", level="high"),
            await house.call("permissions", mode="plan"),
            await house.call("mcp enable", name="github"),
            await house.call("mcp enable", name="github"),
        ]
        all_set = Knobs(
            model="opus",
            effort="high",
            permission_mode=PermissionMode.PLAN,
            mcp_servers=frozenset({"github"}),
        )
        assert house.speaker().knobs[-1] == house.session().knobs == all_set
        kept = await house.store.find(house.session().id)
        said += [
            await house.call("model"),
            await house.call("effort", level="default"),
            await house.call("permissions", mode="default"),
            await house.call("mcp disable", name="github"),
            await house.call("mcp disable", name="github"),
        ]
        assert house.speaker().knobs[-1] == house.session().knobs == Knobs()

    assert kept is not None
    assert kept.knobs == all_set
    assert said == [
        "I answer with `opus` from the next answer on.",
        "I think with effort `high` from the next answer on.",
        "From the next answer on, I only look, and make plans.",
        "I may use `github` here from the next answer on.",
        "`github` is on already.",
        "I answer with the usual model from the next answer on.",
        "I think as hard as usual from the next answer on.",
        "From the next answer on, I have the usual permissions.",
        "I do not use `github` here from the next answer on.",
        "`github` is not on here. `/mcp list` shows all.",
    ]


async def test_what_can_be_no_model_is_refused(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("pickup", model="opus")
        assert await house.call("model", name="--resume x") == NO_MODEL
        assert house.session().knobs.model == "opus"


@pytest.mark.parametrize("mode", [AUTO, BYPASS])
async def test_only_an_owner_lets_a_speaker_act_without_asking(
    tmp_path: Path, mode: PermissionMode
) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("pickup")
        for person in (USER, ADMIN):
            assert await house.call("permissions", by=person, mode=mode) == NOT_YOUR_RANK.reason
        assert house.session().knobs.permission_mode is None
        said = await house.call("permissions", by=OWNER, mode=mode)
        assert house.session().knobs.permission_mode is mode
        await house.call("pickup", by=OWNER, at=private(OWNER))
        alone = await house.call("permissions", by=OWNER, at=private(OWNER), mode=mode)

    assert "only Papercup's owners are answered here" in said
    assert "owners" not in alone


async def test_without_a_jail_nobody_does(tmp_path: Path) -> None:
    async with open_session_house(tmp_path, HouseOptions(no_jail="There is no jail.")) as house:
        await house.call("pickup", by=OWNER)
        assert await house.call("permissions", by=OWNER, mode="auto") == "There is no jail."
        assert house.session().knobs == Knobs()


async def test_the_configured_servers_are_listed_with_those_that_are_gone(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("pickup", name="notes")
        await house.call("mcp enable", name="files")
        conversation = house.conversations.of_session(house.session().id)
        assert conversation is not None
        more = replace(house.session().knobs, mcp_servers=frozenset({"files", "gone"}))
        await house.conversations.change(conversation, replace(house.session(), knobs=more))
        listed = await house.call("mcp list")
        unknown = await house.call("mcp enable", name="<@1>")
        to_enable = await house.complete("mcp enable")
        to_disable = await house.complete("mcp disable")
        gone = await house.call("mcp disable", name="gone")

    assert listed.splitlines() == [
        "MCP servers of **notes**:",
        "🟢 `files` · on",
        "⚪ `github` · off",
        "⚪ `gone` · not configured any more",
    ]
    assert unknown.startswith("The configuration holds no MCP server `<@\u200b1>`.")
    assert [each.value for each in to_enable] == ["github"]
    assert [each.value for each in to_disable] == ["files", "gone"]
    assert gone == "I do not use `gone` here from the next answer on."


async def test_without_configured_servers_there_is_a_hint(tmp_path: Path) -> None:
    async with open_session_house(tmp_path, HouseOptions(mcp_servers=())) as house:
        await house.call("pickup")
        assert await house.call("mcp list") == NO_SERVERS


async def test_models_are_suggested_by_what_is_typed(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        both = await house.complete("model")
        one = await house.complete("pickup", "OP", option="model")

    assert [each.value for each in both] == ["opus", "sonnet"]
    assert [each.value for each in one] == ["opus"]


async def test_notices_are_switched_and_those_of_everyone_by_the_owner_alone(
    tmp_path: Path,
) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("pickup")
        on = await house.call("notify", state="on")
        assert await house.call("notify", by=ADMIN, state="all") == NOT_YOUR_RANK.reason
        assert house.session().notify is Notify.ON
        everyones = await house.call("notify", by=OWNER, state="all")
        assert house.session().notify is Notify.ALL
        off = await house.call("notify", state="off")
        assert house.session().notify is Notify.OFF

    assert on == "I will say here when a job that was asked for here has settled."
    assert "never of what was asked for in another server" in everyones
    assert off.startswith("I will not say")


@pytest.mark.parametrize("detail", list(Streaming))
async def test_how_much_of_the_work_is_shown_is_kept(tmp_path: Path, detail: Streaming) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("pickup")
        said = await house.call("streaming", detail=detail)
        assert house.session().streaming is detail
        assert house.speaker().knobs == []
    assert said.endswith(".")


@pytest.mark.parametrize(("by", "may"), [(USER, True), (OTHER_USER, False), (ADMIN, True)])
async def test_only_whoever_may_change_the_session_turns_its_knobs(
    tmp_path: Path, by: Person, *, may: bool
) -> None:
    calls: dict[str, dict[str, Any]] = {
        "model": {"name": "opus"},
        "effort": {"level": "low"},
        "permissions": {"mode": "plan"},
        "mcp enable": {"name": "github"},
        "mcp disable": {"name": "github"},
        "notify": {"state": "on"},
        "streaming": {"detail": "full"},
    }
    async with open_session_house(tmp_path) as house:
        await house.call("pickup", by=USER)
        for name, options in calls.items():
            said = await house.call(name, by=by, **options)
            assert (said != NOT_YOURS.reason) is may, name
