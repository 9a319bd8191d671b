"""One `claude -p` for one turn, as one would do without a speaker that is kept warm."""

import asyncio
import time
import uuid
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from bot.speaker.pool import SpeakerSettings
from extensions.callers import Caller, CallerKind, Callers, token_hash
from extensions.claude.command import SpeakerOptions, claude_environment, speaker_command
from extensions.claude.events import TextDelta
from extensions.claude.stream import parse_line, user_message

_TOKEN = "benchmark-one-shot"  # noqa: S105 - it opens nothing
_LINE_LIMIT_BYTES = 16 << 20
_TURN_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OneShot:
    """Starts a `claude -p` per turn, with all flags of a speaker."""

    settings: SpeakerSettings
    claude_session_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    """The session that each of them goes on with."""

    @property
    def _folder(self) -> Path:
        return self.settings.sessions / "one-shot"

    @property
    def _temporary(self) -> Path:
        return self.settings.home / "tmp" / "one-shot"

    def prepare(self, callers: Callers) -> None:
        """Make what it needs; call it once, before the first turn."""
        callers.admit(Caller(CallerKind.SPEAKER, "one-shot"), token_hash(_TOKEN))
        for path in (self._folder, self._temporary):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)

    async def first_text(self, said: str, *, is_first: bool) -> tuple[float, float]:
        """Have a turn answered; return when it was started, and when its first text came.

        Args:
            said: What is said.
            is_first: Whether the session begins with it.
        """
        with resources.as_file(resources.files("bot.speaker") / "prompt.md") as prompt:
            command = speaker_command(
                SpeakerOptions(
                    claude=self.settings.claude,
                    claude_session_id=self.claude_session_id,
                    is_resumed=not is_first,
                    system_prompt_file=prompt,
                )
            )
            async with asyncio.timeout(_TURN_SECONDS):
                return await self._run(command, said)

    async def _run(self, command: Sequence[str], said: str) -> tuple[float, float]:
        began = time.monotonic()
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            cwd=self._folder,
            env=self._environment(),
            limit=_LINE_LIMIT_BYTES,
        )
        try:
            first = await _first_text(process, said)
            await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return began, first

    def _environment(self) -> Mapping[str, str]:
        settings = self.settings
        return claude_environment(
            home=settings.home,
            tmp=self._temporary,
            path=settings.search_path,
            token=_TOKEN,
            mcp_url=settings.mcp_url,
            api_url=settings.api_url,
            max_retries=0,
        )


async def _first_text(process: Process, said: str) -> float:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(user_message(said, uuid=str(uuid.uuid4())))
    process.stdin.close()
    while line := await process.stdout.readline():
        if isinstance(parse_line(line.rstrip()), TextDelta):
            return time.monotonic()
    raise EOFError("claude ended without a word")
