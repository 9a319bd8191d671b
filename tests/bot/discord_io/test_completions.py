"""What people are offered while they type, on the real discord.py."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.access import Person, Place
from bot.conversation.incoming import CommandCall, Completion, Suggestion
from bot.discord_io.link import DiscordLink
from bot.messenger import MessageContent
from bot.redaction import Redactor
from simulator.discord import running_discord
from simulator.discord.commands import Choice
from simulator.discord.interaction import CallbackKind
from tests.fakes.discord_bot import bot_on
from tests.fakes.listener import FakeListener

CALLBACK = "/interactions/{interaction_id}/{interaction_token}/callback"
FIX = Suggestion(label="fix the tests · running", value="ab12cd34")


async def test_who_types_is_offered_what_the_listener_suggests(tmp_path: Path) -> None:
    listener = FakeListener()
    listener.complete = lambda _: [FIX]
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        await discord.commands_registered("jobs show")
        alice, general = discord.person("alice"), discord.text_channel("general")
        offered = await alice.autocomplete(general, "jobs show", "job", "fi")
        kinds = [body["type"] for body in callbacks(discord.journal.requests("POST", CALLBACK))]
    assert offered == (Choice(name=FIX.label, value=FIX.value),)
    assert kinds == [CallbackKind.CHOICES]
    assert listener.completions == [
        Completion(
            command="jobs show",
            option="job",
            typed="fi",
            person=Person(id=alice.id, name="alice", guild_id=discord.guild.id),
            place=Place(guild_id=discord.guild.id, channel_id=general.id),
        )
    ]


async def test_who_types_is_offered_what_fits_to_what_is_filled_in_already(tmp_path: Path) -> None:
    listener = FakeListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        await discord.commands_registered("x")
        alice, general = discord.person("alice"), discord.text_channel("general")
        filled = {"plugin": "dice", "command": "roll"}
        await alice.autocomplete(general, "x", "args", "2", filled=filled)
    (completion,) = listener.completions
    assert (completion.option, completion.typed) == ("args", "2")
    assert completion.given == filled


def callbacks(requests: Sequence[object]) -> list[dict[str, object]]:
    return [getattr(request, "request_body", {}) for request in requests]


async def test_what_discord_would_refuse_is_cut_or_left_out(tmp_path: Path) -> None:
    listener = FakeListener()
    listener.complete = lambda _: [
        Suggestion(label="long " * 30, value="long"),
        Suggestion(label=" ", value="nameless"),
        Suggestion(label="valueless", value=""),
        Suggestion(label="too long to be told", value="x" * 101),
        *(Suggestion(label=f"no. {number}", value=str(number)) for number in range(30)),
    ]
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        await discord.commands_registered("resume")
        alice, general = discord.person("alice"), discord.text_channel("general")
        first, *others = await alice.autocomplete(general, "resume", "name", "")
    assert (len(first.name), first.name[-1], first.value) == (100, "…", "long")
    assert [choice.value for choice in others] == [str(number) for number in range(24)]


async def test_what_holds_a_secret_is_not_offered(tmp_path: Path) -> None:
    listener = FakeListener()
    link = DiscordLink(Redactor(["my-own-secret"]))
    listener.complete = lambda _: [
        Suggestion(label="my-own-secret", value="1"),
        Suggestion(label="hidden", value="my-own-secret"),
        FIX,
    ]
    async with running_discord(tmp_path) as discord, bot_on(discord, listener, link=link):
        await discord.commands_registered("resume")
        alice, general = discord.person("alice"), discord.text_channel("general")
        offered = await alice.autocomplete(general, "resume", "name", "")
    assert [choice.name for choice in offered] == [FIX.label]


async def test_a_listener_that_fails_offers_nothing_and_the_reason_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(completion: Completion) -> Sequence[Suggestion]:
        raise RuntimeError(completion.option)

    listener = FakeListener()
    listener.complete = fail
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        await discord.commands_registered("resume")
        alice, general = discord.person("alice"), discord.text_channel("general")
        assert await alice.autocomplete(general, "resume", "name", "se") == ()
    assert "RuntimeError: name" in caplog.text


async def test_a_listener_that_takes_too_long_offers_nothing_in_time(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class StuckListener(FakeListener):
        async def completed(self, completion: Completion) -> Sequence[Suggestion]:
            await asyncio.Event().wait()
            return await super().completed(completion)

    async with running_discord(tmp_path) as discord, bot_on(discord, StuckListener()):
        await discord.commands_registered("resume")
        alice, general = discord.person("alice"), discord.text_channel("general")
        # Who is not answered within three seconds raises.
        assert await alice.autocomplete(general, "resume", "name", "se") == ()
    assert "nothing was suggested in time" in caplog.text


async def test_while_too_much_is_to_be_done_nothing_is_offered(tmp_path: Path) -> None:
    class StuckListener(FakeListener):
        async def command_called(self, call: CommandCall) -> MessageContent:
            await released.wait()
            return await super().command_called(call)

    released = asyncio.Event()
    listener = StuckListener()
    async with running_discord(tmp_path) as discord, bot_on(discord, listener):
        await discord.commands_registered("status", "resume")
        alice, general = discord.person("alice"), discord.text_channel("general")
        async with asyncio.TaskGroup() as tasks:
            for _ in range(100):
                tasks.create_task(alice.slash(general, "status"))
            await discord.journal.until(
                lambda: len(discord.journal.requests("POST", CALLBACK)) == 100 or None,
                timeout_seconds=10,
            )
            assert await alice.autocomplete(general, "resume", "name", "se") == ()
            released.set()
    assert listener.completions == []
