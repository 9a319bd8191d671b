"""Makes speakers: each gets a folder, a home and a token of its own."""

import asyncio
import secrets
import uuid
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from bot.config_mcp import McpServerConfig
from bot.speaker.claude_session import ClaudeSession
from bot.speaker.claude_speaker import ClaudeSpeaker
from bot.speaker.cost_counts import CostCounts
from bot.speaker.jailed import JailedPlace, SpeakerJail, jailed_claude, remove_links
from bot.speaker.manner import Manner, Usual, manner_of
from bot.speaker.seats import Seats
from bot.speaker.session_locks import SessionLocks
from bot.speaker.speaker import Knobs, PermissionMode
from bot.speaker.starting import StartedClaude
from bot.speaker.warmth import Warmth
from extensions.callers import Caller, CallerKind, Callers, token_hash
from extensions.claude.command import SpeakerOptions, claude_environment, speaker_command
from extensions.claude.process import ClaudeProcess, running_claude
from extensions.claude.skills import SkillShelf
from extensions.process.interpreter import program_command
from extensions.process.jail.bubblewrap import API_URL, MCP_URL

_TOKEN_BYTES = 32
_GRACE_SECONDS = 2.0
_API_RETRIES = 3
"""About four seconds in all: somebody waits for the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakerSettings:
    """What all speakers have in common."""

    claude: Path
    """The program."""
    mcp_url: str
    api_url: str
    home: Path
    """Where Claude keeps its sessions."""
    sessions: Path
    """Under which each session has a folder."""
    model: str | None
    effort: str | None
    turn_timeout_seconds: float
    search_path: str
    """The PATH of the process."""
    idle_seconds: float = 1800.0
    """How long a process may run that nobody talks to."""
    most_warm: int = 8
    """How many processes may run at the same time."""
    permission_mode: PermissionMode = PermissionMode.DONT_ASK
    """What holds unless a session says otherwise; one that needs no jail."""
    mcp: Mapping[str, McpServerConfig] = field(default_factory=dict[str, McpServerConfig])
    """The MCP servers that a session may enable."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """The bot's own, from which these servers get the variables that they name."""
    skills: SkillShelf = field(default_factory=SkillShelf)
    """The skills that each process gets that starts from now on."""

    @property
    def usual(self) -> Usual:
        """What holds where a session's own knobs say nothing."""
        return Usual(
            model=self.model,
            effort=self.effort,
            permission_mode=self.permission_mode,
            mcp=self.mcp,
            environment=self.environment,
        )


