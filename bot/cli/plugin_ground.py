"""What commands about plugins stand on where they do not reach a running bot."""

import asyncio
import importlib.metadata
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from bot.cli.plugin_settings import plugin_finder
from bot.config_reading import ConfigReading, Surroundings
from bot.data_folder import DataFolder, held_data_folder
from bot.database import open_bot_database
from bot.migrations import migrations
from bot.plugin_services.trust_desk import NoRunner, TrustDesk
from bot.plugin_services.trusting import TrustGround, open_trust
from bot.redaction import Redactor
from bot.secrets import SECRET_NAMES, read_secrets
from extensions.database import Database
from extensions.database_view import open_database_to_read
from extensions.errors import PluginError
from extensions.plugins.rereading import rereading

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalTrust:
    """Trust in plugins, as it is kept in a data folder that no bot uses."""

    folder: DataFolder
    ground: TrustGround

    @property
    def socket(self) -> Path:
        """Where a bot is reached, if one uses the folder after all."""
        return self.folder.control_socket

    def run(self, work: Callable[[TrustDesk], Awaitable[T]]) -> T:
        """Return what `work` does with the desk at which plugins are trusted; none are started.

        Raises:
            DataFolderBusyError: If a bot uses the folder.
            DatabaseError: If the database cannot be used.
        """
        with held_data_folder(self.folder.root):
            return self.run_held(work)

    def run_held(self, work: Callable[[TrustDesk], Awaitable[T]]) -> T:
        """Do the same in a folder that this process holds already."""
        return asyncio.run(self._with_desk(work))

    def read(self, work: Callable[[Database], Awaitable[T]], otherwise: T) -> T:
        """Return what `work` sees in the database, which it cannot change.

        Args:
            work: What looks into it.
            otherwise: What is returned if there is no database yet.

        Raises:
            DatabaseError: If it cannot be read.
        """
        if not self.folder.database.exists():
            return otherwise

        async def look() -> T:
            path = self.folder.database
            async with open_database_to_read(path, schema=len(migrations())) as database:
                return await work(database)

        return asyncio.run(look())

    async def _with_desk(self, work: Callable[[TrustDesk], Awaitable[T]]) -> T:
        async with AsyncExitStack() as stack:
            opening = open_bot_database(self.folder, clock=time.time)
            database = await stack.enter_async_context(opening)
            trust = await stack.enter_async_context(open_trust(self.ground, database))
            try:
                return await work(trust.desk(NoRunner()))
            except PluginError as error:
                refusal = error
        # Not within: the task groups there would wrap it.
        raise refusal


def local_trust(reading: ConfigReading, where: Surroundings) -> LocalTrust:
    """Return it for the data folder of a configuration.

    Raises:
        SecretsFileError: If the file of the secrets may be read by others.
    """
    folder = DataFolder(reading.config.data_dir)
    found = read_secrets(reading.file, where).by_name.values()
    own_values = [each.secret.reveal() for each in found]
    finder = plugin_finder(reading.config, where)
    ground = TrustGround(
        config=reading.config.plugins,
        environment=where.environment,
        own_names=frozenset(SECRET_NAMES),
        own_values=own_values,
        plugins_folder=folder.plugins,
        version=importlib.metadata.version("papercup"),
        discover=finder,
        read_again=rereading(finder.settings()),
        redact=Redactor(own_values).redact,
        clock=time.time,
    )
    return LocalTrust(folder=folder, ground=ground)
