"""`papercup run`: everything around the bot itself, and its end."""

import asyncio
import faulthandler
import gc
import logging
import os
import signal
from asyncio import AbstractEventLoop
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from typing import Any, TypeAlias, cast

from bot.cli.output import ExitCode
from bot.config import Config
from bot.data_folder import DataFolder, held_data_folder
from bot.errors import BotError
from bot.logs import logging_to_stderr
from bot.secrets import SECRET_NAMES, Secrets, redactor_of
from extensions.errors import ExtensionsError
from extensions.process.own_memory import hide_own_memory

Program: TypeAlias = Callable[[Config, Secrets, DataFolder], Coroutine[Any, Any, int]]
"""The bot: runs until it is cancelled or fails, and returns the exit code."""

STOP_SECONDS = 5.0
"""How long it may take to end once it was told to."""

_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)

logger = logging.getLogger(__name__)


def run(
    program: Program,
    config: Config,
    secrets: Secrets,
    *,
    prepare: Callable[[], None] | None = None,
    stop_seconds: float = STOP_SECONDS,
) -> int:
    """Run the bot until it ends or is told to, and return the exit code.

    SIGTERM and Ctrl-C end it in good order; a second one ends it at once, and so does the time
    limit on ending.

    Args:
        program: The bot.
        config: Its configuration.
        secrets: What lets it into the services.
        prepare: Called before, while the data folder is held already; Ctrl-C ends that at once.
        stop_seconds: The time limit on ending.

    Raises:
        DataFolderBusyError: If another bot uses the data folder.
        DataFolderError: If the data folder cannot be used.
    """
    for name in SECRET_NAMES:  # so that no child can inherit them
        os.environ.pop(name, None)
    # What this process was started with can still be read, otherwise.
    hide_own_memory()
    with (
        logging_to_stderr(config.log, redactor_of(secrets, config.mcp.values(), os.environ)),
        held_data_folder(config.data_dir) as folder,
    ):
        if prepare is not None:
            prepare()
        leave_loaded_alone()
        logger.info("starting as process %d, with the data in %s", os.getpid(), folder.root)
        with asyncio.Runner(loop_factory=_new_loop) as runner:
            return runner.run(_until_told(program(config, secrets, folder), stop_seconds))


def leave_loaded_alone() -> None:
    """Have the garbage collector look no more through what is loaded by now: it stays for good.

    Looking through it would keep the event loop for 50 ms and more, again and again.
    """
    gc.collect()
    gc.freeze()


def _new_loop() -> AbstractEventLoop:
    try:
        # It does not install everywhere; asyncio's own loop does the same, more slowly.
        import uvloop  # noqa: PLC0415
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


async def _until_told(program: Coroutine[Any, Any, int], stop_seconds: float) -> int:
    """Run `program`; a signal cancels it."""
    task = asyncio.current_task()
    assert task is not None
    told = asyncio.Event()
    with _stopping_on_signals(task, told, stop_seconds):
        try:
            return await program
        except asyncio.CancelledError:
            if not told.is_set():
                raise
            logger.info("ended in good order")
            return ExitCode.OK
        except Exception as error:
            if not _log_foreseen(error):
                logger.exception("failed; this is a mistake in Papercup")
            return ExitCode.FAILED


@contextmanager
def _stopping_on_signals(
    task: asyncio.Task[Any], told: asyncio.Event, stop_seconds: float
) -> Generator[None, None, None]:
    loop = asyncio.get_running_loop()

    def stop(number: signal.Signals) -> None:
        logger.info("%s: ending, in at most %g seconds", number.name, stop_seconds)
        for each in _STOP_SIGNALS:
            loop.remove_signal_handler(each)
            # From here on the kernel itself acts on a signal, even if the event loop hangs.
            signal.signal(each, signal.SIG_DFL)
        # Ends the process from a thread that does not need the interpreter. Never called off:
        # what hangs may also be what comes after the loop, such as a thread that is waited for.
        faulthandler.dump_traceback_later(stop_seconds, exit=True)
        told.set()
        task.cancel()

    for each in _STOP_SIGNALS:
        loop.add_signal_handler(each, stop, each)
    try:
        yield
    finally:
        if not told.is_set():
            for each in _STOP_SIGNALS:
                loop.remove_signal_handler(each)


def _log_foreseen(error: BaseException) -> bool:
    """Log the sentences of errors that are raised on purpose; not if anything else is there."""
    leaves = _leaves(error)
    if not all(isinstance(leaf, BotError | ExtensionsError) for leaf in leaves):
        return False
    for leaf in leaves:
        logger.error("%s", leaf)
    return True


def _leaves(error: BaseException) -> list[BaseException]:
    """Return the errors in a group, and in groups in it."""
    if not isinstance(error, BaseExceptionGroup):
        return [error]
    inner = cast("BaseExceptionGroup[BaseException]", error).exceptions
    return [leaf for each in inner for leaf in _leaves(each)]
