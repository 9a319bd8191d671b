"""One `claude -p` for one turn, as one would do without a speaker that is kept warm."""

import asyncio
import time
import uuid
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping, Sequence
from importlib import resources

from benchmarks.text.house import House
from extensions.callers import Caller, CallerKind, token_hash
from extensions.claude.command import SpeakerOptions, claude_environment, speaker_command
from extensions.claude.events import TextDelta
from extensions.claude.stream import parse_line, user_message

_TOKEN = "benchmark-one-shot"  # noqa: S105 - it opens nothing
_LINE_LIMIT_BYTES = 16 << 20
_TURN_SECONDS = 60.0


class OneShot:
    """Starts a `claude -p` per turn, with all flags of a speaker."""

    def __init__(self, house: House) -> None:
        self._settings = house.settings
        self._folder = house.settings.sessions / "one-shot"
        self._temporary = house.settings.home / "tmp" / "one-shot"
        house.callers.admit(Caller(CallerKind.SPEAKER, "one-shot"), token_hash(_TOKEN))
        for path in (self._folder, self._temporary):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)

    async def first_text(
        self, said: str, session_id: str, *, is_resumed: bool
    ) -> tuple[float, float]:
        """Have a turn answered; return when it was started, and when its first text came.

        Args:
            said: What is said.
            session_id: The Claude session, a UUID.
            is_resumed: Whether that session exists already and goes on.
        """
        with resources.as_file(resources.files("bot.speaker") / "prompt.md") as prompt:
            command = speaker_command(
                SpeakerOptions(
                    claude=self._settings.claude,
                    claude_session_id=session_id,
                    is_resumed=is_resumed,
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
        settings = self._settings
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