class SpeakerPool:
    """Makes a speaker for each session."""

    def __init__(
        self,
        settings: SpeakerSettings,
        callers: Callers,
        *,
        jail: SpeakerJail | None = None,
        no_jail_because: str | None = None,
        asks_plugins: Callable[[], bool] = lambda: False,
    ) -> None:
        """Make it.

        Args:
            settings: What all speakers have in common.
            callers: Where they are let in.
            jail: What those are put into whose permission mode needs one; `None` if none works.
            no_jail_because: Why none works, for people.
            asks_plugins: Says whether a process that starts now has to ask the plugins before it
                does things.
        """
        self._settings = settings
        self._callers = callers
        self._jail = jail
        self._no_jail_because = no_jail_because
        self._asks_plugins = asks_plugins
        self._seats = Seats(Warmth(most=settings.most_warm, idle_seconds=settings.idle_seconds))
        self._locks = SessionLocks()
        self._costs = CostCounts()

    def refusal_of(self, mode: PermissionMode) -> str | None:
        """Return why a permission mode cannot be had on this machine; `None` if it can."""
        if self._jail is not None or not mode.needs_jail:
            return None
        reason = f" ({self._no_jail_because})" if self._no_jail_because else ""
        return f"The permission mode {mode} needs a jail, and none works here{reason}."

    def speaker(
        self,
        session_id: str,
        *,
        claude_session_id: str | None,
        session_began: Callable[[str], None],
        knobs: Knobs | None = None,
    ) -> ClaudeSpeaker:
        """Return the speaker of a session; its process is not started yet.

        Args:
            session_id: Whose it is.
            claude_session_id: What it goes on with; `None` to begin afresh.
            session_began: Told the id under which Claude keeps the session, in each turn.
            knobs: What was set for the session.
        """

        def start(resumed: str | None, knobs: Knobs) -> AbstractAsyncContextManager[StartedClaude]:
            return self._started(session_id, resumed, knobs)

        return ClaudeSpeaker(
            start,
            self._seats,
            name=session_id,
            knobs=knobs or Knobs(),
            session=ClaudeSession(claude_session_id, began=session_began, costs=self._costs),
            turn_timeout_seconds=self._settings.turn_timeout_seconds,
            new_uuid=lambda: str(uuid.uuid4()),
        )

    @asynccontextmanager
    async def _started(
        self, session_id: str, resumed: str | None, knobs: Knobs
    ) -> AsyncGenerator[StartedClaude, None]:
        manner = manner_of(knobs, self._settings.usual, refusal_of=self.refusal_of)
        asks_plugins, skills = self._asks_plugins(), self._settings.skills.folders
        caller = Caller(CallerKind.SPEAKER, session_id)
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        self._callers.admit(caller, token_hash(token))
        try:
            with resources.as_file(resources.files("bot.speaker") / manner.prompt) as prompt:
                options = self._options(
                    manner, prompt.resolve(), resumed, asks_plugins=asks_plugins, skills=skills
                )
                async with (
                    self._locks.held(session_id),
                    self._locks.held(options.claude_session_id),
                    self._running(session_id, options, manner, token) as process,
                ):
                    yield StartedClaude(
                        process,
                        manner.remarks,
                        is_outdated=lambda: (
                            (self._asks_plugins() and not asks_plugins)
                            or self._settings.skills.folders != skills
                        ),
                    )
        finally:
            self._callers.revoke(caller)

    @asynccontextmanager
    async def _running(
        self, session_id: str, options: SpeakerOptions, manner: Manner, token: str
    ) -> AsyncGenerator[ClaudeProcess, None]:
        settings = self._settings
        folder = settings.sessions / session_id
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        place = JailedPlace(
            folder=folder.resolve(), home=settings.home.resolve(), session_id=session_id
        )
        await asyncio.to_thread(remove_links, place)
        command = speaker_command(options)
        jail = self._jail_for(manner)
        if jail is None:
            environment = self._environment(session_id, token, settings.mcp_url, settings.api_url)
            environment |= manner.servers.environment
            running = running_claude(
                command, cwd=folder, env=environment, grace_seconds=_GRACE_SECONDS
            )
        else:
            running = jailed_claude(
                jail,
                place,
                command,
                read_only=(options.claude, options.system_prompt_file, *options.skills),
                environment=self._environment(session_id, token, MCP_URL, API_URL),
                grace_seconds=_GRACE_SECONDS,
            )
        async with running as process:
            yield process

    def _jail_for(self, manner: Manner) -> SpeakerJail | None:
        return self._jail if manner.permission_mode.needs_jail else None

    def _hook_relay(self, manner: Manner) -> list[str]:
        jail = self._jail_for(manner)
        return program_command("hook_relay") if jail is None else jail.jail.hook_relay

    def _environment(
        self, session_id: str, token: str, mcp_url: str, api_url: str
    ) -> dict[str, str]:
        temporary = self._settings.home / "tmp" / session_id
        temporary.mkdir(mode=0o700, parents=True, exist_ok=True)
        return claude_environment(
            home=self._settings.home,
            tmp=temporary,
            mcp_url=mcp_url,
            token=token,
            api_url=api_url,
            path=self._settings.search_path,
            max_retries=_API_RETRIES,
        )

    def _options(
        self,
        manner: Manner,
        prompt: Path,
        resumed: str | None,
        *,
        asks_plugins: bool,
        skills: tuple[Path, ...],
    ) -> SpeakerOptions:
        return SpeakerOptions(
            # A jail has the program itself, not what links to it.
            claude=self._settings.claude.resolve(),
            claude_session_id=resumed or str(uuid.uuid4()),
            is_resumed=resumed is not None,
            system_prompt_file=prompt,
            tools=manner.tools,
            permission_mode=manner.permission_mode,
            model=manner.model,
            effort=manner.effort,
            mcp_servers=manner.servers.entries,
            mcp_tools=manner.servers.tools,
            hook_relay=self._hook_relay(manner) if asks_plugins else None,
            skills=skills,
            may_open_skills=self._jail_for(manner) is not None or "Write" not in manner.tools,
        )
