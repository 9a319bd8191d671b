"""What stands under the bot's name, on the real discord.py."""

from pathlib import Path

from bot.discord_io.link import DiscordLink
from bot.discord_io.presence import Presence
from bot.redaction import Redactor
from simulator.discord import DiscordSimulator, running_discord
from simulator.discord.journal import GatewayOpened, PresenceChanged
from tests.fakes.discord_bot import bot_on
from tests.fakes.listener import FakeListener
from tests.fakes.waiting import until


def shown(discord: DiscordSimulator) -> list[str]:
    """Return what the bot showed, one after another."""
    return [change.text for change in discord.journal.of(PresenceChanged) if change.activities]


def quick_link() -> DiscordLink:
    link = DiscordLink(Redactor(["my-own-secret"]))
    link.presence = Presence(link.redactor, every_seconds=0.01)
    return link


async def test_it_is_shown_once_and_again_only_when_it_changes(tmp_path: Path) -> None:
    link = quick_link()
    link.show_presence("1 job running")
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener(), link=link):
        await until(lambda: shown(discord) == ["1 job running"])
        for _ in range(3):
            link.show_presence("1 job running")
        link.show_presence("2 jobs running")
        await until(lambda: len(shown(discord)) == 2)
        assert shown(discord) == ["1 job running", "2 jobs running"]
        assert discord.presence is not None
        assert (discord.presence.status, discord.presence.activities[0]["type"]) == ("online", 4)


async def test_many_changes_at_once_are_not_shown_one_by_one(tmp_path: Path) -> None:
    link, listener = DiscordLink(), FakeListener()
    link.show_presence("first")
    async with running_discord(tmp_path) as discord, bot_on(discord, listener, link=link):
        await until(lambda: shown(discord) == ["first"])
        for number in range(50):
            link.show_presence(f"number {number}")
        discord.person("alice").say(discord.text_channel("general"), "hello")
        await until(lambda: len(listener.messages) == 1)
        # The next follows after a quarter of a minute.
        assert shown(discord) == ["first"]


async def test_a_new_session_shows_it_again_and_a_resumed_one_does_not(tmp_path: Path) -> None:
    link = quick_link()
    link.show_presence("1 job running")
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener(), link=link):
        await until(lambda: len(shown(discord)) == 1)
        await discord.drop_gateway(4000)
        await until(lambda: discord.journal.of(GatewayOpened)[-1].was_resumed)
        discord.send_odd_event()
        await until(lambda: len(shown(discord)) == 2)
        assert [one.was_resumed for one in discord.journal.of(GatewayOpened)] == [
            False,
            True,
            False,
        ]


async def test_it_can_be_taken_away(tmp_path: Path) -> None:
    link = quick_link()
    link.show_presence("1 job running")
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener(), link=link):
        await until(lambda: len(shown(discord)) == 1)
        link.show_presence("")
        await until(lambda: discord.presence is not None and not discord.presence.activities)


async def test_it_is_short_and_holds_no_secret(tmp_path: Path) -> None:
    link = quick_link()
    link.show_presence("my-own-secret " + "x" * 200)
    async with running_discord(tmp_path) as discord, bot_on(discord, FakeListener(), link=link):
        await until(lambda: len(shown(discord)) == 1)
        (text,) = shown(discord)
    assert len(text) == 128
    assert text.startswith("[redacted] xxx")
