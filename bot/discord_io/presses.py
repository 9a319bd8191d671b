"""What people do with commands, buttons, menus and forms, in the product's own words."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

import discord

from bot.access import Place
from bot.conversation.incoming import ButtonPress, CommandCall, Completion, IncomingMessage
from bot.discord_io.command_table import called_command, typed_option
from bot.discord_io.custom_id import action_of
from bot.discord_io.translation import incoming_message, person_of, place_of, ref_of

Interaction = discord.Interaction[discord.Client]


def call_of(interaction: Interaction) -> CommandCall:
    """Return the command that somebody called."""
    data = _data(interaction)
    name, options = called_command(data)
    return CommandCall(
        name=name,
        options=options,
        person=person_of(interaction.user),
        place=_place(interaction),
        target=_target(interaction, data),
        most_file_bytes=interaction.filesize_limit,
    )


def completion_of(interaction: Interaction) -> Completion:
    """Return what somebody is typing.

    Raises:
        ValueError: If they are not.
    """
    typing = typed_option(_data(interaction))
    return Completion(
        command=typing.command,
        option=typing.option,
        typed=typing.typed,
        given=typing.given,
        person=person_of(interaction.user),
        place=_place(interaction),
    )


def press_of(interaction: Interaction) -> ButtonPress | None:
    """Return the button, the choice or the form that somebody sent; `None` if it is not ours."""
    data = _data(interaction)
    action = action_of(str(data["custom_id"]))
    is_form = interaction.type is discord.InteractionType.modal_submit
    message = interaction.message
    if action is None or (message is None and not is_form):
        return None
    return ButtonPress(
        action=action,
        message=None if message is None else ref_of(message),
        person=person_of(interaction.user),
        place=_place(interaction),
        chosen=tuple(str(value) for value in data.get("values") or ()),
        filled=dict(_filled(data.get("components") or ())),
    )


def _filled(components: Any) -> Iterator[tuple[str, str]]:
    """Return the key and the text of each field; they stand in labels or, formerly, in rows."""
    for component in cast("list[Mapping[str, Any]]", components):
        if "component" in component:
            yield from _filled([component["component"]])
        elif "components" in component:
            yield from _filled(component["components"])
        elif "custom_id" in component:
            yield str(component["custom_id"]), str(component.get("value") or "")


def _target(interaction: Interaction, data: Mapping[str, Any]) -> IncomingMessage | None:
    """Return the message in whose menu a command was called."""
    resolved: Mapping[str, Any] = data.get("resolved") or {}
    messages: Mapping[str, Any] = resolved.get("messages") or {}
    told: Any = messages.get(str(data.get("target_id")))
    user = interaction.client.user
    if told is None or user is None or interaction.channel is None:
        return None
    # discord.py itself makes it so, but only for commands that it has registered.
    message = discord.Message(
        state=interaction._state,  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        channel=cast("Any", interaction.channel),
        data=told,
    )
    return incoming_message(message, user.id)


def _data(interaction: Interaction) -> dict[str, Any]:
    return cast("dict[str, Any]", interaction.data)


def _place(interaction: Interaction) -> Place:
    assert interaction.channel_id is not None
    return place_of(interaction.channel, interaction.channel_id, interaction.guild_id)
