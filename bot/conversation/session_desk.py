"""The session of a place: opening, ending, renaming it, and what is to be said of it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from bot.access import Authorize, Person, Place
from bot.conversation.conversation import Conversation
from bot.conversation.conversations import Conversations
from bot.conversation.desk import DeskOffer
from bot.conversation.incoming import CommandCall
from bot.conversation.names import model_name, session_name
from bot.conversation.session import Session, Streaming
from bot.conversation.session_rights import RefusalOf, mode_refusal
from bot.conversation.session_words import NOT_OPEN, as_message, settings
from bot.conversation.store import SessionStore
from bot.messenger import MessageContent, Messenger, MessengerError
from bot.quoting import plain
from bot.speaker.speaker import Knobs, PermissionMode

NO_VOICE = "This version of me has no voice line: leave `mode` out, or choose `text`."
NO_LINE = "There is no voice line here on which I could say that: this version of me only writes."
NO_NAME = "A name needs at least one letter or digit."
NO_MODEL = "No model is called that: its name is made of letters, digits and `. _ : / @ [ ] -`."

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
                "say": self._say,
            }
        )

    async def _pick_up(self, call: CommandCall) -> MessageContent:
        asked = self._asked_for(call)
        if isinstance(asked, str):
            return MessageContent(text=asked)
        if self.threads and call.place.guild_id is not None and call.place.parent_id is None:
            return MessageContent(text=await self._pick_up_in_thread(call, asked))
        return MessageContent(text=await self._pick_up_here(call, asked))

    async def _pick_up_in_thread(self, call: CommandCall, asked: "_Asked") -> str:
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

    async def _pick_up_here(self, call: CommandCall, asked: "_Asked") -> str:
        if (conversation := self.conversations.in_place(call.place)) is not None:
            return _open_already(conversation.session)
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
            return _open_already(session)
        if last is not None and last.id == session.id:
            return f"Picked up again: **{session.name}**. `/new` begins afresh."
        how = _ALL_IS_HEARD if self.hears_all(call.place) else "Mention me and talk"
        return f"Picked up: **{session.name}**. {how}; `/notify on` tells when jobs are done."

    def _asked_for(self, call: CommandCall) -> "_Asked | str":
        """Return what session is wanted, or why there can be none like that."""
        options = call.options
        if options.get("mode") == "voice":
            return NO_VOICE
        name = None
        if (wanted := options.get("name")) and (name := session_name(str(wanted))) is None:
            return NO_NAME
        knobs = _knobs(options)
        if isinstance(knobs, str):
            return knobs
        if knobs.permission_mode is not None:
            refusal = mode_refusal(
                knobs.permission_mode, call.person, call.place, self.authorize, self.refusal_of
            )
            if refusal is not None:
                return refusal
        return _Asked(name=name, knobs=knobs)

    async def _hang_up(self, call: CommandCall) -> MessageContent:
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
        state = "answering" if conversation.running_turn is not None else "listening"
        waiting = f", {conversation.waiting_turns} waiting" if conversation.waiting_turns else ""
        return [
            f"📍 **{session.name}** · text · {state}{waiting}",
            " · ".join(settings(session, self.usual)),
        ]

    async def _say(self, _: CommandCall) -> MessageContent:
        return MessageContent(text=NO_LINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What session is wanted."""

    name: str | None
    knobs: Knobs

    @property
    def is_anything(self) -> bool:
        """Whether anything at all is said of it."""
        return self.name is not None or self.knobs != Knobs()


def _knobs(options: Mapping[str, object]) -> Knobs | str:
    """Return the knobs that a command asks for, or why there are none like that."""
    model, effort, mode = (options.get(name) for name in ("model", "effort", "permission-mode"))
    checked = None if not model else model_name(str(model))
    if model and checked is None:
        return NO_MODEL
    return Knobs(
        model=checked,
        effort=str(effort) if effort else None,
        permission_mode=PermissionMode(str(mode)) if mode else None,
    )


def _open_already(session: Session) -> str:
    return f"**{session.name}** is open here already. `/hangup` ends it, `/new` begins afresh."


def _begun_afresh(session: Session, old: Session | None) -> str:
    text = f"Begun afresh: **{session.name}**."
    if old is not None:
        text += f" What was said before is kept in **{old.name}**."
        if session.knobs != old.knobs:
            text += " Its permission mode is not: only owners may set that, and only in a jail."
    return text
