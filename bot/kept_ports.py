"""The ports that the bot listened on last time, so that what outlived it finds it again."""

import socket

from extensions.database import Database
from extensions.server.http import loopback_socket


class KeptPorts:
    """Remembers ports by the name of what listens there."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def listen(self, name: str) -> socket.socket:
        """Return a listening socket: on the port of last time where that is free."""
        row = await self._database.run(
            lambda connection: connection.execute(
                "SELECT port FROM ports WHERE name = ?", (name,)
            ).fetchone()
        )
        listening = loopback_socket(None if row is None else row["port"])
        port: int = listening.getsockname()[1]
        try:
            await self._database.run(
                lambda connection: connection.execute(
                    "INSERT OR REPLACE INTO ports (name, port) VALUES (?, ?)", (name, port)
                )
            )
        except BaseException:
            listening.close()
            raise
        return listening
