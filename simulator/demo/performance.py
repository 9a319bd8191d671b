"""What every demo does around its acts: it gets the bot up, and looks back in the end."""

import time
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from rich.console import Console

from simulator.demo.bot_process import BotEndedError, BotProcess, NoSuchJobError
from simulator.demo.report import Report
from simulator.discord import DiscordSimulator
from simulator.discord.errors import SimulatorError

_START_SECONDS = 40.0
_STOP_SECONDS = 5.0

S = TypeVar("S", bound="AnyStage")
T = TypeVar("T")


class AnyStage(Protocol):
    """What a stage of any demo has."""

    @property
    def discord(self) -> DiscordSimulator:
        """The Discord on which it all happens."""
        ...

    @property
    def bot(self) -> BotProcess:
        """The bot under show."""
        ...

    @property
    def report(self) -> Report:
        """What is found out."""
        ...


async def play(
    stage: S, timing: str, acts: Callable[[S], Awaitable[T]], console: Console
) -> T | None:
    """Perform with a bot that was just started; return what comes of it, `None` if it got stuck.

    Args:
        stage: Where.
        timing: What the time is called that the bot took to be ready.
        acts: What is performed.
        console: Where it is shown.
    """
    began = time.monotonic()
    try:
        await stage.bot.connected(stage.discord, timeout_seconds=_START_SECONDS)
        stage.report.time(timing, time.monotonic() - began)
        return await acts(stage)
    except (TimeoutError, BotEndedError, NoSuchJobError, SimulatorError) as error:
        stage.report.check("the conversation comes to its end", False, f"{error!r}")  # noqa: FBT003 - it reads well
        console.print("\n[bold red]It got stuck.[/bold red] The end of the bot's log:")
        console.print(stage.bot.log_tail(), markup=False, highlight=False)
        return None


async def stop(bot: BotProcess, report: Report, *, timing: str) -> None:
    """End the bot, and check that it does so in good order."""
    began = time.monotonic()
    code = await bot.stop()
    seconds = time.monotonic() - began
    report.time(timing, seconds)
    report.check(
        f"the bot ends cleanly within {_STOP_SECONDS:g} seconds",
        code == 0 and seconds < _STOP_SECONDS,
        f"exit code {code}",
    )


def look_back(discord: DiscordSimulator, report: Report) -> None:
    """Check that the bot asked Discord for nothing that there is not."""
    unknown = discord.journal.unknown_routes
    report.check(
        "the bot asked Discord for nothing unknown", not unknown, ", ".join(unknown) or "nothing"
    )
