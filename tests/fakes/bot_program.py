"""A bot that does what its first argument says, run as a process of its own.

`python -m tests.fakes.bot_program MANNER DATA_FOLDER STOP_SECONDS`
"""

import asyncio
import gc
import logging
import os
import sys
import time
from pathlib import Path

from bot.cli.run import run
from bot.config import Config, LogConfig
from bot.data_folder import DataFolder
from bot.errors import ControlError
from bot.secrets import Secret, Secrets

TOKEN = "MTIz-hush-hush-hush"

logger = logging.getLogger(__name__)


def _say(word: str) -> None:
    print(word, flush=True)  # noqa: T201 - the test reads it


async def _wait(manner: str) -> None:
    try:
        await asyncio.Event().wait()
    finally:
        _say("ending")
        if manner == "hangs":
            time.sleep(60)  # noqa: ASYNC251 - the whole loop hangs, on purpose
        if manner == "dawdles":
            await asyncio.sleep(60)
        if manner == "stumbles":
            raise ControlError(Path("/control.sock"), "stumbled over its own feet")


async def _program(config: Config, secrets: Secrets, folder: DataFolder) -> int:
    assert config.data_dir == folder.root
    manner = sys.argv[1]
    _say("up" if "DISCORD_TOKEN" not in os.environ else "the secret is in the environment")
    if manner == "returns":
        return 7
    if manner == "counts":
        return 7 if gc.get_freeze_count() > len(gc.get_objects()) else 8
    async with asyncio.TaskGroup() as tasks:
        if manner == "fails":
            raise ControlError(Path("/control.sock"), f"it said {secrets.discord_token.reveal()}")
        if manner == "crashes":
            raise RuntimeError(secrets.discord_token.reveal())
        if manner == "thread":
            tasks.create_task(asyncio.to_thread(time.sleep, 60))
        tasks.create_task(_wait(manner))
    return 0


if __name__ == "__main__":
    sys.exit(
        run(
            _program,
            Config(data_dir=Path(sys.argv[2]), log=LogConfig(level="debug")),
            Secrets(discord_token=Secret(TOKEN), anthropic_api_key=Secret("sk-hush-hush")),
            stop_seconds=float(sys.argv[3]),
        )
    )
