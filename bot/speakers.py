"""Where the speakers of this bot come from."""

import os
from collections.abc import Callable
from pathlib import Path

from bot.config import Config
from bot.conversation.conversation_parts import ClaudeSessionBegan
from bot.conversation.session import Session
from bot.data_folder import DataFolder
from bot.job_machine import JobMachine
from bot.speaker.jailed import SpeakerJail
from bot.speaker.pool import SpeakerPool, SpeakerSettings
from bot.speaker.speaker import PermissionMode, Speaker
from extensions.callers import Callers
from extensions.process.families import FamilyLimits
from extensions.server.gateway import Gateway
from extensions.server.job_sockets import job_sockets
from extensions.server.mcp import McpServer


def speaker_pool(
    config: Config,
    folder: DataFolder,
    claude: Path,
    callers: Callers,
    machine: JobMachine,
    *,
    mcp: McpServer,
    gateway: Gateway,
    asks_plugins: Callable[[], bool] = lambda: False,
) -> SpeakerPool:
    """Return the pool from which each session gets its speaker.

    Args:
        config: How they answer.
        folder: Where they live.
        claude: The program.
        callers: Where they are let in.
        machine: The jail that works here, if any.
        mcp: Where their tools and their hooks are answered.
        gateway: Where their model is.
        asks_plugins: Says whether a speaker that starts now has hooks at all.
    """
    settings = SpeakerSettings(
        claude=claude,
        mcp_url=mcp.url,
        api_url=gateway.url,
        home=folder.home,
        sessions=folder.sessions,
        model=config.speaker.model,
        effort=config.speaker.effort,
        turn_timeout_seconds=config.speaker.turn_timeout_minutes * 60,
        search_path=os.environ.get("PATH", os.defpath),
        idle_seconds=config.speaker.idle_minutes * 60,
        most_warm=config.speaker.max_warm,
        permission_mode=PermissionMode(config.speaker.permission_mode),
        mcp=config.mcp,
        environment=os.environ,
        skills=machine.settings.skills,
    )
    jail = None
    if machine.jail is not None:
        jail = SpeakerJail(
            jail=machine.jail,
            sockets=lambda path: job_sockets(path, mcp_port=mcp.port, api_port=gateway.port),
            family=FamilyLimits(
                memory_bytes=config.speaker.memory_mb * 1024**2,
                processes=config.speaker.processes,
            ),
        )
    return SpeakerPool(
        settings,
        callers,
        jail=jail,
        no_jail_because=machine.jail_reason,
        asks_plugins=asks_plugins,
    )


def speakers_from(pool: SpeakerPool) -> Callable[[Session, ClaudeSessionBegan], Speaker]:
    """Return what makes the speaker of a session."""

    def speaker(session: Session, began: ClaudeSessionBegan) -> Speaker:
        return pool.speaker(
            session.id,
            claude_session_id=session.claude_session_id,
            session_began=began,
            knobs=session.knobs,
        )

    return speaker
