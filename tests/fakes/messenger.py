"""A messenger that keeps what it is given, and can be told to fail."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from bot.access import Place
from bot.messenger import MessageContent, MessageRef, MessengerError

DIRECT = 9_000_000
"""The direct messages of a person have the person's id and this as theirs."""

THREADS = 8_000_000


@dataclass
class FakeMessage:
    """A message and all that it ever held."""

    ref: MessageRef
    nonce: str
    reply_to: MessageRef | None
    versions: list[MessageContent] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.versions[-1].text


class FakeMessenger:
    """Implements `Messenger`."""

    def __init__(self) -> None:
        self.messages: list[FakeMessage] = []
        self.failures: list[MessengerError] = []
        """Raised by the next calls, one each."""
        self.typing_in: list[int] = []
        self.reactions: list[tuple[MessageRef, str]] = []
        self.deleted: list[MessageRef] = []
        self.pinned: list[MessageRef] = []
        self.threads: list[str] = []
        """The titles of the threads that were opened; the first has the id `THREADS + 1`."""
        self.closed_channels: set[int] = set()
        """Channels that take nothing from the bot, for good."""
        self.unreachable_people: set[int] = set()
        self.lost_answers = 0
        """How many of the next posts arrive although they seem to fail."""

    async def post(
        self,
        place: Place,
        content: MessageContent,
        *,
        nonce: str,
        reply_to: MessageRef | None = None,
    ) -> MessageRef:
        self._fail()
        if place.channel_id in self.closed_channels:
            raise MessengerError("Missing Access", is_final=True)
        if (known := self._with_nonce(place, nonce)) is not None:
            return known
        ref = MessageRef(channel_id=place.channel_id, message_id=1000 + len(self.messages))
        self.messages.append(FakeMessage(ref, nonce, reply_to, [content]))
        if self.lost_answers:
            self.lost_answers -= 1
            raise MessengerError("the answer was lost", fate_unknown=True)
        return ref

    async def edit(self, ref: MessageRef, content: MessageContent) -> None:
        self._fail()
        self.message(ref).versions.append(content)

    async def react(self, ref: MessageRef, emoji: str) -> None:
        self._fail()
        self.reactions.append((ref, emoji))

    async def take_reaction_back(self, ref: MessageRef, emoji: str) -> None:
        self._fail()
        if (ref, emoji) in self.reactions:
            self.reactions.remove((ref, emoji))

    async def delete(self, ref: MessageRef) -> None:
        self._fail()
        self.messages = [message for message in self.messages if message.ref != ref]
        self.deleted.append(ref)

    async def pin(self, ref: MessageRef) -> None:
        self._fail()
        if ref not in self.pinned:
            self.pinned.append(ref)

    async def unpin(self, ref: MessageRef) -> None:
        self._fail()
        if ref in self.pinned:
            self.pinned.remove(ref)

    async def open_thread(self, place: Place, name: str) -> Place:
        self._fail()
        self.threads.append(name)
        channel_id = THREADS + len(self.threads)
        return Place(guild_id=place.guild_id, channel_id=channel_id, parent_id=place.channel_id)

    async def rename_thread(self, place: Place, name: str) -> None:
        self._fail()
        self.threads[place.channel_id - THREADS - 1] = name

    async def find(
        self, place: Place, nonce: str, *, like: MessageContent | None = None
    ) -> MessageRef | None:
        del like
        return self._with_nonce(place, nonce)

    async def direct_messages(self, person_id: int) -> Place:
        if person_id in self.unreachable_people:
            raise MessengerError("no mutual servers", is_final=True)
        return Place(guild_id=None, channel_id=DIRECT + person_id)

    @asynccontextmanager
    async def typing(self, place: Place) -> AsyncGenerator[None, None]:
        self.typing_in.append(place.channel_id)
        try:
            yield
        finally:
            self.typing_in.remove(place.channel_id)

    def message(self, ref: MessageRef) -> FakeMessage:
        return next(message for message in self.messages if message.ref == ref)

    def _with_nonce(self, place: Place, nonce: str) -> MessageRef | None:
        for message in self.messages:
            if message.nonce == nonce and message.ref.channel_id == place.channel_id:
                return message.ref
        return None

    def _fail(self) -> None:
        if self.failures:
            raise self.failures.pop(0)
