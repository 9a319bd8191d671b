"""discord.js, which shares no line with discord.py, against the simulated Discord."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from simulator.discord import DiscordSimulator, Person, TextChannel, running_discord
from tests.contract.openapi import discord_description
from tests.e2e.discord_js.running import JsBot, discord_js_folder, running_js_bot

pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def folder() -> Path:
    return discord_js_folder()


@pytest.fixture
async def discord(tmp_path: Path) -> AsyncIterator[DiscordSimulator]:
    async with running_discord(tmp_path) as simulator:
        yield simulator


@pytest.fixture
async def bot(discord: DiscordSimulator, folder: Path) -> AsyncIterator[JsBot]:
    async with running_js_bot(discord, folder) as running:
        yield running
        assert running.errors() == []
        assert discord.journal.unknown_routes == []
        assert discord_description().violations(discord.journal) == []


@pytest.fixture
def alice(discord: DiscordSimulator, bot: JsBot) -> Person:
    del bot
    return discord.person("alice")


@pytest.fixture
def general(discord: DiscordSimulator) -> TextChannel:
    return discord.text_channel("general")


async def test_it_logs_in_and_registers_its_commands(discord: DiscordSimulator, bot: JsBot) -> None:
    assert await bot.told("ready") == {
        "user": "papercup",
        "guild": "Test server",
        "commands": ["jobs", "later", "survey", "Ask Me", "Greet"],
        "german": "Arbeit im Hintergrund",
    }
    assert discord.commands == ["jobs show", "later", "survey", "Ask Me", "Greet"]
    assert discord.presence is not None
    assert (discord.presence.status, discord.presence.text) == ("idle", "waiting")


async def test_it_replies_with_a_file(bot: JsBot, alice: Person, general: TextChannel) -> None:
    said = alice.say(general, "reply", mention_bot=False)
    reply = await alice.sees(general, "hello alice")
    assert (reply.reply_to, reply.files[0].content) == (said.id, b"for you")
    assert await bot.told("replied") == {"to": True, "size": 7}


async def test_it_sees_files_and_voice_messages(
    bot: JsBot, alice: Person, general: TextChannel
) -> None:
    said = alice.say(general, "a cat", mention_bot=False, files={"cat.png": b"png"})
    assert await bot.told("message", content="a cat") == {
        "author": "alice",
        "content": "a cat",
        "inThread": False,
        "isReply": False,
        "isVoice": False,
        "attachments": [
            {"name": "cat.png", "size": 3, "contentType": "image/png", "duration": None}
        ],
    }
    alice.say_aloud(general, b"ogg", duration_seconds=2.5, reply_to=said)
    voice = await bot.told("message", isVoice=True)
    assert (voice["isReply"], voice["attachments"][0]["duration"]) == (True, 2.5)


async def test_it_edits_deletes_and_reads_history(
    bot: JsBot, alice: Person, general: TextChannel
) -> None:
    alice.say(general, "edit", mention_bot=False)
    assert await bot.told("edited") == {"content": "two", "flags": 4096 + 4}
    assert await bot.told("history") == {"contents": ["two", "edit"]}
    edited = await alice.sees(general, "two")
    assert [version.text for version in edited.versions] == ["one", "two"]


async def test_it_hears_of_edits_deletions_and_reactions_of_people(
    discord: DiscordSimulator, bot: JsBot, alice: Person, general: TextChannel
) -> None:
    said = [alice.say(general, text, mention_bot=False) for text in "abc"]
    await bot.told("message", content="c")
    alice.edit(said[0], "A")
    assert await bot.told("message edited") == {"before": "a", "after": "A"}
    alice.react(said[0], "🎉")
    assert await bot.told("reaction") == {"emoji": "🎉", "user": str(alice.id)}
    alice.delete(said[0])
    assert await bot.told("message deleted") == {"content": "A"}
    alice.delete(*said[1:])
    assert await bot.told("messages deleted") == {"count": 2}

    reacted = alice.say(general, "react", mention_bot=False)
    await alice.sees(general, lambda message: bool(message.reactions.get("✅")))
    now = discord.message(reacted)
    assert now is not None
    assert now.reactions == {"👀": frozenset(), "✅": frozenset({discord.bot.id})}


async def test_it_pins(bot: JsBot, alice: Person, general: TextChannel) -> None:
    alice.say(general, "pin", mention_bot=False)
    assert await bot.told("pinned") == {"contents": ["pin"]}
    assert await bot.told("unpinned") == {"left": 0}
    assert await bot.told("pins changed") == {"channel": "general"}


async def test_it_opens_threads(
    discord: DiscordSimulator, bot: JsBot, alice: Person, general: TextChannel
) -> None:
    alice.say(general, "threads", mention_bot=False)
    assert await bot.told("threads") == {"sameId": True, "type": 11, "parent": "general"}
    assert await bot.told("active") == {"names": ["Renamed"]}
    assert await bot.told("archived") == {"names": ["Alone"]}
    assert await bot.told("renamed too often") == {"limited": 429}
    first, second = discord.threads(general)
    assert [(one.name, one.is_archived) for one in (first, second)] == [
        ("Twice", False),
        ("Alone", True),
    ]
    await alice.sees(first, "inside")
    alice.say(second, "awake", mention_bot=False)
    assert await bot.told("thread updated", name="Alone", archived=False)
    assert (await bot.told("message", content="awake"))["inThread"]
    alice.open_thread(general, "Of a person")
    assert await bot.told("thread created", name="Of a person")


async def test_its_commands_complete_and_answer(
    discord: DiscordSimulator, bot: JsBot, alice: Person, general: TextChannel
) -> None:
    offered = await alice.autocomplete(general, "jobs show", "job", "fib")
    assert [(one.name, one.value) for one in offered] == [
        ("job fib1", "fib1"),
        ("job fib2", "fib2"),
    ]
    news = discord.text_channel("news")
    reply = await alice.slash(general, "jobs show", job="fib1", where=news)
    assert (reply.text, reply.is_ephemeral) == ("show fib1 news", True)
    await alice.sees(general, "and more")
    assert await bot.told("limit") == {"bytes": 10 << 20, "react": True}
    later = await alice.slash(general, "later")
    assert (later.text, [file.name for file in later.files]) == ("at last", ["one.txt"])


async def test_its_commands_in_menus_answer(alice: Person, general: TextChannel) -> None:
    said = alice.say(general, "look", mention_bot=False)
    reply = await alice.use_on(said, "Ask Me")
    assert (reply.text, reply.is_ephemeral) == ("about: look", True)
    assert (await alice.use_on(alice, "Greet", channel=general)).text == "hello alice"


async def test_its_menus_buttons_and_forms_work(alice: Person, general: TextChannel) -> None:
    alice.say(general, "panel", mention_bot=False)
    panel = await alice.sees(general, "a panel")
    chosen = await alice.choose(panel, "red", "blue")
    noted = await alice.click(panel, label="Note")
    assert chosen is not None
    assert noted is not None
    assert (chosen.text, noted.text) == ("red+blue", "noted, alice")
    for form in (await alice.click(panel, label="Form"), await alice.slash(general, "survey")):
        assert form is not None
        filled = await alice.submit(form, reason="it rains", colour="green")
        assert filled is not None
        assert filled.text == "it rains: green"
    updated = await alice.click(panel, label="Update")
    assert updated is not None
    assert (updated.text, updated.buttons, updated.menus) == ("updated", (), ())


async def test_what_it_may_not_do_is_refused_as_it_expects(
    bot: JsBot, alice: Person, general: TextChannel
) -> None:
    alice.say(general, "refusals", mention_bot=False)
    assert await bot.told("too long") == {"refused": 50035}
    assert await bot.told("too large") == {"refused": 40005}
    assert await bot.told("unknown") == {"refused": 10008}


async def test_its_presence_changes(
    discord: DiscordSimulator, alice: Person, general: TextChannel
) -> None:
    alice.say(general, "presence", mention_bot=False)
    assert (await discord.presence_shown("busy")).status == "dnd"
