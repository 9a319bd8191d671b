"""The session of a place: opening, ending, renaming it, and what is to be said of it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from bot.access import Authorize, Person, Place
from bot.conversation.asked_session import NO_NAME, AskedSession, asked_for
from bot.conversation.conversation import Conversation
from bot.conversation.conversations import Conversations
from bot.conversation.desk import DeskOffer
from bot.conversation.incoming import CommandCall
from bot.conversation.names import session_name
from bot.conversation.pickups import Pickups
from bot.conversation.session import Session, Streaming
from bot.conversation.session_rights import RefusalOf, mode_refusal
from bot.conversation.session_words import NOT_OPEN, as_message, open_already, settings
from bot.conversation.store import SessionStore
from bot.messenger import MessageContent, Messenger, MessengerError
from bot.quoting import plain
from bot.speaker.speaker import Knobs

_ALL_IS_HEARD = "Everything that is written here is for me"
_TITLED_TOO_OFTEN = " The thread keeps its title: Discord does not take another one so soon."
_RENAMING_SECONDS = 10.0
_LONGEST_REASON = 200

StatusLines = Callable[[Person, Place], Awaitable[str]]
"""Returns what else a person is told of where they are: of the jobs that they may see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionDesk:
    """Carries out the commands about the session that is open where they are called."""

    authorize: Authorize
    conversations: Conversations
    store: SessionStore
    messenger: Messenger
    refusal_of: RefusalOf
    pickups: Pickups
    """Holds sessions on voice lines."""
    threads: bool
    """Whether each `/pickup` in a channel opens a thread."""
    hears_all: Callable[[Place], bool]
    """Whether all that people write in a place is meant for the bot."""
    usual: Knobs
    """What the configuration says of what is not set."""
    describe_bot: Callable[[], str]
    """Says how the bot itself is, in a few lines."""
    status_lines: StatusLines

    def offer(self) -> DeskOffer:
        """Return what this desk takes care of."""
        return DeskOffer(
            commands={
                "pickup": self._pick_up,
                "hangup": self._hang_up,
                "new": self._begin_afresh,
                "rename": self._rename,
                "status": self._status,
            }
        )

    async def _pick_up(self, call: CommandCall) -> MessageContent:
        asked = asked_for(call, self.authorize, self.refusal_of)
        if isinstance(asked, str):
            return MessageContent(text=asked)
        told = await self.pickups.pick_up(call, asked)
        if told.text is not None:
            return MessageContent(text=told.text)
        here = await self._pick_up_in_writing(call, asked)
        return MessageContent(text=f"{here}\n{told.hint}" if told.hint else here)

    async def _pick_up_in_writing(self, call: CommandCall, asked: AskedSession) -> str:
        if self.threads and call.place.guild_id is not None and call.place.parent_id is None:
            return await self._pick_up_in_thread(call, asked)
        return await self._pick_up_here(call, asked)

    async def _pick_up_in_thread(self, call: CommandCall, asked: AskedSession) -> str:
        name = await self.conversations.free_name(call.place, call.person, asked.name)
        try:
            thread = await self.messenger.open_thread(call.place, name)
        except MessengerError as error:
            here = await self._pick_up_here(call, asked)
            return f"{here}\nI could open no thread for it: {plain(error.reason, _LONGEST_REASON)}"
        conversation, _ = await self.conversations.open(
            thread, call.person, new=True, name=name, knobs=asked.knobs, in_own_thread=True
        )
        conversation.warm_up()
        return (
            f"Picked up: **{conversation.session.name}**, in <#{thread.channel_id}>. Everything"
            " that is written there is for me; `/notify on` there tells when jobs are done."
        )

    async def _pick_up_here(self, call: CommandCall, asked: AskedSession) -> str:
        if (conversation := self.conversations.in_place(call.place)) is not None:
            return open_already(conversation.session)
        # What was open here last goes on, unless another session is described.
        last = (
            None if asked.is_anything else await self.store.newest_in_channel(call.place.channel_id)
        )
        conversation, is_new = await self.conversations.open(
            call.place, call.person, new=asked.is_anything, name=asked.name, knobs=asked.knobs
        )
        conversation.warm_up()
        session = conversation.session
        if not is_new:
            return open_already(session)
        if last is not None and last.id == session.id:
            return f"Picked up again: **{session.name}**. `/new` begins afresh."
        how = _ALL_IS_HEARD if self.hears_all(call.place) else "Mention me and talk"
        return f"Picked up: **{session.name}**. {how}; `/notify on` tells when jobs are done."

    async def _hang_up(self, call: CommandCall) -> MessageContent:
        session = await self.pickups.hang_up(call.place)
        if session is None:
            session = await self.conversations.close(call.place)
        if session is None:
            return MessageContent(text=NOT_OPEN)
        return MessageContent(
            text=f"Hung up on **{session.name}**. Its jobs go on; so does the conversation, once"
            " I am wanted here again. `/new` begins afresh."
        )

    async def _begin_afresh(self, call: CommandCall) -> MessageContent:
        wanted = str(call.options.get("name") or "")
        name = session_name(wanted)
        if wanted and name is None:
            return MessageContent(text=NO_NAME)
        old = await self._session_here(call.place)
        knobs = Knobs() if old is None else self._inherited(old, call)
        conversation, _ = await self.conversations.open(
            call.place,
            call.person,
            new=True,
            name=name,
            knobs=knobs,
            streaming=Streaming.OFF if old is None else old.streaming,
        )
        conversation.warm_up()
        text = _begun_afresh(conversation.session, old)
        return MessageContent(text=text + await self._title_thread(conversation))

    def _inherited(self, old: Session, call: CommandCall) -> Knobs:
        mode = old.knobs.permission_mode
        if mode is None:
            return old.knobs
        refusal = mode_refusal(mode, call.person, call.place, self.authorize, self.refusal_of)
        return old.knobs if refusal is None else replace(old.knobs, permission_mode=None)

    async def _session_here(self, place: Place) -> Session | None:
        conversation = self.conversations.in_place(place)
        if conversation is not None:
            return conversation.session
        return await self.store.newest_in_channel(place.channel_id)

    async def _rename(self, call: CommandCall) -> MessageContent:
        conversation = self.conversations.in_place(call.place)
        if conversation is None:
            return MessageContent(text=NOT_OPEN)
        name = session_name(str(call.options.get("name") or ""))
        if name is None:
            return MessageContent(text=NO_NAME)
        before = conversation.session.name
        if name == before:
            return MessageContent(text=f"**{name}** is called that already.")
        if not await self.conversations.rename(conversation, name):
            return MessageContent(text=NOT_OPEN)
        text = f"**{before}** is called **{conversation.session.name}** now."
        return MessageContent(text=text + await self._title_thread(conversation))

    async def _title_thread(self, conversation: Conversation) -> str:
        """Call a session's own thread as the session; returns what is to be said of that."""
        session = conversation.session
        if not session.has_own_thread:
            return ""
        try:
            # Discord takes two of these in ten minutes; nobody waits for that.
            async with asyncio.timeout(_RENAMING_SECONDS):
                await self.messenger.rename_thread(session.place, session.name)
        except TimeoutError:
            return _TITLED_TOO_OFTEN
        except MessengerError as error:
            if error.retry_after_seconds:
                return _TITLED_TOO_OFTEN
            return f" The thread keeps its title: {plain(error.reason, _LONGEST_REASON)}"
        return ""

    async def _status(self, call: CommandCall) -> MessageContent:
        conversation = self.conversations.in_place(call.place)
        lines = [NOT_OPEN] if conversation is None else self._described(conversation)
        lines.append(self.describe_bot())
        lines.append(await self.status_lines(call.person, call.place))
        return MessageContent(text=as_message("\n".join(lines).splitlines()))

    def _described(self, conversation: Conversation) -> list[str]:
        session = conversation.session
        is_answering = conversation.running_turn is not None
        state = "answering" if is_answering else self.pickups.how_idle(session.place)
        waiting = f", {conversation.waiting_turns} waiting" if conversation.waiting_turns else ""
        return [
            f"📍 **{session.name}** · {self.pickups.how_held(session.place)} · {state}{waiting}",
            " · ".join(settings(session, self.usual)),
        ]


def _begun_afresh(session: Session, old: Session | None) -> str:
    text = f"Begun afresh: **{session.name}**."
    if old is not None:
        text += f" What was said before is kept in **{old.name}**."
        if session.knobs != old.knobs:
            text += " Its permission mode is not: only owners may set that, and only in a jail."
    return text
