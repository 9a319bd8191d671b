"""Carries out commands that plugins bring along."""

import asyncio
import logging
import secrets
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.access import Person, Place
from bot.conversation.conversations import Conversations
from bot.conversation.incoming import IncomingMessage, Suggestion
from bot.conversation.intake import NOT_TAKEN, TOO_MANY_WAIT, turn_of
from bot.conversation.message_store import MessageStore
from bot.messenger import MessageContent, Messenger, MessengerError
from bot.plugin_services.command_book import BroughtCommand
from bot.plugin_services.plugin_commands import PluginCommands
from bot.plugin_services.resource_texts import PromptCommand, filled_prompt
from bot.plugin_services.session_texts import mark_of
from bot.quoting import code, plain, unmasked
from extensions.errors import PluginCallError, PluginError
from extensions.hooks import Occasion

logger = logging.getLogger(__name__)

RUN_SECONDS = 150.0
"""How long a command may take, with all that its plugin asks people meanwhile."""
MOST_ANSWER_CHARACTERS = 500_000
ASKED = "I answer below."
NOT_POSTED = "I cannot write here."

_TAKE_SECONDS = 20.0
_LONGEST_REASON = 1500
_LONGEST_LABEL = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRuns:
    """Has plugins carry out their commands, and says their prompts to the speaker."""

    plugins: PluginCommands
    conversations: Conversations
    messages: MessageStore
    """Those that were taken."""
    messenger: Messenger
    clock: Callable[[], float]
    """Gives Unix time, in seconds."""
    run_seconds: float = RUN_SECONDS

    async def run(self, command: BroughtCommand, raw: str, person: Person, place: Place) -> str:
        """Have a plugin carry out a command, and return what people are told: markdown.

        Args:
            command: One that a program carries out.
            raw: What was written behind it.
            person: Who calls it.
            place: Where.
        """
        key = command.key
        occasion = self.occasion(person, place)
        try:
            async with asyncio.timeout(self.run_seconds):
                told = await self.plugins.run_command(key.plugin_id, key.name, raw, occasion)
        except TimeoutError:
            logger.warning("plugin %s: /%s took too long", key.plugin_id, key.name)
            return f"⚠️ {plain(f'/{key.name}', 80)} failed: it took too long"
        except PluginCallError as error:
            return f"⚠️ {plain(error.reason, _LONGEST_REASON)}"
        except PluginError as error:
            return f"⚠️ {plain(f'/{key.name} failed: {error.reason}', _LONGEST_REASON)}"
        words = unmasked(told[:MOST_ANSWER_CHARACTERS]).strip()
        return (
            f"{mark_of(key.plugin_id)}\n{words}" if words else f"{code(f'/{key.name}', 80)}: done"
        )

    async def complete(
        self, command: BroughtCommand, typed: str, person: Person, place: Place
    ) -> Sequence[Suggestion]:
        """Return what the arguments of a command may be completed to."""
        if command.prompt is not None:
            return ()
        found = await self.plugins.complete_command(
            command.key.plugin_id, command.key.name, typed, self.occasion(person, place)
        )
        return [
            Suggestion(label=_label(each.value, each.description), value=each.value)
            for each in found
        ]

    async def ask(self, prompt: PromptCommand, raw: str, person: Person, place: Place) -> str:
        """Have the speaker answer to a prompt, and return what the person is told of that."""
        shown = f"**{plain(person.name, 60)}** asks with {code(f'/{prompt.name} {raw}', 300)}"
        try:
            ref = await self.messenger.post(
                place, MessageContent(text=shown), nonce=f"q{secrets.token_hex(10)}"
            )
        except MessengerError as error:
            logger.warning("channel %d: %s", place.channel_id, error)
            return NOT_POSTED
        question = IncomingMessage(
            ref=ref,
            author=person,
            place=place,
            text=filled_prompt(prompt.template, raw),
            mentions_bot=True,
        )
        return await self._taken(question)

    def occasion(self, person: Person, place: Place) -> Occasion:
        """Return on whose behalf a plugin works that somebody calls in a place."""
        conversation = self.conversations.in_place(place)
        return Occasion(
            session_id=None if conversation is None else conversation.session.id,
            person_id=person.id,
            guild_id=place.guild_id,
            channel_id=place.channel_id,
        )

    async def _taken(self, question: IncomingMessage) -> str:
        """Take what is asked under a message of the bot's own."""
        try:
            async with asyncio.timeout(_TAKE_SECONDS):
                await self.messages.accept_question(question, at=self.clock())
                conversation, _ = await self.conversations.open(question.place, question.author)
                if conversation.take(turn_of(question, is_from_menu=True)):
                    return ASKED
                await self.messages.withdraw(question.ref)
        except (sqlite3.Error, OSError):  # a time-out is one, too
            logger.exception("message %d could not be taken", question.ref.message_id)
            return NOT_TAKEN
        return TOO_MANY_WAIT


def _label(value: str, description: str | None) -> str:
    words = " ".join(f"{value} · {description}".split()) if description else value
    return words[:_LONGEST_LABEL]
