"""Routes by which the bot tells which slash commands it has."""

from typing import Any, cast

from simulator.discord.command_rules import check_commands
from simulator.discord.commands import command_names
from simulator.discord.core import Core
from simulator.discord.errors import ApiError
from simulator.discord.journal import CommandsRegistered
from simulator.discord.model import Json, items_of
from simulator.discord.rest.call import Answer, Call, Route

_GLOBAL = "/applications/{application_id}/commands"
_OF_GUILD = "/applications/{application_id}/guilds/{guild_id}/commands"
_EVERYWHERE: Json = {"contexts": None, "integration_types": [0], "dm_permission": True}


class CommandRoutes:
    """Global commands, and those of the guild."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def routes(self) -> list[Route]:
        """Return what is served here."""
        return [
            Route(method=method, template=template, handler=handler)
            for template in (_GLOBAL, _OF_GUILD)
            for method, handler in (("GET", self._list), ("PUT", self._replace))
        ]

    async def _list(self, call: Call) -> Answer:
        commands = self._core.world.commands.get(self._scope(call), [])
        wants_all = call.query.get("with_localizations", "").lower() in {"1", "true"}
        return Answer(body=commands if wants_all else [_unlocalized(one) for one in commands])

    async def _replace(self, call: Call) -> Answer:
        scope = self._scope(call)
        world = self._core.world
        wanted = _list_in(call.body)
        check_commands(wanted)
        ids = {_key(command): command["id"] for command in world.commands.get(scope, [])}
        world.commands[scope] = [self._registered(command, scope, ids) for command in wanted]
        self._core.journal.record(
            CommandsRegistered(
                at_seconds=self._core.clock.seconds(),
                guild_id=scope,
                names=tuple(command_names(wanted)),
            )
        )
        return Answer(body=world.commands[scope])

    def _scope(self, call: Call) -> int | None:
        if call.params["application_id"] != str(self._core.world.bot.id):
            raise ApiError(403, 20012, "You are not authorized to perform this action")
        if "guild_id" not in call.params:
            return None
        self._core.world.check_guild(call.params["guild_id"])
        return self._core.world.guild.id

    def _registered(
        self, command: Json, scope: int | None, ids: dict[tuple[str, int], str]
    ) -> Json:
        # It may come as a number, and is told as a text.
        permissions: int | str | None = command.get("default_member_permissions")
        filled: Json = {
            "type": 1,
            "description": "",
            "nsfw": False,
            **({} if scope is not None else _EVERYWHERE),
            "name_localizations": None,
            "description_localizations": None,
            **{key: value for key, value in command.items() if value is not None},
            "default_member_permissions": None if permissions is None else str(permissions),
            # A command that was there before keeps its id.
            "id": ids.get(_key(command)) or str(self._core.world.ids.next()),
            "application_id": str(self._core.world.bot.id),
            "version": str(self._core.world.ids.next()),
        }
        return filled if scope is None else filled | {"guild_id": str(scope)}


def _list_in(body: Any) -> list[Json]:
    if not isinstance(body, list):
        raise ApiError(400, 50035, "Invalid Form Body")
    return [dict[str, Any](item) for item in cast("list[Json]", body)]


def _unlocalized(item: Json) -> Json:
    """Leave the translations out, as Discord does if they are not asked for."""
    result = {key: value for key, value in item.items() if not key.endswith("_localizations")}
    for key in ("options", "choices"):
        if key in result:
            result[key] = [_unlocalized(one) for one in items_of(result, key)]
    return result


def _key(command: Json) -> tuple[str, int]:
    return command["name"], command.get("type", 1)
