import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import discord
import pytest

from bot.discord_io.invitation import (
    PERMISSIONS,
    invitation_url,
    may_read_messages,
    portal_url,
)
from bot.discord_io.voice.permissions import check_entry
from bot.voice_door import VoiceJoinError
from tests.docs.pages import page

if TYPE_CHECKING:
    from bot.discord_io.voice.reach import VoiceChannel


@dataclass(frozen=True)
class Channel:
    """A voice channel in which the bot has these permissions."""

    permissions: discord.Permissions
    user_limit: int = 0
    voice_states: dict[int, discord.VoiceState] = field(default_factory=dict)

    def permissions_for(self, _: object) -> discord.Permissions:
        return self.permissions


def enter_with(permissions: int) -> None:
    channel = Channel(discord.Permissions(permissions))
    check_entry(cast("VoiceChannel", channel), cast("discord.Member", None))


def test_it_asks_for_what_it_uses_and_no_more() -> None:
    wanted = discord.Permissions(
        view_channel=True,
        send_messages=True,
        send_messages_in_threads=True,
        create_public_threads=True,
        pin_messages=True,
        read_message_history=True,
        attach_files=True,
        embed_links=True,
        add_reactions=True,
        connect=True,
        speak=True,
        request_to_speak=True,
    )
    assert wanted.value == PERMISSIONS


def test_the_readme_shows_the_same_invitation() -> None:
    (shown,) = re.findall(r"https://discord\.com/oauth2/authorize\S+", page("README.md").text)
    assert shown == invitation_url(4711).replace("4711", "APPLICATION_ID")


def test_whoever_was_invited_so_may_enter_voice_channels() -> None:
    enter_with(PERMISSIONS)


@pytest.mark.parametrize("name", ["view_channel", "connect", "speak"])
def test_what_is_needed_to_enter_a_voice_channel_is_in_the_invitation(name: str) -> None:
    needed = discord.Permissions(**{name: True}).value
    assert needed & PERMISSIONS
    with pytest.raises(VoiceJoinError):
        enter_with(PERMISSIONS & ~needed)


@pytest.mark.parametrize(
    ("flags", "may"),
    [(0, False), (1 << 18, True), (1 << 19, True), (1 << 17 | 1 << 20, False)],
)
def test_the_intent_is_on_with_and_without_discords_review(flags: int, *, may: bool) -> None:
    assert may_read_messages(flags) is may
    assert discord.ApplicationFlags.gateway_message_content.flag == 1 << 18
    assert discord.ApplicationFlags.gateway_message_content_limited.flag == 1 << 19


def test_the_portal_is_that_of_the_application() -> None:
    assert portal_url(4711) == "https://discord.com/developers/applications/4711/bot"
