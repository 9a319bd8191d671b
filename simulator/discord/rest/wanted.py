"""What a call asks for."""

from simulator.discord.core import Core
from simulator.discord.errors import ApiError, invalid_field
from simulator.discord.model import Message
from simulator.discord.rest.call import Call


def wanted_message(core: Core, call: Call) -> Message:
    """Return the message that a call is about.

    Raises:
        ApiError: If there is none, or the bot does not see it.
    """
    channel = core.world.channel(call.params["channel_id"])
    message = core.world.message(call.params["message_id"], channel)
    # Only the token of its interaction leads to an ephemeral message.
    if message.is_ephemeral:
        raise ApiError(404, 10008, "Unknown Message")
    return message


def number_in(call: Call, name: str, default: int) -> int:
    """Return a number from a call's query.

    Raises:
        ApiError: If it is none.
    """
    text = call.query.get(name)
    if text is None:
        return default
    if not text.isdecimal():
        raise invalid_field(name, "NUMBER_TYPE_COERCE", f'Value "{text}" is not a number.')
    return int(text)
