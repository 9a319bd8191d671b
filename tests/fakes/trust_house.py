"""All of trust in plugins over a database in memory and folders on the disk."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bot.config_plugins import PluginsConfig
from bot.plugin_services.trust_desk import Runner, TrustDesk, TrustDeskParts
from extensions.plugins.admission import Admission, AdmissionTerms
from extensions.plugins.discovery import DiscoverySettings, discover
from extensions.plugins.manifest import Candidate, DiscoveryReport
from extensions.plugins.rereading import rereading
from extensions.plugins.services import AuditKind
from extensions.plugins.trust_store import TrustStore
from tests.fakes.inline_database import InlineDatabase
from tests.fakes.trusted_plugins import settings_of

OWN_NAMES = frozenset({"DISCORD_TOKEN", "ANTHROPIC_API_KEY"})


@dataclass
class KeptLines:
    """An audit log that is looked at."""

    lines: list[tuple[AuditKind, str, str]] = field(default_factory=list)

    def note(self, kind: AuditKind, plugin_id: str, text: str) -> None:
        """Keep one line."""
        self.lines.append((kind, plugin_id, text))


@dataclass
class FakeRunner:
    """Says which plugins it was told to run."""

    running: list[str] = field(default_factory=list)
    started: list[Candidate] = field(default_factory=list)
    held: list[Candidate] = field(default_factory=list)
    down: str | None = None
    """Why nothing it starts is up."""

    async def start(self, candidate: Candidate, /) -> str | None:
        """Take note of it."""
        self.started.append(candidate)
        if candidate.id not in self.running:
            self.running.append(candidate.id)
        return self.down

    async def hold(self, candidate: Candidate, /) -> str | None:
        """Take note of it."""
        await self.stop(candidate.id)
        self.held.append(candidate)
        return "it is held"

    async def stop(self, plugin_id: str, /) -> bool:
        """Take note of it."""
        was_running = plugin_id in self.running
        if was_running:
            self.running.remove(plugin_id)
        return was_running


class TrustHouse:
    """What an operator has: plugins of their own and in a project, and a database."""

    def __init__(
        self,
        folder: Path,
        *,
        environment: Mapping[str, str] | None = None,
        config: PluginsConfig | None = None,
    ) -> None:
        self.plugins, self.project = folder / "plugins", folder / "shop"
        self.project_plugins = self.project / ".papercup" / "plugins"
        for each in (self.plugins, self.project_plugins):
            each.mkdir(parents=True)
        self.data = folder / "data" / "plugins"
        self.environment = environment or {"PATH": "/usr/local/bin:/usr/bin:/bin"}
        self.settings: DiscoverySettings = settings_of(self.plugins, project=self.project)
        self.database = InlineDatabase()
        self.store = TrustStore(self.database)
        self.audit = KeptLines()
        self.runner = FakeRunner()
        self.config = config or PluginsConfig()
        self.admission = self.admission_for(self.config.trusted)
        self.desk = self.desk_with(self.runner)

    def found(self, name: str = "dice") -> Candidate:
        """Return the plugin of that id, as it is found now."""
        return next(each for each in discover(self.settings).candidates if each.id == name)

    def admission_for(self, trusted: Mapping[str, str]) -> Admission:
        """Return what lets plugins in if the configuration trusts these hashes."""
        terms = AdmissionTerms(
            environment=self.environment,
            own_names=OWN_NAMES,
            own_values=frozenset({"tok-123"}),
            passes_all=self.config.env.passthrough,
            trusted_hashes=trusted,
            data_folder=self.data,
            version="0.1.0",
        )
        return Admission(self.store, self.audit, terms, rereading(self.settings))

    def desk_with(
        self, runner: Runner, found: Callable[[], DiscoveryReport] | None = None
    ) -> TrustDesk:
        """Return where plugins are trusted that `runner` starts then; `found` looks for them."""
        parts = TrustDeskParts(
            discover=found or partial(discover, self.settings),
            admission=self.admission,
            store=self.store,
            audit=self.audit,
            runner=runner,
            environment=self.environment,
            own_names=OWN_NAMES,
            clock=lambda: 100.0,
        )
        return TrustDesk(parts)
