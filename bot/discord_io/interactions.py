"""Answers slash commands and pressed buttons.

Discord gives three seconds for a first sign, and gets it before anything else is done.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, cast

import aiohttp
import discord

from bot.access import Place
from bot.conversation.incoming import ButtonPress, CommandCall, Listener
from bot.discord_io.command_table import called_command
from bot.discord_io.components import files_of, view_of
from bot.discord_io.custom_id import action_of
from bot.discord_io.outgoing import outgoing
from bot.discord_io.splitting import split_message
from bot.discord_io.translation import person_of, ref_of
from bot.messenger import MessageContent
from bot.redaction import Redactor

logger = logging.getLogger(__name__)

_ANSWER_SECONDS = 60.0
_PAUSES_SECONDS = (0.1, 0.4)
"""Between the attempts to give the first sign, all within its three seconds."""
_ACKNOWLEDGED_ALREADY = 40060
"""Discord's code for it; so an attempt arrived whose answer was lost."""

WENT_WRONG = MessageContent(text="Something went wrong. The log of Papercup says what.")
TOO_BUSY = MessageContent(text="I have too much to do at this moment. Try again in a minute.")
UNKNOWN_BUTTON = MessageContent(text="This button does nothing any more.")

Interaction = discord.Interaction[discord.Client]


async def answer_interaction(
    interaction: Interaction, listener: Listener, redactor: Redactor
) -> None:
    """Let the listener do what was asked for, and show its answer to that person alone."""
    work = _work(interaction, listener)
    if work is None:
        return
    await _acknowledge(interaction)
    answer = await _done(work, interaction)
    if answer is None:
        await interaction.delete_original_response()
    else:
        await _show(interaction, outgoing(answer, redactor))


async def turn_away(interaction: Interaction) -> None:
    """Tell the person that nothing can be done at present."""
    await interaction.response.send_message(TOO_BUSY.text, ephemeral=True)


async def _acknowledge(interaction: Interaction) -> None:
    for seconds in _PAUSES_SECONDS:
        try:
            return await _defer(interaction)
        except (aiohttp.ClientError, OSError) as error:
            logger.info("interaction %s: %r; trying again", interaction.id, error)
        await asyncio.sleep(seconds)
    return await _defer(interaction)


async def _defer(interaction: Interaction) -> None:
    try:
        await interaction.response.defer(ephemeral=True, thinking=True)
    except discord.HTTPException as error:
        if error.code != _ACKNOWLEDGED_ALREADY:
            raise


def _work(
    interaction: Interaction, listener: Listener
) -> Callable[[], Awaitable[MessageContent | None]] | None:
    match interaction.type:
        case discord.InteractionType.application_command:
            return partial(_call_command, interaction, listener)
        case discord.InteractionType.component:
            return partial(_press_button, interaction, listener)
        case _:
            return None  # nothing is offered that would cause another


async def _call_command(interaction: Interaction, listener: Listener) -> MessageContent:
    name, options = called_command(_data(interaction))
    person, place = person_of(interaction.user), _place(interaction)
    return await listener.command_called(
        CommandCall(name=name, options=options, person=person, place=place)
    )


async def _press_button(interaction: Interaction, listener: Listener) -> MessageContent | None:
    action = action_of(str(_data(interaction)["custom_id"]))
    if action is None or interaction.message is None:
        return UNKNOWN_BUTTON
    press = ButtonPress(
        action=action,
        message=ref_of(interaction.message),
        person=person_of(interaction.user),
        place=_place(interaction),
    )
    return await listener.button_pressed(press)


def _data(interaction: Interaction) -> dict[str, Any]:
    return cast("dict[str, Any]", interaction.data)


def _place(interaction: Interaction) -> Place:
    assert interaction.channel_id is not None
    return Place(guild_id=interaction.guild_id, channel_id=interaction.channel_id)


async def _done(
    work: Callable[[], Awaitable[MessageContent | None]], interaction: Interaction
) -> MessageContent | None:
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            return await work()
    except Exception:
        logger.exception("interaction %s could not be carried out", interaction.id)
        return WENT_WRONG


async def _show(interaction: Interaction, content: MessageContent) -> None:
    try:
        await _send(interaction, content)
    except (discord.HTTPException, ValueError):
        logger.exception("the answer to interaction %s was not taken", interaction.id)
        await _send(interaction, WENT_WRONG)


async def _send(interaction: Interaction, content: MessageContent) -> None:
    """Send what only that person sees, in as many messages as it needs."""
    first, *others = split_message(content.text) or [""]
    await interaction.edit_original_response(
        content=first, attachments=files_of(content), view=view_of(content)
    )
    for text in others:
        await interaction.followup.send(text, ephemeral=True)
