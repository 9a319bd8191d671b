"""How a speaker has its `claude` started."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from bot.speaker.speaker import Knobs
from extensions.claude.process import ClaudeProcess


@dataclass(frozen=True, slots=True)
class StartedClaude:
    """A `claude` that was started for a speaker."""

    process: ClaudeProcess
    remarks: tuple[str, ...] = ()
    """What the person should know of how it was started."""
    is_outdated: Callable[[], bool] = lambda: False
    """Says whether it would be started otherwise by now, so that another should answer."""


StartClaude = Callable[[str | None, Knobs], AbstractAsyncContextManager[StartedClaude]]
"""Starts the process; takes the id of the Claude session that it shall go on with, if any."""
