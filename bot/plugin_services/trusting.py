"""All of trust in plugins, put together: for the bot, and for a command without one."""

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.config_plugins import PluginsConfig
from bot.plugin_services.trust_desk import Runner, TrustDesk, TrustDeskParts
from extensions.database import Database
from extensions.plugins.admission import Admission, AdmissionTerms, ReadAgain
from extensions.plugins.audit import AuditReader, AuditWriter, writing_audit
from extensions.plugins.manifest import DiscoveryReport
from extensions.plugins.trust_store import TrustStore


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustGround:
    """What trust in plugins stands on."""

    config: PluginsConfig
    environment: Mapping[str, str]
    """The bot's own."""
    own_names: frozenset[str]
    """The names of the bot's own secrets."""
    own_values: Iterable[str]
    """The bot's own secrets."""
    plugins_folder: Path
    """Where each plugin has a folder of its own, by its id."""
    version: str
    """Of Papercup."""
    discover: Callable[[], DiscoveryReport]
    """Looks for plugins; it may block."""
    read_again: ReadAgain
    redact: Callable[[str], str]
    """Takes secrets out of a text."""
    clock: Callable[[], float]
    """Returns the Unix time."""


class Trust:
    """All of trust in plugins. Get one from `open_trust`."""

    def __init__(self, ground: TrustGround, database: Database, audit: AuditWriter) -> None:
        self._ground = ground
        self._store = TrustStore(database)
        self.audit = audit
        """The log of what plugins do."""
        self.log = AuditReader(database)
        """The same, to be read."""
        self.admission = Admission(self._store, audit, _terms(ground), ground.read_again)
        """What lets plugins in."""

    def desk(self, runner: Runner) -> TrustDesk:
        """Return where the operator trusts plugins, which `runner` then starts."""
        parts = TrustDeskParts(
            discover=self._ground.discover,
            admission=self.admission,
            store=self._store,
            audit=self.audit,
            runner=runner,
            environment=self._ground.environment,
            own_names=self._ground.own_names,
            clock=self._ground.clock,
        )
        return TrustDesk(parts)


@asynccontextmanager
async def open_trust(ground: TrustGround, database: Database) -> AsyncGenerator[Trust, None]:
    """Yield all of trust in plugins; the log is written to its end when the block ends."""
    async with writing_audit(database, clock=ground.clock, redact=ground.redact) as audit:
        yield Trust(ground, database, audit)


def _terms(ground: TrustGround) -> AdmissionTerms:
    return AdmissionTerms(
        environment=ground.environment,
        own_names=ground.own_names,
        own_values=frozenset(ground.own_values),
        passes_all=ground.config.env.passthrough,
        trusted_hashes=ground.config.trusted,
        data_folder=ground.plugins_folder,
        version=ground.version,
    )
