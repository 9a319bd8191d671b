"""What people fill into the options of commands, and how it looks on the wire."""

from collections.abc import Iterable, Mapping

from simulator.discord.account_wire import bare_member_json, user_json
from simulator.discord.channel_wire import channel_json
from simulator.discord.command_rules import (
    ATTACHMENT,
    CHANNEL,
    FITS,
    MENTIONABLE,
    ROLE,
    USER,
)
from simulator.discord.guild_wire import role_json
from simulator.discord.message_wire import attachment_json, message_json
from simulator.discord.model import Account, Channel, Json, Message, Role, UploadedFile, items_of
from simulator.discord.world import World

Thing = Account | Channel | Role | UploadedFile | Message
"""What an option or a menu may be about; on the wire it is an id."""
OptionValue = str | int | float | bool | Account | Channel | Role | UploadedFile

_THINGS: Mapping[int, tuple[type, ...]] = {
    USER: (Account,),
    CHANNEL: (Channel,),
    ROLE: (Role,),
    MENTIONABLE: (Account, Role),
    ATTACHMENT: (UploadedFile,),
}


def problem_with(option: Json, value: OptionValue) -> str | None:
    """Say why Discord would not let a person fill that in; `None` if it would."""
    things = _THINGS.get(option["type"])
    fits = FITS.get(option["type"])
    is_fit = isinstance(value, things) if things else fits is not None and fits(value)
    if not is_fit:
        return f"{value!r} is not of its type"
    if isinstance(value, Channel):
        kinds = items_of(option, "channel_types")
        return None if not kinds or value.kind in kinds else f"{value.name} is of another kind"
    choices = [choice["value"] for choice in items_of(option, "choices")]
    if choices and value not in choices:
        return f"{value!r} is none of {choices}"
    return _out_of_bounds(option, value)


def on_the_wire(value: OptionValue) -> str | int | float | bool:
    """Return a value as it is sent: things are sent as their ids."""
    return str(value.id) if isinstance(value, Thing) else value


def resolved_json(world: World, values: Iterable[OptionValue | Message], *, by: Account) -> Json:
    """Return what is told of the things that an interaction is about; empty if of none."""
    result: dict[str, Json] = {}
    for value in values:
        if not isinstance(value, Thing):
            continue
        for key, told in _told(world, value, by=by).items():
            result.setdefault(key, {})[str(value.id)] = told
    return result


def _told(world: World, thing: Thing, *, by: Account) -> dict[str, Json]:
    match thing:
        case Account():
            return {"users": user_json(thing), "members": _member(world, thing)}
        case Channel():
            permissions = str(world.permissions(by, thing))
            return {"channels": channel_json(world, thing) | {"permissions": permissions}}
        case Role():
            return {"roles": role_json(world, thing)}
        case UploadedFile():
            return {"attachments": attachment_json(world, thing)}
        case Message():
            return {"messages": message_json(world, thing)}


def _member(world: World, account: Account) -> Json:
    member = bare_member_json(world, account)
    # Of a member who is only spoken of, Discord tells neither.
    return {key: value for key, value in member.items() if key not in {"deaf", "mute"}} | {
        "permissions": str(world.guild_permissions(account))
    }


def _out_of_bounds(option: Json, value: OptionValue) -> str | None:
    if isinstance(value, str):
        measure, unit = float(len(value)), "_length"
    elif isinstance(value, int | float):
        measure, unit = float(value), "_value"
    else:
        return None
    least, most = option.get(f"min{unit}"), option.get(f"max{unit}")
    if least is not None and measure < least:
        return f"less than {least}"
    if most is not None and measure > most:
        return f"more than {most}"
    return None
