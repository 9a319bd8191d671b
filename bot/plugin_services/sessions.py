"""What plugins may do in a conversation: with the rights of the person for whom they work."""

import logging
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from bot.access import Action, Authorize, Person, Place, Refused
from bot.conversation.conversation import Conversation
from bot.conversation.conversations import Conversations
from bot.conversation.incoming import IncomingMessage
from bot.conversation.names import model_name
from bot.conversation.session import Session
from bot.conversation.session_rights import may_take, session_belonging
from bot.conversation.turn import Turn
from bot.messenger import MessageContent, MessageRef, Messenger, MessengerError
from bot.plugin_services.entry_store import EntryStore, EntryTooLargeError
from bot.plugin_services.plugin_pace import MOST_A_MINUTE, MOST_IN_A_ROW, PluginPace
from bot.plugin_services.session_texts import (
    in_stead_of,
    own_words,
    state_of,
    words_in_stead,
)
from bot.plugin_services.turn_notes import TurnNotes
from bot.speaker.speaker import Knobs
from bot.text.layout import Layout
from extensions.hooks import Occasion
from extensions.plugins.services import Delivery, SessionActionError

logger = logging.getLogger(__name__)

NOT_OPEN = "the session is not open any more"
NO_SESSION = "no session is open there: mention me, or call /pickup, to begin one"
NOBODY = "nobody is known for whom the plugin works"
NOT_STORED = "that cannot be stored at present"
TOO_MANY_WAIT = "too many messages wait already to be answered"
TOO_MANY_POSTS = f"a plugin may post {MOST_A_MINUTE} messages a minute in a session"
TOO_MANY_TURNS = f"plugins may begin {MOST_IN_A_ROW} turns in a row, until a person says something"
NO_PROVIDER = "a session cannot be answered by a plugin's provider"
NO_MODEL = "no model can be called that"

_EFFORTS = {
    "off": "low",
    "minimal": "low",
    **{effort: effort for effort in ("low", "medium", "high", "xhigh", "max")},
}
_MOST_OWN = 200

PersonOf = Callable[[int, Place], Awaitable[Person]]
"""Returns who somebody is in a place; it may raise sqlite3.Error."""


