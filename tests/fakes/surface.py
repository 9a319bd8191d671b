"""A place in which a conversation is held, that keeps what it is given."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

from bot.conversation.draft import Draft
from bot.conversation.session import Streaming
from bot.conversation.surface import AnswerRecord
from bot.conversation.turn import Turn
from bot.messenger import MessageRef
from bot.speaker.speaker import SpeakerEvent


@dataclass
class Shown:
    """An answer."""

    turn: Turn
    text: str
    streaming: Streaming
    events: list[SpeakerEvent]


@dataclass
class FakeSurface:
    """Implements `Surface`."""

    shown: list[Shown] = field(default_factory=list)
    marked: list[MessageRef] = field(default_factory=list)
    """The messages that bear the mark of those that wait."""
    ever_marked: list[MessageRef] = field(default_factory=list)
    marks_tried: int = 0
    marks_go: asyncio.Event = field(default_factory=asyncio.Event)
    """While it is not set, no mark can be put or taken back."""

    untold: str = ""
    """What the speaker is to be told before the next turn."""
    is_speaking: bool = False

    def __post_init__(self) -> None:
        self.marks_go.set()

    async def show(
        self,
        turn: Turn,
        answer: AsyncGenerator[SpeakerEvent, None],
        record: AnswerRecord,
        *,
        streaming: Streaming,
    ) -> None:
        draft, events = Draft(), list[SpeakerEvent]()
        async with aclosing(answer):
            async for event in answer:
                events.append(event)
                draft.add(event)
        await record.is_whole(draft.text)
        self.marked = [ref for ref in self.marked if ref not in turn.messages]
        self.shown.append(Shown(turn, draft.text, streaming, events))

    def news(self) -> str:
        untold, self.untold = self.untold, ""
        return untold

    def hush(self) -> bool:
        was_speaking, self.is_speaking = self.is_speaking, False
        return was_speaking

    async def mark_queued(self, ref: MessageRef) -> None:
        self.marks_tried += 1
        await self.marks_go.wait()
        self.marked.append(ref)
        self.ever_marked.append(ref)

    async def unmark(self, ref: MessageRef) -> None:
        await self.marks_go.wait()
        self.marked = [marked for marked in self.marked if marked != ref]
