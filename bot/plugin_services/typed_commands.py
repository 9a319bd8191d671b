"""Commands of plugins that stand in messages: `/roll 2d6`, `/dice:roll 2d6`, `/skill:odds`."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from bot.conversation.incoming import IncomingMessage
from bot.conversation.intake import DISK_FULL, NOT_TAKEN, turn_of
from bot.conversation.message_record import MessageState
from bot.conversation.message_store import MessageStore
from bot.messenger import MessageContent, Messenger, MessengerError
from bot.plugin_services.command_book import BroughtCommand, CommandBook
from bot.plugin_services.command_runs import CommandRuns
from bot.plugin_services.resource_texts import filled_prompt, with_skill
from bot.text.layout import Layout
from extensions.disk import is_disk_full

logger = logging.getLogger(__name__)

MOST_AT_ONCE = 50
MOST_OF_ONE_PERSON = 5
TOO_MANY = "Too many commands are being carried out already. Try again in a while."
BROKEN_OFF = "⚠️ I was stopped while this command was carried out. Some of it may have been done."
WENT_WRONG = "⚠️ Something went wrong. The log of Papercup says what."

_SKILL = "skill:"
_TAKE_SECONDS = 20.0
_TRIES = 3
_LONGEST_PAUSE_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedParts:
    """What is needed to carry them out."""

    book: CommandBook
    runs: CommandRuns
    messages: MessageStore
    """Those that were taken."""
    messenger: Messenger
    lay_out: Callable[[str], Layout]
    """Returns the messages that a text makes, without any secret."""


class TypedCommands:
    """Implements the Protocol of that name. Get one from `taking_typed_commands`."""

    def __init__(self, parts: TypedParts, tasks: asyncio.TaskGroup) -> None:
        self._parts = parts
        self._tasks = tasks
        self._running: dict[asyncio.Task[None], int] = {}
        """What is being carried out, each with the id of the person who wrote it."""

    async def take(self, message: IncomingMessage, *, at: float) -> IncomingMessage | None:
        """Have a message carried out, if that is what it is for; returns before it is done.

        Args:
            message: It is for the bot, and its author may talk to it.
            at: When it came: Unix time, in seconds.

        Returns:
            The message as it is to be answered; `None` if nothing more is to be done about it.
        """
        word, raw = split_command(message.text)
        if word.startswith(_SKILL):
            skill = self._parts.book.skill(word.removeprefix(_SKILL))
            return message if skill is None else replace(message, text=with_skill(skill, raw))
        command = self._parts.book.typed(word) if word else None
        if command is None:
            return message
        if command.prompt is not None:
            return replace(message, text=filled_prompt(command.prompt.template, raw))
        await self._begin(command, raw, message, at=at)
        return None

    def stop(self) -> None:
        """Break off what is being carried out."""
        for task in self._running:
            task.cancel()

    async def _begin(
        self, command: BroughtCommand, raw: str, message: IncomingMessage, *, at: float
    ) -> None:
        try:
            async with asyncio.timeout(_TAKE_SECONDS):
                if not await self._parts.messages.accept(message, at=at):
                    return  # Discord tells some messages twice
                # Never carried out twice: all that a later bot says of it is this.
                await self._parts.messages.answer_is_whole(turn_of(message), BROKEN_OFF)
        except (sqlite3.Error, OSError) as error:
            logger.exception("message %d could not be taken", message.ref.message_id)
            await self._answer(message, DISK_FULL if is_disk_full(error) else NOT_TAKEN)
            return
        of_person = sum(other == message.author.id for other in self._running.values())
        if len(self._running) >= MOST_AT_ONCE or of_person >= MOST_OF_ONE_PERSON:
            await self._finish(message, TOO_MANY)
            return
        task = self._tasks.create_task(self._carry_out(command, raw, message))
        self._running[task] = message.author.id
        task.add_done_callback(lambda done: self._running.pop(done, None))

    async def _carry_out(self, command: BroughtCommand, raw: str, message: IncomingMessage) -> None:
        try:
            async with self._parts.messenger.typing(message.place):
                text = await self._parts.runs.run(command, raw, message.author, message.place)
        except Exception:
            logger.exception("message %d: its command broke", message.ref.message_id)
            text = WENT_WRONG
        await self._finish(message, text)

    async def _finish(self, message: IncomingMessage, text: str) -> None:
        try:
            await self._answer(message, text)
            async with asyncio.timeout(_TAKE_SECONDS):
                await self._parts.messages.finished(turn_of(message), MessageState.ANSWERED)
        except Exception:
            logger.exception("message %d: its command is not finished", message.ref.message_id)

    async def _answer(self, message: IncomingMessage, text: str) -> None:
        layout = self._parts.lay_out(text)
        last = len(layout.messages) - 1
        for number, part in enumerate(layout.messages):
            files = (layout.file,) if layout.file is not None and number == last else ()
            content = MessageContent(text=part, files=files)
            if not await self._post(message, content, nonce=f"p{message.ref.message_id}-{number}"):
                return

    async def _post(self, message: IncomingMessage, content: MessageContent, *, nonce: str) -> bool:
        for _ in range(_TRIES):
            try:
                await self._parts.messenger.post(
                    message.place, content, nonce=nonce, reply_to=message.ref
                )
            except MessengerError as error:
                logger.warning("channel %d: %s", message.place.channel_id, error)
                if error.is_final:
                    return False
                await asyncio.sleep(min(error.retry_after_seconds, _LONGEST_PAUSE_SECONDS))
            else:
                return True
        return False


def split_command(text: str) -> tuple[str, str]:
    """Return the word behind the slash with which a text begins, and what stands behind that.

    The word is empty if it does not begin so.
    """
    text = text.strip()
    if not text.startswith("/"):
        return "", text
    word = text[1:].split(maxsplit=1)[0] if text[1:2].strip() else ""
    return word, text[1 + len(word) :].strip()


@asynccontextmanager
async def taking_typed_commands(parts: TypedParts) -> AsyncGenerator[TypedCommands, None]:
    """Take commands that stand in messages while the block lasts.

    What is being carried out when it is left is broken off; a later bot says so.
    """
    async with asyncio.TaskGroup() as tasks:
        commands = TypedCommands(parts, tasks)
        try:
            yield commands
        finally:
            commands.stop()
