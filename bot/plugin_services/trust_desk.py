"""Where the operator trusts plugins and projects; what is trusted runs at once."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.plugin_services.standing import Standing, standing_of
from bot.plugin_services.trust_words import capability_words
from extensions.errors import PluginError, PluginNotFoundError
from extensions.plugins.admission import Admission, Examined
from extensions.plugins.environment import environment_names
from extensions.plugins.manifest import Candidate, DiscoveryReport
from extensions.plugins.services import AuditKind, AuditLog
from extensions.plugins.tree_hash import TreeHash
from extensions.plugins.trust import Cause, Grant, TrustRecord, Untrusted
from extensions.plugins.trust_store import TrustStore

_NO_BOT = "no Papercup runs; it starts with the next one"

logger = logging.getLogger(__name__)


class Runner(Protocol):
    """Runs the plugins."""

    async def start(self, candidate: Candidate, /) -> str | None:
        """Start a plugin, anew if it runs, and return why it is down; `None`: it is up."""
        ...

    async def hold(self, candidate: Candidate, /) -> str | None:
        """Have a plugin down that was trusted until it changed, so that what it guards is closed.

        Returns why it is down; `None`: it may run after all.
        """
        ...

    async def stop(self, plugin_id: str, /) -> bool:
        """Stop a plugin, and say whether it was loaded."""
        ...


class NoRunner:
    """There is no bot that could run plugins: they start with the next one."""

    async def start(self, _candidate: Candidate, /) -> str | None:
        """Return that it starts later."""
        return _NO_BOT

    async def hold(self, _candidate: Candidate, /) -> str | None:
        """Return that it is held by the next one."""
        return _NO_BOT

    async def stop(self, _plugin_id: str, /) -> bool:
        """Return that it was not loaded."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustDeskParts:
    """What the desk works with."""

    discover: Callable[[], DiscoveryReport]
    """Looks for plugins; it may block."""
    admission: Admission
    store: TrustStore
    audit: AuditLog
    runner: Runner
    environment: Mapping[str, str]
    """The bot's own."""
    own_names: frozenset[str]
    """The names of the bot's own secrets."""
    clock: Callable[[], float]
    """Returns the Unix time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustOrder:
    """That a plugin shall be trusted."""

    name: str
    hash: str
    """Of what was looked at; if it is another by now, nothing is trusted."""
    denied_env: frozenset[str] = frozenset()
    """Variables that it asks for and does not get."""
    denies_exec: bool = False
    """Whether no programs are run for it, though it asks for that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """How a plugin stands after something was said of it."""

    standing: Standing
    down: str | None
    """Why it does not run, the end of a sentence; `None`: it runs."""


