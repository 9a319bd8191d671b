"""One interaction, and how it looks on the wire."""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from simulator.discord.account_wire import member_json, user_json
from simulator.discord.channel_wire import channel_json
from simulator.discord.message_wire import message_json
from simulator.discord.model import Account, Channel, Json, Message
from simulator.discord.world import World


class InteractionKind(IntEnum):
    """What a person did."""

    COMMAND = 2
    COMPONENT = 3
    AUTOCOMPLETE = 4
    MODAL = 5


class CallbackKind(IntEnum):
    """How the bot acknowledged it."""

    MESSAGE = 4
    DEFERRED_MESSAGE = 5
    DEFERRED_UPDATE = 6
    UPDATE = 7
    CHOICES = 8
    MODAL = 9


@dataclass(slots=True, kw_only=True)
class Interaction:
    """Something that a person did, and what became of it."""

    id: int
    token: str
    kind: InteractionKind
    account: Account
    channel: Channel
    message: Message | None
    """Under which it was pressed."""
    began_at_seconds: float
    data: Json
    """With what, as on the wire."""
    title: str = ""
    """What the person did, as people see it: `/status`."""
    opened_by: "Interaction | None" = None
    """For a form: what it was the answer to."""
    acknowledged: CallbackKind | None = None
    answer_id: int | None = None
    """The message that `@original` means."""
    callback_data: Json = field(default_factory=dict[str, Any])
    """What the bot acknowledged it with: the choices or the form, if it is one of these."""


def interaction_metadata(world: World, interaction: Interaction) -> Json:
    """Return what stands in a message that answers it."""
    result: Json = {
        "id": str(interaction.id),
        "type": int(interaction.kind),
        "user": user_json(interaction.account),
        "authorizing_integration_owners": {"0": str(world.guild.id)},
    }
    if interaction.message is not None and interaction.kind is InteractionKind.COMPONENT:
        result["interacted_message_id"] = str(interaction.message.id)
    if "target_id" in interaction.data and "messages" in interaction.data["resolved"]:
        result["target_message_id"] = interaction.data["target_id"]
    if interaction.opened_by is not None:
        result["triggering_interaction_metadata"] = interaction_metadata(
            world, interaction.opened_by
        )
    return result


def interaction_event(world: World, interaction: Interaction, *, most_file_bytes: int) -> Json:
    """Return what the bot is told of it.

    Args:
        world: Where it happened.
        interaction: What happened.
        most_file_bytes: How large a file in the answer may be.
    """
    channel = world.channels[interaction.channel.id]
    persons_permissions = str(world.permissions(interaction.account, channel))
    event: Json = {
        "id": str(interaction.id),
        "application_id": str(world.bot.id),
        "type": int(interaction.kind),
        "token": interaction.token,
        "version": 1,
        "data": interaction.data,
        "channel_id": str(channel.id),
        "channel": channel_json(world, channel) | {"permissions": persons_permissions},
        "locale": "en-US",
        "app_permissions": str(world.permissions(world.bot, channel)),
        "entitlements": [],
        "authorizing_integration_owners": {"0": str(world.guild.id)},
        "attachment_size_limit": most_file_bytes,
    }
    if interaction.message is not None:
        event["message"] = message_json(world, interaction.message)
    if channel.guild_id is None:
        return event | {"context": 1, "user": user_json(interaction.account)}
    member = member_json(world, interaction.account)
    return event | {
        "context": 0,
        "guild_id": str(channel.guild_id),
        "guild": {"id": str(channel.guild_id), "features": [], "locale": "en-US"},
        "guild_locale": "en-US",
        "member": member | {"permissions": persons_permissions},
    }
