"""Keeps up with the skills and prompts of the plugins that run."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.plugin_services.resource_texts import PromptCommand, Skill
from bot.plugin_services.skill_packs import Brought, bring, remove_other_packs
from extensions.claude.skills import SkillShelf
from extensions.plugins.manifest import Candidate

logger = logging.getLogger(__name__)

_RESTING_SECONDS = 0.2
"""Between two looks: plugins become ready one after the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningPlugin:
    """A plugin whose program runs."""

    candidate: Candidate
    epoch: int
    """How many programs were started for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceParts:
    """What is needed to keep up with them."""

    running: Callable[[], Sequence[RunningPlugin]]
    """Returns the plugins that run at present, in their order."""
    is_trusted: Callable[[Candidate], Awaitable[bool]]
    """Says whether a plugin's folder still is what was trusted."""
    folder: Path
    """Where plugins keep things: a folder for each, by its id."""
    shelf: SkillShelf = field(default_factory=SkillShelf)
    """From which each `claude` gets its skills."""


class PluginResources:
    """The skills and prompts that there are. Get one from `keeping_resources`."""

    def __init__(self, parts: ResourceParts) -> None:
        self.changed: Callable[[], None] = lambda: None
        """Called when there are others than before."""
        self._parts = parts
        self._brought: dict[tuple[str, int], Brought] = {}
        """By the plugin's id and epoch, in the order of the plugins."""
        self._tidied: set[str] = set()
        """The plugins of which no copies of an earlier bot are left."""
        self._news = asyncio.Event()

    @property
    def skills(self) -> tuple[Skill, ...]:
        """All skills."""
        return tuple(skill for each in self._brought.values() for skill in each.skills)

    @property
    def prompts(self) -> tuple[PromptCommand, ...]:
        """All prompts."""
        return tuple(prompt for each in self._brought.values() for prompt in each.prompts)

    def themes_of(self, plugin_id: str) -> tuple[str, ...]:
        """Return the themes of a plugin that runs, as its manifest names them."""
        found = (each.candidate for each in self._parts.running())
        return next((each.manifest.resources.themes for each in found if each.id == plugin_id), ())

    def look(self) -> None:
        """Have it looked which plugins run by now; returns at once."""
        self._news.set()

    async def keep_up(self) -> None:
        """Look whenever there are news, until cancelled."""
        while True:
            await self._news.wait()
            self._news.clear()
            try:
                await self._look()
            except Exception:
                logger.exception("the skills of plugins could not be looked for")
            await asyncio.sleep(_RESTING_SECONDS)

    async def _look(self) -> None:
        running = {(each.candidate.id, each.epoch): each for each in self._parts.running()}
        brought = {
            key: self._brought.get(key) or await self._bring(each.candidate)
            for key, each in running.items()
        }
        if brought == self._brought:
            return
        self._brought = brought
        self._parts.shelf.put(each.pack for each in brought.values() if each.pack is not None)
        self.changed()

    async def _bring(self, candidate: Candidate) -> Brought:
        resources = candidate.manifest.resources
        if not resources.skills and not resources.prompts:
            return Brought()
        packs = self._parts.folder / candidate.id / "skills"
        try:
            brought = await asyncio.to_thread(
                bring, candidate.id, candidate.folder, resources, packs
            )
            # Only now: what was copied is what was trusted, if that still is what is there.
            if not await self._parts.is_trusted(candidate):
                logger.warning("plugin %s: its folder has changed; no skills", candidate.id)
                return Brought()
            await self._tidy(candidate.id, packs, brought.pack)
        except OSError as error:
            logger.warning("plugin %s: its skills cannot be read: %s", candidate.id, error)
            return Brought()
        for remark in brought.remarks:
            logger.warning("plugin %s: %s", candidate.id, remark)
        return brought

    async def _tidy(self, plugin_id: str, packs: Path, pack: Path | None) -> None:
        # Later ones may be in use: a `claude` keeps those with which it was started.
        if plugin_id not in self._tidied:
            self._tidied.add(plugin_id)
            await asyncio.to_thread(remove_other_packs, packs, pack)


@asynccontextmanager
async def keeping_resources(parts: ResourceParts) -> AsyncGenerator[PluginResources, None]:
    """Keep up with skills and prompts while the block lasts; call `look` when plugins change."""
    resources = PluginResources(parts)
    async with asyncio.TaskGroup() as tasks:
        keeping = tasks.create_task(resources.keep_up())
        try:
            yield resources
        finally:
            keeping.cancel()
