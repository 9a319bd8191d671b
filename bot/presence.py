"""What stands under the bot's name: how many jobs run, and what today has cost."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

logger = logging.getLogger(__name__)

_SECONDS_BETWEEN_LOOKS = 15.0


def presence_text(*, running: int, queued: int, cost_today_usd: float) -> str:
    """Return what stands under the bot's name.

    Args:
        running: How many jobs run.
        queued: How many wait for a place.
        cost_today_usd: What speakers and jobs have cost since midnight.
    """
    parts = [f"{running} {'job' if running == 1 else 'jobs'} running"] if running else []
    parts += [f"{queued} waiting"] if queued else []
    parts += [f"${cost_today_usd:.2f} today"] if cost_today_usd >= _SHOWN_USD else []
    return " · ".join(parts) or "Mention me, or /help"


# Less would be shown as nothing.
_SHOWN_USD = 0.005


@asynccontextmanager
async def keeping_presence(
    show: Callable[[str], None], describe: Callable[[], Awaitable[str]]
) -> AsyncGenerator[None, None]:
    """Keep what stands under the bot's name true while the block lasts.

    Args:
        show: Shows a text there; cheap if it is the same as before.
        describe: Says what should stand there.
    """
    async with asyncio.TaskGroup() as tasks:
        keeper = tasks.create_task(_keep(show, describe))
        try:
            yield
        finally:
            keeper.cancel()


async def _keep(show: Callable[[str], None], describe: Callable[[], Awaitable[str]]) -> None:
    while True:
        try:
            show(await describe())
        except Exception:  # it is looked at anew soon, and nothing else depends on it
            logger.exception("what stands under the bot's name cannot be told")
        await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
