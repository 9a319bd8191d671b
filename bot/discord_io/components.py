"""What a message holds, in discord.py's terms."""

import io
from collections.abc import Iterator

import discord

from bot.discord_io.custom_id import custom_id_of
from bot.messenger import ButtonStyle, MessageContent

_STYLES = {
    ButtonStyle.PLAIN: discord.ButtonStyle.secondary,
    ButtonStyle.DANGER: discord.ButtonStyle.danger,
}


def view_of(content: MessageContent) -> discord.ui.View | None:
    """Return the buttons of a message; `None` if it has none."""
    if not content.buttons:
        return None
    view = discord.ui.View(timeout=None)
    for button in content.buttons:
        item: discord.ui.Button[discord.ui.View] = discord.ui.Button(
            label=button.label,
            style=_STYLES[button.style],
            custom_id=custom_id_of(button.action),
        )
        view.add_item(item)
    # A view that has ended is not kept: presses are told by their ids, whoever posted the message.
    view.stop()
    return view


def custom_ids_of(content: MessageContent) -> list[str]:
    """Return the ids of the buttons that a message is to have."""
    return [custom_id_of(button.action) for button in content.buttons]


def custom_ids_in(message: discord.Message) -> list[str]:
    """Return the ids of the buttons that a message has."""
    return list(_custom_ids(message))


def _custom_ids(message: discord.Message) -> Iterator[str]:
    for row in message.components:
        if isinstance(row, discord.ActionRow):
            for item in row.children:
                if isinstance(item, discord.Button) and item.custom_id is not None:
                    yield item.custom_id


def files_of(content: MessageContent) -> list[discord.File]:
    """Return the files of a message, to be sent once."""
    return [discord.File(io.BytesIO(file.content), filename=file.name) for file in content.files]
