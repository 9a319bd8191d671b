"""Keeps a connection to Discord: a client that fails is replaced by a fresh one."""

import asyncio
import logging
from collections.abc import Callable
from typing import NoReturn

import discord

from bot.commands.offered import OfferedCommands
from bot.conversation.incoming import Listener
from bot.discord_io.client_desk import ClientDesk
from bot.discord_io.command_keeper import CommandKeeper
from bot.discord_io.command_store import CommandStore
from bot.discord_io.commands import CommandRegister
from bot.discord_io.errors import DiscordRefusedError, IntentsRefusedError, LoginRefusedError
from bot.discord_io.link import DiscordLink
from bot.discord_io.options import DiscordOptions
from bot.discord_io.reception import Reception
from bot.discord_io.session_budget import SessionBudget, SessionsSpentError
from bot.discord_io.translation import BotIdentity

logger = logging.getLogger(__name__)

_WRONG_TOKEN = 4004
"""Discord's gateway closes with it."""


async def run_discord(
    link: DiscordLink,
    listener: Listener,
    options: DiscordOptions,
    *,
    budget: SessionBudget | None = None,
    commands: CommandStore | None = None,
    offered: OfferedCommands | None = None,
    on_ready: Callable[[BotIdentity], None] = lambda _: None,
) -> NoReturn:
    """Keep the bot on Discord, and tell `listener` what people do, until cancelled.

    Args:
        link: What the rest of the program holds of it.
        listener: Is told. What it raises is logged, and its time is limited.
        options: How to log in.
        budget: How many sessions may be started; one without a memory if none is given.
        commands: Remembers which commands Discord was told of; without it, it is asked each time.
        offered: Knows which commands there are at present; those of the table if none is given.
        on_ready: Called before the first message of each new session is handed over.

    Raises:
        DiscordRefusedError: If trying again is of no use: the token or a setting is wrong.
        TooManyCommandsError: If there are more commands than Discord takes.
    """
    _quieten_discord_py()
    register = CommandRegister(options.command_guild_ids, commands, link.commands, offered=offered)
    keeper = CommandKeeper(register, link, options.command_pauses)
    async with asyncio.TaskGroup() as tasks:
        reception = Reception(listener, tasks, link.redactor)
        desk = ClientDesk(
            link, reception, register, keeper, options, tasks, on_ready, budget or SessionBudget()
        )
        helpers = [
            tasks.create_task(reception.deliver_messages()),
            tasks.create_task(desk.tell_time()),
            tasks.create_task(keeper.run()),
            tasks.create_task(link.messenger.keep_typing()),
            tasks.create_task(link.presence.run()),
            tasks.create_task(link.voice_door.run()),
        ]
        refusal = await _until_refused(desk)
        reception.stop()
        for task in helpers:
            task.cancel()
    raise refusal


def _quieten_discord_py() -> None:
    """Its debug log holds what people write, and the keys of calls."""
    library = logging.getLogger("discord")
    if library.getEffectiveLevel() < logging.INFO:
        library.setLevel(logging.INFO)
    # With a traceback for each try to reach a voice server; the supervisor says so in one line.
    logging.getLogger("discord.voice_state").setLevel(logging.CRITICAL)


async def _until_refused(desk: ClientDesk) -> DiscordRefusedError:
    """Make one client after another; returns, not raises, so that no group wraps it."""
    clock = asyncio.get_running_loop().time
    failures = 0
    while True:
        await desk.budget.wait()
        began = clock()
        try:
            await desk.serve_one_client()
        except SessionsSpentError:
            continue
        except (discord.LoginFailure, discord.PrivilegedIntentsRequired) as error:
            wrong_token = isinstance(error, discord.LoginFailure)
            return LoginRefusedError() if wrong_token else IntentsRefusedError()
        except discord.ConnectionClosed as error:
            if error.code == _WRONG_TOKEN:
                return LoginRefusedError()
            logger.warning("Discord closed the connection: %s", error)
        except TimeoutError:
            logger.warning("the connection to Discord did not come back by itself")
        except Exception:
            logger.exception("the Discord client failed")
        failures = 1 if clock() - began > desk.options.steady_seconds else failures + 1
        delay = desk.options.retry_seconds(failures)
        logger.info("a new Discord client is made in %.1f s", delay)
        await asyncio.sleep(delay)
