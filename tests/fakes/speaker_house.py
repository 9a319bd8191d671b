"""Speakers with the real `claude`, on a Messages API that the tests script."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bot.speaker.claude_speaker import ClaudeSpeaker
from bot.speaker.jailed import SpeakerJail
from bot.speaker.pool import SpeakerPool, SpeakerSettings
from bot.speaker.speaker import Image, Knobs, SpeakerEvent, TextCame
from extensions.callers import Callers
from extensions.claude.binary import find_claude
from extensions.process.families import FamilyLimits
from extensions.process.jail.probe import probe_jail
from extensions.server.gateway import serving_gateway
from extensions.server.http import loopback_socket
from extensions.server.job_sockets import job_sockets
from extensions.server.ledger import AnswerLedger
from extensions.server.mcp import serving_mcp
from extensions.server.tool_hooks import Hooks
from extensions.tools import ToolRegistry
from simulator.messages_api import MessagesApi, Script, running_messages_api

KEY = "the-real-key"


@dataclass
class SpeakerHouse:
    """A pool of speakers, and all that they call."""

    pool: SpeakerPool
    settings: SpeakerSettings
    api: MessagesApi
    registry: ToolRegistry
    tasks: asyncio.TaskGroup
    began: list[str] = field(default_factory=list)
    """The ids of the Claude sessions that were told."""
    running: list[asyncio.Task[None]] = field(default_factory=list)

    def speaker(
        self,
        name: str = "5e55",
        *,
        knobs: Knobs | None = None,
        claude_session_id: str | None = None,
    ) -> ClaudeSpeaker:
        """Return a speaker that runs until the house closes."""
        speaker = self.pool.speaker(
            name,
            claude_session_id=claude_session_id,
            session_began=self.began.append,
            knobs=knobs,
        )
        self.running.append(self.tasks.create_task(speaker.run()))
        return speaker

    async def close_speaker(self) -> None:
        """End the speaker that was made last."""
        task = self.running.pop()
        task.cancel()
        await asyncio.wait([task])

    def folder(self, name: str = "5e55") -> Path:
        """Return a session's own folder."""
        return self.settings.sessions / name

    def warm(self) -> list[str]:
        """Return whose processes run, by their working folders."""
        return sorted(process.folder.name for process in self._processes())

    def has_another_process(self, than: int, name: str = "5e55") -> bool:
        """Say whether a session has a process, and not that one."""
        ids = [process.id for process in self._processes() if process.folder.name == name]
        return bool(ids) and than not in ids

    def process_id(self, name: str = "5e55") -> int:
        """Return the id of a session's process; in a jail, of one of it."""
        for process in self._processes():
            if process.folder.name == name:
                return process.id
        raise LookupError(name)

    def command_line(self, name: str = "5e55") -> list[str]:
        """Return how a session's process was called."""
        return Path(f"/proc/{self.process_id(name)}/cmdline").read_text().split("\0")[:-1]

    def environment(self, name: str = "5e55") -> dict[str, str]:
        """Return the environment of a session's process."""
        items = Path(f"/proc/{self.process_id(name)}/environ").read_text().split("\0")[:-1]
        return dict(item.split("=", 1) for item in items)

    def _processes(self) -> "list[_Process]":
        found: dict[Path, _Process] = {}
        for entry in Path("/proc").iterdir():
            try:
                folder = (entry / "cwd").readlink()
            except OSError:
                continue
            if folder.parent == self.settings.sessions and entry.name.isdigit():
                found.setdefault(folder, _Process(folder, int(entry.name)))
        return list(found.values())


@dataclass(frozen=True, slots=True)
class _Process:
    folder: Path
    id: int


@asynccontextmanager
async def speaker_house(
    folder: Path,
    script: Script,
    *,
    is_jail_wanted: bool = False,
    hooks: Hooks | None = None,
    asks_plugins: Callable[[], bool] | None = None,
    **settings: Any,
) -> AsyncGenerator[SpeakerHouse, None]:
    """Serve all that speakers call, and end those that were made.

    Args:
        folder: Where they keep their things.
        script: What the model says.
        is_jail_wanted: Whether those are put into a jail that need one.
        hooks: Who has a say in what they do; `None` if nobody has.
        asks_plugins: Whether a process that starts now has hooks; by default, if there are any.
        settings: What differs from the usual settings.
    """
    claude, callers, registry = await find_claude(None), Callers(), ToolRegistry()
    async with (
        asyncio.timeout(55),
        running_messages_api(script) as api,
        serving_mcp(registry, callers, loopback_socket(), hooks=hooks) as mcp,
        serving_gateway(
            callers,
            AnswerLedger(),
            upstream=api.url,
            api_key=KEY,
            sock=loopback_socket(),
            hooks=hooks,
        ) as gateway,
        asyncio.TaskGroup() as tasks,
    ):
        usual = SpeakerSettings(
            claude=claude.path,
            mcp_url=mcp.url,
            api_url=gateway.url,
            home=folder / "home",
            sessions=folder / "sessions",
            model=None,
            effort=None,
            turn_timeout_seconds=30.0,
            search_path=os.environ["PATH"],
        )
        jail = None
        if is_jail_wanted:
            report = await probe_jail(folder, claude=claude.path)
            assert report.jail is not None, report.reason
            jail = SpeakerJail(
                jail=report.jail,
                sockets=lambda place: job_sockets(place, mcp_port=mcp.port, api_port=gateway.port),
                family=FamilyLimits(memory_bytes=2 * 1024**3, processes=100),
            )
        changed = replace(usual, **settings)
        pool = SpeakerPool(
            changed,
            callers,
            jail=jail,
            no_jail_because="there is none",
            asks_plugins=asks_plugins or (lambda: hooks is not None),
        )
        house = SpeakerHouse(pool, changed, api, registry, tasks)
        yield house
        for task in house.running:
            task.cancel()


async def said(
    speaker: ClaudeSpeaker, text: str, images: Sequence[Image] = ()
) -> list[SpeakerEvent]:
    """Return all that a speaker does when it is told something."""
    return [event async for event in speaker.answer(text, images)]


def words(events: list[SpeakerEvent]) -> str:
    """Return the text among the events."""
    return "".join(event.text for event in events if isinstance(event, TextCame))
