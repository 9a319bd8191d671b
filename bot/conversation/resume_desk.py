"""Earlier sessions: which ones somebody may go on with, and going on with one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.access import NOT_YOURS, Authorize, Person, Place
from bot.commands.spec import Completes
from bot.conversation.conversation import Conversation
from bot.conversation.conversations import Conversations
from bot.conversation.desk import DeskOffer
from bot.conversation.incoming import CommandCall, Completion, Suggestion
from bot.conversation.line_table import InWriting, NotPossible, OnLine
from bot.conversation.names import session_name
from bot.conversation.pickups import Pickups
from bot.conversation.session import Session
from bot.conversation.session_rights import may_resume
from bot.conversation.session_words import as_message, label, list_line, where
from bot.conversation.store import SessionStore
from bot.messenger import MessageContent
from bot.quoting import code
from bot.speaker.speaker import Knobs

NO_SESSIONS = "There is no session yet that you may resume. `/pickup` opens one."

_MOST_LISTED = 15
_MOST_SUGGESTED = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeDesk:
    """Lists sessions, and goes on with them: nobody learns of one that they may not resume."""

    authorize: Authorize
    conversations: Conversations
    store: SessionStore
    pickups: Pickups
    """Holds sessions on voice lines."""
    usual: Knobs
    """What the configuration says of what is not set."""
    clock: Callable[[], float]
    """Gives Unix time, in seconds."""

    def offer(self) -> DeskOffer:
        """Return what this desk takes care of."""
        return DeskOffer(
            commands={"sessions": self._list, "resume": self._resume},
            completers={Completes.SESSION: self._complete},
        )

    async def _list(self, call: CommandCall) -> MessageContent:
        found = await self.store.newest(self._among(call.person, call.place), _MOST_LISTED)
        if not found:
            return MessageContent(text=NO_SESSIONS)
        lines = [list_line(session, call.place, self.usual) for session in found]
        return MessageContent(text=as_message(lines))

    async def _complete(self, completion: Completion) -> Sequence[Suggestion]:
        may_know = self._among(completion.person, completion.place)
        typed = completion.typed.strip().lower()

        def fits(session: Session) -> bool:
            return typed in session.name and may_know(session)

        now = self.clock()
        return [
            Suggestion(label=label(session, completion.place, now=now), value=session.id)
            for session in await self.store.newest(fits, _MOST_SUGGESTED)
        ]

    async def _resume(self, call: CommandCall) -> MessageContent:
        return MessageContent(text=await self._resumed(call))

    async def _resumed(self, call: CommandCall) -> str:
        wanted = str(call.options.get("name") or "")
        may_change = self._among(call.person, call.place)
        session = await self._find(wanted, may_change)
        if session is None:
            return _not_found(wanted)
        where_to = self.pickups.where_resumed(call)
        if isinstance(where_to, NotPossible):
            return where_to.reason
        place = where_to.channel if isinstance(where_to, OnLine) else call.place
        here = self.conversations.in_place(place)
        if here is not None and here.session.id == session.id:
            return f"**{session.name}** is open here already."
        if here is not None and not may_change(here.session):
            return (
                f"**{here.session.name}** is open here, and would have to end for that."
                f" {NOT_YOURS.reason}"
            )
        resumed = await self._go_on(session, where_to, place, may_change)
        if not isinstance(resumed, Session):
            return resumed or _not_found(wanted)
        await self.pickups.was_taken(session, place)
        return _told(resumed, session, here, call, place)

    async def _go_on(
        self,
        session: Session,
        where_to: InWriting | OnLine,
        place: Place,
        may_change: Callable[[Session], bool],
    ) -> Session | str | None:
        """Return the session as it is held by now; `None` if it was just taken elsewhere."""

        async def begin() -> Conversation | None:
            return await self.conversations.resume(session.id, place, may_change=may_change)

        if isinstance(where_to, OnLine):
            opened = await self.pickups.open(where_to, begin)
            if opened is None or isinstance(opened, str):
                return opened
        conversation = self.conversations.in_place(place)
        if isinstance(where_to, InWriting):
            conversation = await begin()
        if conversation is None:
            return None
        conversation.warm_up()
        return conversation.session

    async def _find(self, wanted: str, among: Callable[[Session], bool]) -> Session | None:
        by_id = await self.store.find(wanted.strip())
        if by_id is not None and among(by_id):
            return by_id
        for name in dict.fromkeys((wanted.strip(), session_name(wanted))):
            if name and (found := await self.store.by_name(name, among)) is not None:
                return found
        return None

    def _among(self, person: Person, place: Place) -> Callable[[Session], bool]:
        return lambda session: may_resume(session, person, place, self.authorize)


def _not_found(wanted: str) -> str:
    return (
        f"I know no session {code(wanted, 70)} that you may resume here. `/sessions` lists"
        " those that you may."
    )


def _told(
    session: Session, before: Session, here: Conversation | None, call: CommandCall, place: Place
) -> str:
    """Return what is said of a session that goes on in a place, and of what it has ended."""
    text = f"Going on with **{session.name}** {where(place, call.place)}."
    if before.is_open:
        text += f" It is hung up {where(before.place, call.place)}."
    if here is not None:
        text += f" **{here.session.name}** is hung up; `/resume` goes on with it."
    return text
