import re

import discord
import pytest

from bot.discord_io.invitation import (
    PERMISSIONS,
    invitation_url,
    may_read_messages,
    portal_url,
)
from tests.docs.pages import page


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
    )
    assert wanted.value == PERMISSIONS


def test_the_readme_shows_the_same_invitation() -> None:
    (shown,) = re.findall(r"https://discord\.com/oauth2/authorize\S+", page("README.md").text)
    assert shown == invitation_url(4711).replace("4711", "APPLICATION_ID")


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
