import asyncio
from pathlib import Path

import pytest

from bot.access import Person, Place
from bot.conversation.incoming import ButtonPress, CommandCall
from bot.discord_io.interactions import TOO_BUSY, UNKNOWN_BUTTON, WENT_WRONG
from bot.messenger import Button, ButtonAction, File, MessageContent, MessageRef
from bot.redaction import REDACTED
from simulator.discord import running_discord
from simulator.discord.interaction import CallbackKind
from tests.fakes.discord_bot import bot_on
from tests.fakes.listener import FakeListener

CARD = MessageContent(
    text="a job",
    buttons=(Button(label="Cancel", action=ButtonAction(verb="cancel", subject="ab12cd34")),),
)


async def test_the_answer_to_a_command_is_seen_by_that_person_alone(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        await discord.commands_registered("notify")
        alice, general = discord.person("alice"), discord.text_channel("general")
        reply = await alice.slash(general, "notify", state="on")
        assert general.messages_for(discord.person("bob")) == []
    assert (reply.text, reply.is_ephemeral) == ("/notify is done.", True)
    assert listener.calls == [
        CommandCall(
            name="notify",
            options={"state": "on"},
            person=Person(id=alice.id, name="alice", guild_id=discord.guild.id),
            place=Place(guild_id=discord.guild.id, channel_id=general.id),
        )
    ]


async def test_everybody_sees_an_answer_that_is_for_all(tmp_path: Path) -> None:
    listener = FakeListener()
    listener.for_all = {"notify"}
    listener.answer_command = lambda _: MessageContent(text="word " * 500)
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        await discord.commands_registered("notify")
        general = discord.text_channel("general")
        reply = await discord.person("alice").slash(general, "notify", state="on")
        rest = await discord.person("bob").sees(general, "word", after=reply.message)
        seen = [message.text for message in general.messages_for(discord.person("bob"))]
    assert not reply.is_ephemeral
    assert not rest.is_ephemeral
    assert seen == [reply.text, rest.text]


async def test_who_cannot_be_asked_for_whom_an_answer_is_gives_it_to_one_person(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Undecided(FakeListener):
        def is_for_all(self, call: CommandCall) -> bool:
            raise RuntimeError(call.name)

    async with running_discord(tmp_path) as discord, bot_on(discord, Undecided()):
        await discord.commands_registered("status")
        reply = await discord.person("alice").slash(discord.text_channel("general"), "status")
    assert (reply.text, reply.is_ephemeral) == ("/status is done.", True)
    assert "nobody can say who sees its answer" in caplog.text


async def test_a_command_is_acknowledged_before_it_is_carried_out(tmp_path: Path) -> None:
    acknowledged: list[bool] = []
    callback = "/interactions/{interaction_id}/{interaction_token}/callback"
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):

        def answer(_: CommandCall) -> MessageContent:
            requests = discord.journal.requests("POST", callback)
            kinds = [request.request_body["type"] for request in requests]
            acknowledged.append(kinds == [CallbackKind.DEFERRED_MESSAGE])
            return MessageContent(text="done")

        listener.answer_command = answer
        await discord.commands_registered("status")
        general = discord.text_channel("general")
        await discord.person("alice").slash(general, "status")
    assert acknowledged == [True]


async def test_an_answer_may_have_files_and_be_longer_than_a_message(tmp_path: Path) -> None:
    listener = FakeListener()
    listener.answer_command = lambda _: MessageContent(
        text="word " * 500, files=(File(name="all.txt", content=b"all"),)
    )
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        await discord.commands_registered("jobs list")
        alice, general = discord.person("alice"), discord.text_channel("general")
        reply = await alice.slash(general, "jobs list")
        rest = await alice.sees(general, "word", after=reply.message)
    assert [(file.name, file.content) for file in reply.files] == [("all.txt", b"all")]
    assert f"{reply.text} {rest.text}".split() == ["word"] * 500
    assert rest.is_ephemeral


async def test_a_command_that_fails_is_answered_with_one_sentence(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(call: CommandCall) -> MessageContent:
        raise RuntimeError(call.name)

    listener = FakeListener()
    listener.answer_command = fail
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        await discord.commands_registered("status")
        reply = await discord.person("alice").slash(discord.text_channel("general"), "status")
    assert (reply.text, reply.is_ephemeral) == (WENT_WRONG.text, True)
    assert "RuntimeError: status" in caplog.text


async def test_an_answer_that_discord_refuses_is_replaced_by_one_sentence(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        await discord.commands_registered("status")
        discord.fail_next("PATCH /webhooks", 400)
        reply = await discord.person("alice").slash(discord.text_channel("general"), "status")
    assert reply.text == WENT_WRONG.text


async def test_a_button_of_a_message_of_an_earlier_process_still_works(tmp_path: Path) -> None:
    async with running_discord(tmp_path) as discord:
        alice, general = discord.person("alice"), discord.text_channel("general")
        place = Place(guild_id=discord.guild.id, channel_id=general.id)
        async with bot_on(discord, FakeListener()) as link:
            ref = await link.messenger.post(place, CARD, nonce="n")
        (card,) = discord.bot_messages(general)
        listener = FakeListener()
        listener.answer_press = lambda _: MessageContent(
            text="cancelled", files=(File(name="log.txt", content=b"log"),)
        )
        async with bot_on(discord, listener):
            reply = await alice.click(card, label="Cancel")
    assert reply is not None
    assert (reply.text, reply.is_ephemeral) == ("cancelled", True)
    assert [file.name for file in reply.files] == ["log.txt"]
    assert ref == MessageRef(channel_id=general.id, message_id=card.id)
    assert listener.presses == [
        ButtonPress(
            action=ButtonAction(verb="cancel", subject="ab12cd34"),
            message=ref,
            person=Person(id=alice.id, name="alice", guild_id=discord.guild.id),
            place=place,
        )
    ]


async def test_a_button_may_be_answered_with_nothing(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener) as link:
        alice, general = discord.person("alice"), discord.text_channel("general")
        place = Place(guild_id=discord.guild.id, channel_id=general.id)
        await link.messenger.post(place, CARD, nonce="n")
        (card,) = discord.bot_messages(general)
        assert await alice.click(card, label="Cancel") is None
        assert general.messages_for(alice) == [card]


async def test_a_button_that_nobody_knows_says_so(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener) as link:
        alice, general = discord.person("alice"), discord.text_channel("general")
        place = Place(guild_id=discord.guild.id, channel_id=general.id)
        await link.messenger.post(place, CARD, nonce="n")
        (card,) = discord.bot_messages(general)
        (row,) = card.versions[-1].components
        row["components"][0]["custom_id"] = "someone:else"
        reply = await alice.click(card, label="Cancel")
    assert reply is not None
    assert reply.text == UNKNOWN_BUTTON.text
    assert listener.presses == []


async def test_a_slow_command_does_not_hold_up_another(tmp_path: Path) -> None:
    class SlowListener(FakeListener):
        async def command_called(self, call: CommandCall) -> MessageContent:
            if call.name == "status":
                await released.wait()
            released.set()
            return await super().command_called(call)

    released = asyncio.Event()
    async with running_discord(tmp_path) as discord, bot_on(discord, SlowListener()):
        await discord.commands_registered("status", "pickup")
        alice, general = discord.person("alice"), discord.text_channel("general")
        async with asyncio.TaskGroup() as tasks:
            slow = tasks.create_task(alice.slash(general, "status"))
            quick = tasks.create_task(alice.slash(general, "pickup"))
        assert (slow.result().text, quick.result().text) == (
            "/status is done.",
            "/pickup is done.",
        )


CALLBACK = "/interactions/{interaction_id}/{interaction_token}/callback"


async def test_fifty_at_once_are_all_acknowledged_in_time_while_messages_pour_in(
    tmp_path: Path,
) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()):
        await discord.commands_registered("status")
        people = [discord.person(f"person-{number}") for number in range(50)]
        general = discord.text_channel("general")
        for _ in range(10):
            for person in people:
                person.say(general, "and another thing")
        # Whoever is not acknowledged within three seconds raises.
        async with asyncio.TaskGroup() as tasks:
            calls = [tasks.create_task(person.slash(general, "status")) for person in people]
        assert {call.result().text for call in calls} == {"/status is done."}


@pytest.mark.parametrize("people", [1, 10])
async def test_too_many_at_once_are_told_so_in_time(tmp_path: Path, people: int) -> None:
    class StuckListener(FakeListener):
        async def command_called(self, call: CommandCall) -> MessageContent:
            await released.wait()
            return await super().command_called(call)

    released = asyncio.Event()
    async with running_discord(tmp_path) as discord, bot_on(discord, StuckListener()):
        await discord.commands_registered("status")
        general = discord.text_channel("general")
        callers = [discord.person(f"person-{number}") for number in range(people)]
        async with asyncio.TaskGroup() as tasks:
            calls = [caller.slash(general, "status") for caller in callers for _ in range(10)]
            stuck = [tasks.create_task(call) for call in calls]
            await discord.journal.until(
                lambda: len(discord.journal.requests("POST", CALLBACK)) == len(calls) or None,
                timeout_seconds=10,
            )
            reply = await callers[0].slash(general, "status")
            other = tasks.create_task(discord.person("alice").slash(general, "status"))
            await discord.journal.until(
                lambda: len(discord.journal.requests("POST", CALLBACK)) == len(calls) + 2 or None,
                timeout_seconds=10,
            )
            released.set()
        assert (reply.text, reply.is_ephemeral) == (TOO_BUSY.text, True)
        assert {call.result().text for call in stuck} == {"/status is done."}
        assert other.result().text == ("/status is done." if people == 1 else TOO_BUSY.text)


@pytest.mark.parametrize("takes_effect", [True, False])
async def test_an_acknowledgement_whose_answer_is_lost_is_given_again(
    tmp_path: Path, *, takes_effect: bool
) -> None:
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener()):
        await discord.commands_registered("status")
        discord.cut_next("POST /interactions/.*/callback", takes_effect=takes_effect)
        reply = await discord.person("alice").slash(discord.text_channel("general"), "status")
    assert reply.text == "/status is done."


async def test_an_answer_holds_no_secret(tmp_path: Path) -> None:
    secret = "sk-ant-api03-" + "a1B2" * 10
    listener = FakeListener()
    file = File(name="key.txt", content=secret.encode())
    listener.answer_command = lambda _: MessageContent(text=f"It is {secret}", files=(file,))
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        await discord.commands_registered("status")
        reply = await discord.person("alice").slash(discord.text_channel("general"), "status")
    assert reply.text == f"It is {REDACTED}"
    assert [file.content for file in reply.files] == [REDACTED.encode()]
