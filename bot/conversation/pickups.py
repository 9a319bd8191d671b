"""Sessions on voice lines: picking up, resuming and hanging up, for the commands."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.access import Action, Allowed, Authorize, Place
from bot.conversation.asked_session import AskedSession
from bot.conversation.conversation import Conversation
from bot.conversation.conversations import Conversations
from bot.conversation.incoming import CommandCall
from bot.conversation.line_table import InWriting, NotPossible, OnLine, Wish, line_for
from bot.conversation.lines import Lines
from bot.conversation.session import Session
from bot.conversation.session_rights import session_belonging
from bot.conversation.session_words import open_already
from bot.conversation.store import SessionStore
from bot.conversation.voice_line import VoiceLine
from voice.events import LineMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What came of a wish."""

    text: str | None = None
    """What to say; `None`: the session is to be held in writing."""
    hint: str = ""
    """What is said besides."""


_HOW = {
    LineMode.OPEN: "I listen to whoever is alone with me; among others, say my name",
    LineMode.NAME: "say my name, and I answer",
    LineMode.PUSH: "press *Talk* under my status message, and talk",
}
_DEAF = "I cannot hear anybody at present, and its chat says why; write to me there"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pickups:
    """Holds sessions on voice lines, where people want that."""

    authorize: Authorize
    lines: Lines
    conversations: Conversations
    store: SessionStore

    async def pick_up(self, call: CommandCall, asked: AskedSession) -> Told:
        """Open a line for a session, if one is wanted; else it is to be held in writing."""
        where = self._where(call, by_default=True)
        match where:
            case InWriting(hint=hint):
                return Told(hint=hint)
            case NotPossible(reason=reason):
                return Told(text=reason)
            case OnLine(channel=channel):
                return Told(text=await self._pick_up(call, asked, where, channel))

    def where_resumed(self, call: CommandCall) -> InWriting | OnLine | NotPossible:
        """Return where an earlier session is to go on.

        Unless that is said, it is on a line only in the chat of the voice channel that somebody
        is in.
        """
        channel = self.lines.channel_of(call.person, call.place.guild_id)
        is_there = channel is not None and channel.channel_id == call.place.channel_id
        return self._where(call, by_default=is_there)

    async def open(
        self, where: OnLine, begin: Callable[[], Awaitable[Conversation | None]]
    ) -> VoiceLine | str | None:
        """Open a line, or go on with the one that is open there.

        Args:
            where: Where.
            begin: Opens its conversation; gives `None` if that is not possible any more.

        Returns:
            The line; why there is none, as a sentence; `None` if `begin` gave none.
        """
        if (line := self.lines.line_at(where.channel)) is not None:
            return None if await begin() is None else line
        if where.must_end is not None:
            await self.lines.hang_up(where.must_end)
        return await self.lines.open(where.channel, begin)

    async def hang_up(self, place: Place) -> Session | None:
        """End the line that is open there; returns its session, or `None` if there is none."""
        return await self.lines.hang_up(place)

    async def was_taken(self, session: Session, taken_to: Place) -> None:
        """End the line on which a session was held that goes on elsewhere, if it was on one."""
        await self.lines.was_taken(session.place, taken_to)

    def how_held(self, place: Place) -> str:
        """Return how a session is held in a place, in a few words."""
        line = self.lines.line_at(place)
        return "text" if line is None else f"voice, mode {line.kept.mode.value}"

    def how_idle(self, place: Place) -> str:
        """Return what it does there while nothing is answered, in a few words."""
        line = self.lines.line_at(place)
        if line is not None and line.is_deaf:
            return "cannot hear"
        return "not listening" if line is not None and line.kept.is_muted else "listening"

    def _where(self, call: CommandCall, *, by_default: bool) -> InWriting | OnLine | NotPossible:
        guild_id = call.place.guild_id
        mode = call.options.get("mode")
        channel = self.lines.channel_of(call.person, guild_id)
        if mode is None and not by_default:
            return InWriting()
        return line_for(
            Wish(
                mode=None if mode is None else str(mode),
                is_in_server=guild_id is not None,
                channel=channel,
                missing=self.lines.missing,
                line=self.lines.place_in(guild_id),
                line_may_end=self._may_end(call),
            )
        )

    def _may_end(self, call: CommandCall) -> bool:
        line = self.lines.line_in(call.place.guild_id)
        if line is None or line.link.people:
            return False
        about = None if line.session is None else session_belonging(line.session)
        verdict = self.authorize([call.person], Action.CHANGE_SESSION, call.place, about=about)
        return isinstance(verdict, Allowed)

    async def _pick_up(
        self, call: CommandCall, asked: AskedSession, where: OnLine, channel: Place
    ) -> str:
        here = self.conversations.in_place(channel)
        if here is not None and (asked.is_anything or self.lines.line_at(channel) is not None):
            return open_already(here.session)
        last = None if asked.is_anything else await self.store.newest_in_channel(channel.channel_id)

        async def begin() -> Conversation:
            conversation, _ = await self.conversations.open(
                channel, call.person, new=asked.is_anything, name=asked.name, knobs=asked.knobs
            )
            conversation.warm_up()
            return conversation

        opened = await self.open(where, begin)
        if opened is None or isinstance(opened, str):
            return opened or ""
        how = _DEAF if opened.is_deaf else _HOW[opened.kept.mode]
        is_again = last is not None and opened.session is not None and opened.session.id == last.id
        what = "Picked up again" if is_again else "Picked up"
        return f"{what}: **{opened.session_name}**, on the line in <#{channel.channel_id}>: {how}."
