"""Answers commands, buttons, menus and forms, and completes what is being typed.

Discord gives three seconds for a first sign, and gets it before anything else is done.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import aiohttp
import discord

from bot.conversation.incoming import ButtonPress, Listener, Suggestion
from bot.discord_io.answers import show
from bot.discord_io.components import modal_of
from bot.discord_io.outgoing import may_be_suggested, outgoing_form, outgoing_with_files
from bot.discord_io.presses import Interaction, call_of, completion_of, press_of
from bot.messenger import Form, MessageContent
from bot.redaction import Redactor
from bot.wording import shortened

logger = logging.getLogger(__name__)

_ANSWER_SECONDS = 60.0
_OTHERS_ANSWER_SECONDS = 170.0
"""Of what everybody sees: programs of others give it, and may ask people something meanwhile."""
_COMPLETE_SECONDS = 2.5
"""Of Discord's three: a completion cannot be deferred."""
_PAUSES_SECONDS = (0.1, 0.4)
"""Between the attempts to give the first sign, all within its three seconds."""
_ACKNOWLEDGED_ALREADY = 40060
"""Discord's code for it; so an attempt arrived whose answer was lost."""
_MOST_SUGGESTIONS = 25
_SUGGESTION_CHARACTERS = 100

WENT_WRONG = MessageContent(text="Something went wrong. The log of Papercup says what.")
TOO_BUSY = MessageContent(text="I have too much to do at this moment. Try again in a minute.")
UNKNOWN_BUTTON = MessageContent(text="This button does nothing any more.")

_Work = Callable[[], Awaitable[MessageContent | None]]


async def answer_interaction(
    interaction: Interaction, listener: Listener, redactor: Redactor
) -> None:
    """Let the listener do what was asked for, and show its answer."""
    match interaction.type:
        case discord.InteractionType.application_command:
            await _call_command(interaction, listener, redactor)
        case discord.InteractionType.component | discord.InteractionType.modal_submit:
            await _press(interaction, listener, redactor)
        case discord.InteractionType.autocomplete:
            await _complete(interaction, listener, redactor)
        case _:
            return  # nothing is offered that would cause another


async def turn_away(interaction: Interaction) -> None:
    """Tell the person that nothing can be done at present."""
    if interaction.type is discord.InteractionType.autocomplete:
        await interaction.response.autocomplete([])
    else:
        await interaction.response.send_message(TOO_BUSY.text, ephemeral=True)


async def _carry_out(
    interaction: Interaction, work: _Work, redactor: Redactor, *, is_for_all: bool = False
) -> None:
    await _first_sign(
        interaction, lambda: interaction.response.defer(ephemeral=not is_for_all, thinking=True)
    )
    seconds = _OTHERS_ANSWER_SECONDS if is_for_all else _ANSWER_SECONDS
    answer = await _done(work, interaction, within_seconds=seconds)
    if answer is None:
        await interaction.delete_original_response()
    else:
        content = await outgoing_with_files(answer, redactor)
        await _show(interaction, content, is_for_all=is_for_all)


async def _call_command(interaction: Interaction, listener: Listener, redactor: Redactor) -> None:
    is_for_all = _is_for_all(interaction, listener)

    async def call() -> MessageContent:
        return await listener.command_called(call_of(interaction))

    await _carry_out(interaction, call, redactor, is_for_all=is_for_all)


def _is_for_all(interaction: Interaction, listener: Listener) -> bool:
    try:
        return listener.is_for_all(call_of(interaction))
    except Exception:
        logger.exception("interaction %s: nobody can say who sees its answer", interaction.id)
        return False


async def _press(interaction: Interaction, listener: Listener, redactor: Redactor) -> None:
    press = press_of(interaction)
    form = None if press is None else _form_for(press, interaction, listener)
    if form is not None:
        modal = modal_of(outgoing_form(form, redactor))
        await _first_sign(interaction, lambda: interaction.response.send_modal(modal))
    else:
        await _carry_out(interaction, partial(_done_with, press, listener), redactor)


def _form_for(press: ButtonPress, interaction: Interaction, listener: Listener) -> Form | None:
    if interaction.type is not discord.InteractionType.component:
        return None  # a form cannot be answered by another one
    try:
        return listener.form_for(press)
    except Exception:
        logger.exception("interaction %s: its form could not be made", interaction.id)
        return None


async def _done_with(press: ButtonPress | None, listener: Listener) -> MessageContent | None:
    return UNKNOWN_BUTTON if press is None else await listener.button_pressed(press)


async def _complete(interaction: Interaction, listener: Listener, redactor: Redactor) -> None:
    suggestions = await _suggestions(interaction, listener)
    fitting = [one for one in suggestions if _fits(one) and may_be_suggested(one, redactor)]
    choices = [
        discord.app_commands.Choice(
            name=shortened(one.label, _SUGGESTION_CHARACTERS), value=one.value
        )
        for one in fitting[:_MOST_SUGGESTIONS]
    ]
    await interaction.response.autocomplete(choices)


async def _suggestions(interaction: Interaction, listener: Listener) -> Sequence[Suggestion]:
    try:
        async with asyncio.timeout(_COMPLETE_SECONDS):
            return await listener.completed(completion_of(interaction))
    except TimeoutError:
        logger.warning("interaction %s: nothing was suggested in time", interaction.id)
    except Exception:
        logger.exception("interaction %s could not be completed", interaction.id)
    return ()


def _fits(suggestion: Suggestion) -> bool:
    return bool(suggestion.label.strip()) and 1 <= len(suggestion.value) <= _SUGGESTION_CHARACTERS


async def _first_sign(interaction: Interaction, give: Callable[[], Awaitable[object]]) -> None:
    """Acknowledge an interaction, once."""
    for seconds in (*_PAUSES_SECONDS, None):
        try:
            await give()
        except discord.HTTPException as error:
            if error.code != _ACKNOWLEDGED_ALREADY:
                raise
        except (aiohttp.ClientError, OSError) as error:
            if seconds is None:
                raise
            logger.info("interaction %s: %r; trying again", interaction.id, error)
            await asyncio.sleep(seconds)
            continue
        return


async def _done(
    work: _Work, interaction: Interaction, *, within_seconds: float
) -> MessageContent | None:
    try:
        async with asyncio.timeout(within_seconds):
            return await work()
    except Exception:
        logger.exception("interaction %s could not be carried out", interaction.id)
        return WENT_WRONG


async def _show(interaction: Interaction, content: MessageContent, *, is_for_all: bool) -> None:
    try:
        await show(interaction, content, is_for_all=is_for_all)
    except (discord.HTTPException, ValueError):
        logger.exception("the answer to interaction %s was not taken", interaction.id)
        await show(interaction, WENT_WRONG)
