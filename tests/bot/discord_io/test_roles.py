"""The roles of people, as the real discord.py tells of them."""

from pathlib import Path

from bot.access import Person
from bot.messenger import Button, ButtonAction, MessageContent
from simulator.discord import running_discord
from tests.fakes.discord_bot import bot_on
from tests.fakes.listener import FakeListener
from tests.fakes.waiting import until

BUTTON = Button(label="Files", action=ButtonAction(verb="files", subject="ab12cd34"))


async def test_every_way_in_tells_the_roles_that_a_person_has_in_that_server(
    tmp_path: Path,
) -> None:
    listener = FakeListener()
    listener.answer_command = lambda _: MessageContent(text="done", buttons=(BUTTON,))
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        alice, general = discord.person("alice"), discord.text_channel("general")
        admins, others = discord.role("admins"), discord.role("others")
        alice.give(admins, others)
        await discord.commands_registered("status")
        alice.say(general, "hello")
        reply = await alice.slash(general, "status")
        assert reply.message is not None
        await alice.click(reply.message, label="Files")
        await until(lambda: bool(listener.messages))

    expected = Person(
        id=alice.id,
        name="alice",
        guild_id=discord.guild.id,
        role_ids=frozenset({admins.id, others.id}),
    )
    assert [message.author for message in listener.messages] == [expected]
    assert [call.person for call in listener.calls] == [expected]
    assert [press.person for press in listener.presses] == [expected]


async def test_roles_are_those_of_the_moment(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        alice, general = discord.person("alice"), discord.text_channel("general")
        admins, users = discord.role("admins"), discord.role("users")
        alice.say(general, "without")
        alice.give(admins, users)
        alice.say(general, "with both")
        alice.take(admins)
        alice.say(general, "with one")
        await until(lambda: len(listener.messages) == 3)

    assert [message.author.role_ids for message in listener.messages] == [
        frozenset(),
        {admins.id, users.id},
        {users.id},
    ]


async def test_in_direct_messages_and_for_webhooks_there_are_no_roles(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        alice = discord.person("alice")
        alice.give(discord.role("admins"))
        await discord.commands_registered("status")
        alice.say(alice.direct_messages(), "psst")
        await alice.slash(alice.direct_messages(), "status")
        discord.add_webhook("alice").say(discord.text_channel("general"), "ping")
        await until(lambda: len(listener.messages) == 2)

    people = [message.author for message in listener.messages] + [listener.calls[0].person]
    assert [(person.guild_id, person.role_ids) for person in people] == [(None, frozenset())] * 3