class KeepsMessages(Protocol):
    """Keeps account of what is to be answered. Each method may raise sqlite3.Error."""

    async def accept(self, message: IncomingMessage, *, at: float) -> bool:
        """Store a message that is to be answered; `False` if it is known already."""
        ...

    async def withdraw(self, ref: MessageRef) -> None:
        """Store that a message that waits is not answered."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginSessions:
    """Implements `Sessions`."""

    conversations: Conversations
    authorize: Authorize
    messenger: Messenger
    messages: KeepsMessages
    entries: EntryStore
    notes: TurnNotes
    """What the speakers are told with their next turns."""
    person_of: PersonOf
    lay_out: Callable[[str], Layout]
    """Makes messages of a text."""
    usual: Knobs
    """What the configuration says of what is not set."""
    clock: Callable[[], float]
    """Gives Unix time, in seconds."""
    new_id: Callable[[], str]
    """Gives each message another one."""
    pace: PluginPace = field(default_factory=PluginPace)
    _own: dict[MessageRef, None] = field(default_factory=dict[MessageRef, None])
    """The newest messages with which plugins began a turn."""

    async def send_message(
        self, plugin_id: str, text: str, *, role: str, occasion: Occasion
    ) -> None:
        """Post a message, which the speaker is told of with the next turn."""
        conversation = self._conversation(occasion)
        session = conversation.session
        person = await self._person(conversation, occasion)
        self._allow(person, session, Action.TALK)
        if not self.pace.may_say(plugin_id, session.id, at=self.clock()):
            raise SessionActionError(TOO_MANY_POSTS)
        if role == "user":
            shown = words_in_stead(plugin_id, text, person.name)
        else:
            shown = self.lay_out(own_words(plugin_id, text))
        await self._post(session.place, shown)
        self.notes.posted(session.id, plugin_id, text)

    async def send_user_message(
        self, plugin_id: str, text: str, *, deliver_as: Delivery, occasion: Occasion
    ) -> None:
        """Say something in the stead of the person for whom the plugin works."""
        conversation = self._conversation(occasion)
        session = conversation.session
        person = await self._person(conversation, occasion)
        self._allow(person, session, Action.TALK)
        if isinstance(refused := may_take(session, [person], self.authorize), Refused):
            raise SessionActionError(refused.reason)
        if deliver_as is Delivery.NEXT_TURN:
            self.notes.added(session.id, plugin_id, person.name, text)
            return
        self._keep_pace(plugin_id, conversation)
        ref = await self._post(session.place, words_in_stead(plugin_id, text, person.name))
        self._remember(ref)
        message = IncomingMessage(
            ref=ref,
            author=person,
            place=session.place,
            text=in_stead_of(plugin_id, text),
            mentions_bot=True,
        )
        await self._take(conversation, message, deliver_as)

    async def append_entry(
        self, plugin_id: str, entry: Mapping[str, Any], occasion: Occasion
    ) -> None:
        """Keep an entry with the session, which no model is shown."""
        session = self._conversation(occasion).session
        try:
            await self.entries.append(session.id, plugin_id, entry, at=self.clock())
        except EntryTooLargeError as error:
            raise SessionActionError(str(error)) from error
        except sqlite3.Error as error:
            raise self._not_stored(session, error) from error

    async def set_model(
        self,
        plugin_id: str,
        model: str,
        *,
        provider: str | None,
        thinking: str | None,
        occasion: Occasion,
    ) -> None:
        """Have the speaker answer with another model from its next turn on."""
        if provider is not None:
            raise SessionActionError(NO_PROVIDER)
        if (name := model_name(model)) is None:
            raise SessionActionError(NO_MODEL)
        if thinking is not None and thinking not in _EFFORTS:
            raise SessionActionError(f"thinking has to be one of {', '.join(_EFFORTS)}")
        conversation = self._conversation(occasion)
        person = await self._person(conversation, occasion)
        self._allow(person, conversation.session, Action.CHANGE_SESSION)
        # As it is by now: while the person was looked up, it may have been changed.
        session = conversation.session
        effort = session.knobs.effort if thinking is None else _EFFORTS[thinking]
        knobs = replace(session.knobs, model=name, effort=effort)
        try:
            changed = await self.conversations.change(conversation, replace(session, knobs=knobs))
        except sqlite3.Error as error:
            raise self._not_stored(session, error) from error
        if not changed:
            raise SessionActionError(NOT_OPEN)
        logger.info("session %s: the plugin %s has set the model", session.id, plugin_id)

    async def state(self, plugin_id: str, occasion: Occasion) -> Mapping[str, Any]:
        """Return how the session stands, with the entries that this plugin appended."""
        conversation = self._conversation(occasion)
        session = conversation.session
        try:
            entries = await self.entries.of(session.id, plugin_id)
        except sqlite3.Error as error:
            raise self._not_stored(session, error) from error
        return state_of(
            session,
            self.usual,
            is_answering=conversation.running_turn is not None,
            waiting=conversation.waiting_turns,
            entries=entries,
        )

    def _conversation(self, occasion: Occasion) -> Conversation:
        if occasion.session_id is None:
            raise SessionActionError(NO_SESSION)
        conversation = self.conversations.of_session(occasion.session_id)
        if conversation is None or not conversation.session.is_open:
            raise SessionActionError(NOT_OPEN)
        return conversation

    async def _person(self, conversation: Conversation, occasion: Occasion) -> Person:
        """Return for whom a plugin works, with the roles that they have as far as is known."""
        if occasion.person_id is None:
            raise SessionActionError(NOBODY)
        turn = conversation.running_turn
        for person in () if turn is None else turn.people:
            if person.id == occasion.person_id:
                return person
        session = conversation.session
        try:
            return await self.person_of(occasion.person_id, session.place)
        except sqlite3.Error as error:
            raise self._not_stored(session, error) from error

    def _allow(self, person: Person, session: Session, action: Action) -> None:
        about = session_belonging(session) if action is Action.CHANGE_SESSION else None
        verdict = self.authorize([person], action, session.place, about=about)
        if isinstance(verdict, Refused):
            raise SessionActionError(verdict.reason)

    def _keep_pace(self, plugin_id: str, conversation: Conversation) -> None:
        session_id, turn = conversation.session.id, conversation.running_turn
        if not self.pace.may_say(plugin_id, session_id, at=self.clock()):
            raise SessionActionError(TOO_MANY_POSTS)
        is_own = turn is not None and all(ref in self._own for ref in turn.messages)
        if not self.pace.may_begin_turn(session_id, out_of_own=is_own):
            raise SessionActionError(TOO_MANY_TURNS)

    def _remember(self, ref: MessageRef) -> None:
        self._own[ref] = None
        while len(self._own) > _MOST_OWN:
            del self._own[next(iter(self._own))]

    async def _post(self, place: Place, layout: Layout) -> MessageRef:
        """Post a text, and return its last message."""
        number, ref = self.new_id(), None
        for index, text in enumerate(layout.messages):
            is_last = index == len(layout.messages) - 1
            files = (layout.file,) if is_last and layout.file is not None else ()
            content = MessageContent(text=text, files=files)
            try:
                ref = await self.messenger.post(place, content, nonce=f"plugin-{number}-{index}")
            except MessengerError as error:
                raise SessionActionError(f"it could not be posted: {error.reason}") from error
        assert ref is not None, "what is said is never empty"
        return ref

    async def _take(
        self, conversation: Conversation, message: IncomingMessage, deliver_as: Delivery
    ) -> None:
        try:
            # Stored first: it is answered even if the bot ends right now.
            await self.messages.accept(message, at=self.clock())
            turn = Turn(people=(message.author,), text=message.text, asked_in=message.ref)
            # As it is by now: it may have been ended meanwhile.
            is_open = conversation.session.is_open
            if not is_open or not await _taken(conversation, turn, deliver_as):
                await self.messages.withdraw(message.ref)
                raise SessionActionError(TOO_MANY_WAIT if is_open else NOT_OPEN)
        except sqlite3.Error as error:
            raise self._not_stored(conversation.session, error) from error

    def _not_stored(self, session: Session, error: sqlite3.Error) -> SessionActionError:
        logger.error("session %s: the database refused it: %s", session.id, error)
        return SessionActionError(NOT_STORED)


async def _taken(conversation: Conversation, turn: Turn, deliver_as: Delivery) -> bool:
    """Have a turn answered when it is meant to be; `False` if too many wait."""
    running = conversation.running_turn
    if deliver_as is not Delivery.STEER or running is None:
        return conversation.take(turn)
    if running.people == turn.people or not running.joined:
        return await conversation.take_in_place_of(running.asked_in, turn)
    # What several people said is never said once more in the name of one of them.
    await conversation.cancel()
    return conversation.take(turn)
