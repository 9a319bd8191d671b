"""Makes speakers: each gets a folder, a home and a token of its own."""

import secrets
import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from bot.speaker.claude_speaker import ClaudeSpeaker
from bot.speaker.seats import Seats
from bot.speaker.session_locks import SessionLocks
from bot.speaker.warmth import Warmth
from extensions.callers import Caller, CallerKind, Callers, token_hash
from extensions.claude.command import SpeakerOptions, claude_environment, speaker_command
from extensions.claude.process import ClaudeProcess, running_claude

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


class SpeakerPool:
    """Makes a speaker for each session."""

    def __init__(self, settings: SpeakerSettings, callers: Callers) -> None:
        self._settings = settings
        self._callers = callers
        self._seats = Seats(Warmth(most=settings.most_warm, idle_seconds=settings.idle_seconds))
        self._locks = SessionLocks()

    def speaker(
        self,
        session_id: str,
        *,
        claude_session_id: str | None,
        session_began: Callable[[str], None],
    ) -> ClaudeSpeaker:
        """Return the speaker of a session; its process is not started yet."""

        def start(resumed: str | None) -> AbstractAsyncContextManager[ClaudeProcess]:
            return self._started(session_id, resumed)

        return ClaudeSpeaker(
            start,
            self._seats,
            name=session_id,
            claude_session_id=claude_session_id,
            session_began=session_began,
            turn_timeout_seconds=self._settings.turn_timeout_seconds,
            new_uuid=lambda: str(uuid.uuid4()),
        )

    @asynccontextmanager
    async def _started(
        self, session_id: str, resumed: str | None
    ) -> AsyncGenerator[ClaudeProcess, None]:
        settings = self._settings
        caller = Caller(CallerKind.SPEAKER, session_id)
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        self._callers.admit(caller, token_hash(token))
        folder = settings.sessions / session_id
        temporary = settings.home / "tmp" / session_id
        for path in (folder, temporary):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        environment = claude_environment(
            home=settings.home,
            tmp=temporary,
            mcp_url=settings.mcp_url,
            token=token,
            api_url=settings.api_url,
            path=settings.search_path,
            max_retries=_API_RETRIES,
        )
        try:
            with resources.as_file(resources.files("bot.speaker") / "prompt.md") as prompt:
                options = self._options(prompt, resumed)
                async with (
                    self._locks.held(options.claude_session_id),
                    running_claude(
                        speaker_command(options),
                        cwd=folder,
                        env=environment,
                        grace_seconds=_GRACE_SECONDS,
                    ) as process,
                ):
                    yield process
        finally:
            self._callers.revoke(caller)

    def _options(self, prompt: Path, resumed: str | None) -> SpeakerOptions:
        settings = self._settings
        return SpeakerOptions(
            claude=settings.claude,
            claude_session_id=resumed or str(uuid.uuid4()),
            is_resumed=resumed is not None,
            system_prompt_file=prompt,
            model=settings.model,
            effort=settings.effort,
        )
