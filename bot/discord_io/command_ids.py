"""Discord's ids of the commands, and how a message names a command so that it can be clicked."""

from collections.abc import Mapping

from bot.discord_io.command_store import EVERYWHERE, CommandKey
from bot.discord_io.command_table import CHAT_INPUT


class CommandIds:
    """Knows them as soon as the commands are registered."""

    def __init__(self) -> None:
        self._by_guild: dict[int, Mapping[CommandKey, int]] = {}

    def learn(self, guild_id: int, ids: Mapping[CommandKey, int]) -> None:
        """Take note of the commands of a guild; `EVERYWHERE` stands for none."""
        self._by_guild[guild_id] = ids

    def known(self, guild_id: int | None = None) -> Mapping[str, int]:
        """Return the ids by the first word of each command, as `jobs`, or its name in a menu.

        Args:
            guild_id: Where they are to be clicked. Unless it is given, and is known, those
                that are offered everywhere are meant, or else those of the only guild.
        """
        ids = self._by_guild.get(guild_id or EVERYWHERE) or self._by_guild.get(EVERYWHERE)
        guilds = [ids for ids in self._by_guild.values() if ids]
        if not ids and guild_id is None and len(guilds) == 1:
            ids = guilds[0]
        # Of two of the same name, the one after a slash is meant.
        ordered = sorted((ids or {}).items(), key=lambda item: item[0][0] == CHAT_INPUT)
        return {name: command_id for (_, name), command_id in ordered}

    def mention(self, name: str, guild_id: int | None = None) -> str:
        """Return how a message names a slash command: to be clicked, if its id is known.

        Args:
            name: Whole, without the slash: `jobs show`.
            guild_id: As for `known`.
        """
        command_id = self.known(guild_id).get(name.partition(" ")[0])
        return f"/{name}" if command_id is None else f"</{name}:{command_id}>"
