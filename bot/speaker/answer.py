"""What a speaker's Claude does, put as what a conversation wants to know. Pure."""

from bot.speaker.speaker import (
    Answered,
    Failed,
    ParagraphDropped,
    ParagraphEnded,
    SpeakerEvent,
    TextCame,
    ToolUsed,
    Warned,
)
from extensions.claude.events import (
    ApiRetried,
    AssistantMessage,
    Event,
    LimitReported,
    TextDelta,
    ToolCalled,
    TurnBegan,
    TurnEnded,
)
from extensions.claude.failures import FailureKind, failure_of_servers, failure_of_turn


class Answer:
    """The events of one turn, gathered until they are taken.

    Text that nobody has taken yet is put together, so that what waits stays small however slowly
    it is taken.
    """

    def __init__(self, text: str) -> None:
        self.asked = text
        """What was said to the speaker."""
        self.is_asked = False
        """Whether it was said to the process that runs now."""
        self.times_asked = 0
        self.has_begun = False
        """Whether the speaker has taken it up."""
        self.is_over = False
        self.session_was_unknown = False
        """Whether Claude does not have the session that it was to go on with."""
        self._limit: LimitReported | None = None
        self._said_something = False
        self._waiting: list[SpeakerEvent] = []

    @property
    def is_unasked(self) -> bool:
        """Whether somebody still has to ask it."""
        return not self.is_asked and not self.is_over

    @property
    def is_taken(self) -> bool:
        """Whether all of it has been taken, to its end."""
        return self.is_over and not self._waiting

    def take(self) -> list[SpeakerEvent]:
        """Return what came since the last time."""
        waiting, self._waiting = self._waiting, []
        return waiting

    def add(self, event: SpeakerEvent) -> None:
        """Take what came next; what comes after the end is dropped."""
        if self.is_over:
            return
        self.is_over = isinstance(event, Answered | Failed)
        last = self._waiting[-1] if self._waiting else None
        if isinstance(event, TextCame) and isinstance(last, TextCame):
            self._waiting[-1] = TextCame(last.text + event.text)
        else:
            self._waiting.append(event)

    def hear(self, event: Event) -> None:
        """Take what the speaker's Claude did next."""
        match event:
            case TurnBegan(failed_servers=failed):
                self.has_begun = True
                if (failure := failure_of_servers(failed)) is not None:
                    self.add(Warned(failure.sentence))
            case LimitReported():
                self._limit = event
            case TextDelta(text=text):
                self._said_something = True
                self.add(TextCame(text))
            case AssistantMessage(text=text):
                # After a retry it comes without pieces, or after pieces that came twice.
                self._said_something = True
                self.add(ParagraphEnded(text))
            case ApiRetried():
                self.add(ParagraphDropped())
            case ToolCalled(name=name):
                self.add(ToolUsed(name))
            case TurnEnded():
                self._end(event)
            case _:
                pass

    def _end(self, ended: TurnEnded) -> None:
        failure = failure_of_turn(ended, self._limit)
        if failure is not None and failure.kind is FailureKind.SESSION_UNKNOWN:
            self.session_was_unknown = True  # nothing was answered yet; it may be asked afresh
        elif failure is not None:
            self.add(Failed(failure.sentence))
        else:
            if not self._said_something and ended.text:
                self.add(TextCame(ended.text))
            self.add(Answered())
