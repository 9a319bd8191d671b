"""What plugins have a say in, and are told of, while a turn is answered."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from typing import Any

from bot.conversation.session import Session
from bot.conversation.turn import Turn
from bot.quoting import plain
from bot.speaker.speaker import (
    Answered,
    Failed,
    ParagraphDropped,
    ParagraphEnded,
    SpeakerEvent,
    TextCame,
)
from extensions.hooks import (
    SPEAKER_AGENT,
    Blocked,
    Changed,
    HookChain,
    HookPoint,
    NoPlugins,
    Observers,
    Occasion,
)

_REASON_LENGTH = 500
_ROLE = "assistant"


def occasion_of(turn: Turn, session: Session) -> Occasion:
    """Return on whose behalf a turn is answered: of the first of its people."""
    return Occasion(
        session_id=session.id,
        person_id=turn.people[0].id,
        guild_id=session.place.guild_id,
        channel_id=session.place.channel_id,
    )


def withheld(blocked: Blocked) -> str:
    """Return what people are told of something that a plugin forbids."""
    return f"The plugin {blocked.by} stops this: {plain(blocked.reason, _REASON_LENGTH)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginPoints:
    """The plugins, as far as conversations know of them."""

    hooks: HookChain
    observers: Observers


NO_PLUGINS = PluginPoints(hooks=NoPlugins(), observers=NoPlugins())


class TurnHooks:
    """Asks and tells the plugins about one turn."""

    def __init__(self, points: PluginPoints, turn: Turn, session: Session) -> None:
        self._hooks = points.hooks
        self._observers = points.observers
        self._turn = turn
        self._occasion = occasion_of(turn, session)
        self._agent = {"agent_id": SPEAKER_AGENT, "session_id": session.id}
        self._is_aloud = session.knobs.is_spoken
        self._said = ""
        """What came of the paragraph that is being said."""

    async def heard(self) -> Turn | Blocked:
        """Return the turn as plugins want it taken."""
        value = {
            "text": self._turn.text,
            "source": "voice" if self._turn.is_spoken else "text",
            "images": len(self._turn.attachments),
        }
        match await self._fire(HookPoint.INPUT, value):
            case Changed(value=changed):
                return replace(self._turn, text=_text(changed, "text", self._turn.text))
            case Blocked() as blocked:
                return blocked
            case _:
                return self._turn

    async def prompted(self, prompt: str) -> str | Blocked:
        """Return what is said to the speaker, as plugins want it said."""
        value = {"prompt": prompt, "system_prompt": ""}
        match await self._fire(HookPoint.BEFORE_AGENT_START, value):
            case Changed(value=changed, by=by):
                note = _text(changed, "system_prompt", "")
                # A process that is warm keeps the system prompt that it was started with.
                before = f"[Note of the plugin {', '.join(by)}: {note}]\n\n" if note else ""
                return before + _text(changed, "prompt", prompt)
            case Blocked() as blocked:
                return blocked
            case _:
                return prompt

    async def answering(
        self, answer: AsyncGenerator[SpeakerEvent, None]
    ) -> AsyncGenerator[SpeakerEvent, None]:
        """Yield an answer as plugins want it, and tell them how it goes on.

        What was streamed before a paragraph was whole has been seen by then. On a voice line
        nothing is changed: sentences are spoken as soon as they are there.
        """
        outcome = "broken off"
        self._tell("agent_start")
        self._tell("turn_start")
        try:
            async for event in answer:
                match event:
                    case TextCame(text):
                        self._came(text)
                    case ParagraphDropped():
                        self._said = ""
                    case ParagraphEnded(text):
                        yield ParagraphEnded(await self._ended(text))
                        continue
                    case Answered():
                        outcome = "answered"
                    case Failed():
                        outcome = "failed"
                    case _:
                        pass
                yield event
        finally:
            self._tell("turn_end", outcome=outcome)
            self._tell("agent_end", outcome=outcome)

    def _came(self, text: str) -> None:
        if not self._said:
            self._tell("message_start", role=_ROLE)
        self._said += text
        self._tell("message_update", role=_ROLE, text_delta=text)

    async def _ended(self, text: str | None) -> str:
        whole = self._said if text is None else text
        self._said = ""
        if not self._is_aloud:
            source = {"source": "text", "role": _ROLE}
            match await self._fire(HookPoint.MESSAGE_END, {"text": whole, **source}):
                case Changed(value=changed):
                    whole = _text(changed, "text", whole)
                case Blocked() as blocked:
                    whole = withheld(blocked)
                case _:
                    pass
        self._tell("message_end", role=_ROLE, text=whole)
        return whole

    async def _fire(self, point: HookPoint, value: dict[str, Any]) -> object:
        if not self._hooks.is_hooked(point):
            return None
        return await self._hooks.fire(point, {**value, **self._agent}, self._occasion)

    def _tell(self, event: str, **payload: Any) -> None:
        if self._observers.is_observed(event):
            self._observers.tell(event, {**payload, **self._agent}, self._occasion)


def _text(value: Any, key: str, otherwise: str) -> str:
    """Return what a plugin put there, if that is text."""
    text = value.get(key)
    return text if isinstance(text, str) else otherwise
