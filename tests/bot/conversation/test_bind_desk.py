from dataclasses import replace
from pathlib import Path

import pytest

from bot.access import NOT_YOUR_RANK, Person, Place
from bot.conversation.bind_desk import IN_PRIVATE, NO_CHANNEL
from bot.conversation.bound_channels import BoundChannels
from tests.fakes.session_house import (
    ADMIN,
    BOUND,
    GUILD,
    HERE,
    OPERATOR,
    OTHER_GUILD,
    OWNER,
    THERE,
    USER,
    open_session_house,
    private,
)

THREAD = Place(guild_id=GUILD, channel_id=71, parent_id=HERE.channel_id)


async def test_what_is_bound_stays_so_until_it_is_set_free(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        said = await house.call("bind", by=ADMIN)
        again = await house.call("bind", by=ADMIN)
        assert house.bound.is_bound(HERE)
        assert house.bound.is_bound(THREAD)
        assert not house.bound.is_bound_itself(THREAD)

    async with open_session_house(tmp_path) as house:
        assert house.bound.all() == {HERE.channel_id, BOUND.channel_id}
        free = await house.call("unbind", by=ADMIN)
        not_bound = await house.call("unbind", by=ADMIN)
        assert not house.bound.is_bound(HERE)

    async with open_session_house(tmp_path) as house:
        assert house.bound.all() == {BOUND.channel_id}
    assert said.startswith("I answer everything in <#11> and its threads from now on")
    assert again == "I answer everything in <#11> already."
    assert free == "In <#11> I answer only what mentions me from now on."
    assert not_bound == "<#11> is not bound."


async def test_another_channel_is_named_by_its_id(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("bind", by=OWNER, channel=str(THERE.channel_id))
        assert house.bound.is_bound(THERE)
        assert not house.bound.is_bound(HERE)
        await house.call("unbind", by=OWNER, channel=str(THERE.channel_id))
        assert not house.bound.is_bound(THERE)


@pytest.mark.parametrize("channel", ["x", "-1", "1" * 25, str(2**63), "१२"])
async def test_what_is_no_channel_is_not_bound(tmp_path: Path, channel: str) -> None:
    async with open_session_house(tmp_path) as house:
        assert await house.call("bind", by=OWNER, channel=channel) == NO_CHANNEL
        assert house.bound.all() == {BOUND.channel_id}


async def test_a_server_binds_nothing_in_another_one(tmp_path: Path) -> None:
    theirs = Place(guild_id=OTHER_GUILD, channel_id=21)
    async with open_session_house(tmp_path) as house:
        await house.call("bind", by=ADMIN, channel=str(theirs.channel_id))
        assert not house.bound.is_bound(theirs)
        other_owner = replace(OWNER, guild_id=OTHER_GUILD)
        await house.call("bind", by=other_owner, at=theirs)
        await house.call("unbind", by=ADMIN, channel=str(theirs.channel_id))
        assert house.bound.is_bound(theirs)


async def test_what_the_configuration_binds_is_set_free_there(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        said = await house.call("unbind", by=OWNER, at=BOUND)
        assert house.bound.is_bound(BOUND)
        in_thread = await house.call(
            "unbind", by=OWNER, at=replace(THREAD, parent_id=BOUND.channel_id)
        )
    assert "`discord.bound_channel_ids`" in said
    assert in_thread == "<#71> is not bound. Its channel is: <#13>."


@pytest.mark.parametrize("command", ["bind", "unbind"])
async def test_direct_messages_are_neither_bound_nor_free(tmp_path: Path, command: str) -> None:
    async with open_session_house(tmp_path) as house:
        assert await house.call(command, by=OWNER, at=private(OWNER)) == IN_PRIVATE
        assert not house.bound.is_bound(private(OWNER))


@pytest.mark.parametrize("command", ["bind", "unbind"])
@pytest.mark.parametrize("person", [OPERATOR, USER])
async def test_only_admins_and_owners_bind(tmp_path: Path, command: str, person: Person) -> None:
    async with open_session_house(tmp_path) as house:
        assert await house.call(command, by=person) == NOT_YOUR_RANK.reason
        assert house.bound.all() == {BOUND.channel_id}


async def test_what_is_not_stored_is_not_bound(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        fresh = BoundChannels(house.database, [])
        assert await fresh.bind(HERE, by=1)
        assert not house.bound.is_bound(HERE)
        await house.bound.restore()
        assert house.bound.is_bound(HERE)