class TrustDesk:
    """Where the operator trusts plugins and projects."""

    def __init__(self, parts: TrustDeskParts) -> None:
        self._parts = parts
        self._alone = asyncio.Lock()

    async def standings(self) -> list[Standing]:
        """Return how each plugin stands that is found now."""
        report = await self._discovered()
        examined = [await self._parts.admission.examine(each) for each in report.candidates]
        return [self._standing(each) for each in examined]

    async def standing(self, name: str) -> Standing:
        """Return how a plugin stands.

        Raises:
            PluginNotFoundError: If none of that id is found.
        """
        return self._standing(await self._examined(name))

    async def trust(self, order: TrustOrder) -> Settled:
        """Trust a plugin, and start it.

        Raises:
            PluginNotFoundError: If none of that id is found.
            PluginError: If it is not what was looked at any more, or may not be trusted.
        """
        async with self._alone:
            examined = await self._looked_at(order.name, order.hash)
            candidate = examined.candidate
            names = frozenset(environment_names(candidate.manifest))
            if unknown := sorted(order.denied_env - names):
                raise PluginError(order.name, f"it does not ask for {', '.join(unknown)}")
            declared = candidate.manifest.capabilities
            grant = Grant(
                env=names - order.denied_env - self._parts.own_names,
                exec=declared.exec and not order.denies_exec,
            )
            await self._parts.store.keep(self._record(examined, order.hash, grant))
            self._note(AuditKind.TRUSTED, order.name, _grant_line(order.hash, grant))
            return await self._started(order.name)

    async def refuse(self, name: str, seen_hash: str) -> Standing:
        """Remember that a plugin was looked at and not trusted, so that nobody is asked again.

        Raises:
            PluginNotFoundError: If none of that id is found.
            PluginError: If it is not what was looked at any more.
        """
        async with self._alone:
            examined = await self._looked_at(name, seen_hash)
            await self._parts.store.keep(self._record(examined, seen_hash, None))
            self._note(AuditKind.UNTRUSTED, name, f"looked at and refused: {seen_hash}")
            await self._parts.runner.stop(name)
            return await self.standing(name)

    async def untrust(self, name: str) -> bool:
        """Take back what was said of the plugins of an id, and stop the one that runs.

        Returns whether anything was said.

        Raises:
            PluginError: If the configuration trusts it, so that it would be started again.
        """
        async with self._alone:
            forgotten = await self._parts.store.forget(name)
            if forgotten:
                self._note(AuditKind.UNTRUSTED, name, "what was granted is taken back")
            report = await self._discovered()
            for candidate in report.candidates:
                if candidate.id == name:
                    examined = await self._parts.admission.examine(candidate)
                    if examined.is_trusted or examined.has_lapsed:
                        reason = "the configuration trusts it: take it out of [plugins.trusted]"
                        raise PluginError(name, reason)
            await self._parts.runner.stop(name)
            return forgotten > 0

    async def reload(self, name: str) -> Settled:
        """Look for a plugin anew, and start it anew with what is found.

        Raises:
            PluginNotFoundError: If none of that id is found; if one runs, it is stopped.
        """
        async with self._alone:
            return await self._reloaded(name)

    async def trust_project(self, folder: Path) -> list[Settled]:
        """Let the plugins of a project be loaded, and start those of them that are trusted.

        Returns how each of them stands.
        """
        async with self._alone:
            if await self._parts.store.trust_project(folder, at=self._parts.clock()):
                self._note(AuditKind.TRUSTED, "", f"the project {folder}")
            report = await self._discovered()
            theirs = [each.id for each in report.candidates if each.project == folder]
            return [await self._started(each) for each in theirs]

    async def untrust_project(self, folder: Path) -> bool:
        """Let them not be loaded any more, and stop them; say whether they might be before."""
        async with self._alone:
            # Before: what is not trusted is not looked for everywhere.
            report = await self._discovered()
            was_trusted = await self._parts.store.untrust_project(folder)
            if was_trusted:
                self._note(AuditKind.UNTRUSTED, "", f"the project {folder}")
            for candidate in report.candidates:
                if candidate.project == folder:
                    # Another of its id may have been trusted all along, and takes its place.
                    with suppress(PluginNotFoundError):
                        await self._reloaded(candidate.id)
            return was_trusted

    async def projects(self) -> dict[Path, float]:
        """Return the projects that are trusted, and since when: Unix time."""
        return await self._parts.store.projects()

    async def _reloaded(self, name: str) -> Settled:
        try:
            return await self._started(name)
        except PluginNotFoundError:
            if not await self._parts.runner.stop(name):
                raise
        raise PluginNotFoundError(name, "it is not found any more, so it was stopped")

    async def _started(self, name: str) -> Settled:
        examined = await self._examined(name)
        standing = self._standing(examined)
        if examined.has_lapsed:
            down = await self._parts.runner.hold(examined.candidate)
            return Settled(standing=standing, down=down)
        if isinstance(examined.verdict, Untrusted):
            # What runs of it was trusted once, and is not any more.
            await self._parts.runner.stop(name)
            reason = examined.verdict.reason
            logger.warning("plugin %s is not started: %s", name, reason)
            self._note(AuditKind.REFUSED, name, f"not started: {reason}")
            return Settled(standing=standing, down=reason)
        down = await self._parts.runner.start(examined.candidate)
        return Settled(standing=standing, down=down)

    async def _looked_at(self, name: str, seen_hash: str) -> Examined:
        examined = await self._examined(name)
        found = examined.found
        if not isinstance(found, TreeHash):
            raise PluginError(name, f"it cannot be trusted: {found}")
        if found.text != seen_hash:
            raise PluginError(name, "its files have changed since it was looked at; look again")
        return examined

    async def _examined(self, name: str) -> Examined:
        report = await self._discovered()
        for candidate in report.candidates:
            if candidate.id == name:
                return await self._parts.admission.examine(candidate)
        if any(each.id == name for each in report.left_out):
            raise PluginNotFoundError(name, "it is disabled; `papercup plugin list` says by what")
        raise PluginNotFoundError(name, "it is not found; `papercup plugin list` shows which are")

    async def _discovered(self) -> DiscoveryReport:
        found = await asyncio.to_thread(self._parts.discover)
        return await self._parts.admission.choose(found)

    def _standing(self, examined: Examined) -> Standing:
        return standing_of(examined, self._parts.environment, self._parts.own_names)

    def _record(self, examined: Examined, seen_hash: str, grant: Grant | None) -> TrustRecord:
        candidate, looked = examined.candidate, examined.looked
        proven = None if looked.origin is None else looked.origin.proven
        return TrustRecord(
            scope=candidate.scope,
            folder=candidate.folder,
            plugin_id=candidate.id,
            source=proven or f"path:{candidate.folder}",
            hash=seen_hash,
            packages=None if looked.packages is None else looked.packages.made,
            grant=grant,
            capabilities=capability_words(candidate.manifest),
            at=self._parts.clock(),
        )

    def _note(self, kind: AuditKind, name: str, text: str) -> None:
        self._parts.audit.note(kind, name, text)


def should_ask(standing: Standing) -> bool:
    """Say whether the operator has to be asked about a plugin."""
    return standing.cause in {Cause.UNKNOWN, Cause.CHANGED}


def _grant_line(seen_hash: str, grant: Grant) -> str:
    env = ", ".join(sorted(grant.env)) or "none"
    programs = "yes" if grant.exec else "no"
    return f"{seen_hash}; variables: {env}; running programs: {programs}"
