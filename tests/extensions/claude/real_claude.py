"""Runs the real `claude` in a folder of its own."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from extensions.claude.command import (
    JobOptions,
    SpeakerOptions,
    claude_environment,
    job_command,
    speaker_command,
)
from extensions.claude.events import Event, TurnEnded
from extensions.claude.process import ClaudeProcess, running_claude

NO_SERVER = "http://127.0.0.1:9"
SESSION = "8b1c6f3a-52a4-4c6e-9d3e-0a6a0c1f7d11"
MESSAGE = "1d0f6c9e-7a35-4a1c-8a55-6c0f5b7d2e01"
READY_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Place:
    """Where a `claude` lives in a test."""

    claude: Path
    root: Path

    def __post_init__(self) -> None:
        for folder in (self.work, self.home, self.tmp):
            folder.mkdir(exist_ok=True)
        self.prompt.write_text("You are a test.", encoding="utf-8")

    @property
    def work(self) -> Path:
        return self.root / "work"

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def tmp(self) -> Path:
        return self.root / "tmp"

    @property
    def prompt(self) -> Path:
        return self.root / "prompt.md"

    def environment(self, api_url: str, *, max_retries: int = 0) -> dict[str, str]:
        return claude_environment(
            home=self.home,
            tmp=self.tmp,
            path="/usr/local/bin:/usr/bin:/bin",
            token="test-token",
            mcp_url=f"{NO_SERVER}/mcp",
            api_url=api_url,
            max_retries=max_retries,
        )

    def speaker(
        self,
        *,
        is_resumed: bool = False,
        session: str = SESSION,
        permission_mode: str = "dontAsk",
        tools: Sequence[str] = ("Read", "Glob", "Grep"),
    ) -> list[str]:
        return speaker_command(
            SpeakerOptions(
                claude=self.claude,
                claude_session_id=session,
                is_resumed=is_resumed,
                system_prompt_file=self.prompt,
                permission_mode=permission_mode,
                tools=tools,
            )
        )

    def job(
        self, tools: Sequence[str], *, permission_mode: str = "acceptEdits", max_turns: int = 20
    ) -> list[str]:
        return job_command(
            JobOptions(
                claude=self.claude,
                claude_session_id=SESSION,
                is_resumed=False,
                append_system_prompt_file=self.prompt,
                tools=tools,
                permission_mode=permission_mode,
                max_turns=max_turns,
            )
        )


@asynccontextmanager
async def ready_claude(
    place: Place, command: Sequence[str], env: dict[str, str]
) -> AsyncGenerator[ClaudeProcess, None]:
    """Run a command until the block is left; it is ready when the block begins."""
    async with running_claude(command, cwd=place.work, env=env, grace_seconds=0.2) as claude:
        await claude.ready(READY_SECONDS)
        yield claude


async def turn_of(events: AsyncIterator[Event]) -> list[Event]:
    """Return the events up to the end of the turn, or of the process."""
    seen: list[Event] = []
    async for event in events:
        seen.append(event)
        if isinstance(event, TurnEnded):
            break
    return seen
