"""Draws what was seen in a scene as Discord shows it."""

import re
from collections.abc import Iterable, Mapping
from itertools import groupby

from simulator.discord import TextChannel
from simulator.discord.markdown_html import Names
from simulator.discord.model import Account, Message
from simulator.discord.render import ChannelView, html_of
from tests.docs.scenes.entries import Entry
from tests.docs.scenes.steady import SHOWN_AT

WIDTH_PIXELS = 720

_MAIN = re.compile(r"<main.*</main>", re.DOTALL)


def page_of(
    entries: Iterable[Entry],
    *,
    bot: Account,
    names: Names,
    everything: Mapping[int, Message],
    width_pixels: int = WIDTH_PIXELS,
) -> str:
    """Return the messages of a scene as an HTML page; each change of the channel is shown.

    Args:
        entries: What was written down of it.
        bot: The bot, as it is called in the scene.
        names: What mentions stand for.
        everything: All messages, for those that are replied to.
        width_pixels: How wide it is.
    """
    drawn = [(one.channel, one.message) for one in entries if one.is_in_picture and one.message]
    pages = [
        html_of(
            ChannelView(
                title=_title(channel, names),
                messages=[message for _, message in group],
                bot=bot,
                names=names,
                shown_at=SHOWN_AT,
                everything=everything,
                width_pixels=width_pixels,
            )
        )
        for channel, group in groupby(drawn, key=lambda pair: pair[0])
    ]
    mains = [found[0] for page in pages if (found := _MAIN.search(page))]
    return _MAIN.sub(lambda _: "".join(mains), pages[0], count=1)


def _title(channel: TextChannel, names: Names) -> str:
    parent = names.channels.get(channel.parent_id or 0)
    return channel.name if parent is None else f"{parent} / {channel.name}"
