"""What a speaker's Claude does, put as what a conversation wants to know. Pure."""

from collections.abc import Sequence

from bot.quoting import code
from bot.speaker.sentences import CANCELLED
from bot.speaker.speaker import (
    Answered,
    Failed,
    Image,
    ParagraphDropped,
    ParagraphEnded,
    SpeakerEvent,
    TextCame,
    Thought,
    ToolFinished,
    ToolUsed,
    Warned,
)
from bot.speaker.thoughts import Thoughts
from bot.speaker.tool_words import shown_detail, shown_name
from extensions.claude.events import (
    ApiRetried,
    AssistantMessage,
    Event,
    LimitReported,
    TextDelta,
    ThinkingDelta,
    ToolCalled,
    ToolReturned,
    TurnBegan,
    TurnEnded,
)
from extensions.claude.failures import (
    Failure,
    FailureKind,
    failure_of_servers,
    failure_of_turn,
)

_SHOWN_MODEL_CHARACTERS = 80


class Answer:
    """The events of one turn, gathered until they are taken.

    Text that nobody has taken yet is put together, so that what waits stays small however slowly
    it is taken.
    """

    def __init__(self, text: str, images: Sequence[Image] = ()) -> None:
        self.asked = text
        """What was said to the speaker."""
        self.images = tuple(images)
        """What was shown to it."""
        self.is_asked = False
        """Whether it was said to the process that runs now."""
        self.times_asked = 0
        self.has_begun = False
        """Whether the speaker has taken it up."""
        self.is_over = False
        self.session_was_unknown = False
        """Whether Claude does not have the session that it was to go on with."""
        self.verdict: Failed | None = None
        """How it ends, whatever else comes; `None` while that is open."""
        self._model = ""
        self._limit: LimitReported | None = None
        self._said_something = False
        self._thoughts = Thoughts()
        self._tools: dict[str, str] = {}
        """The names of the tools that are in use, by the ids of their uses."""
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
        if isinstance(event, Answered | Failed):
            event = self.verdict or event
            self.is_over = True
        match self._waiting[-1:], event:
            case [TextCame(earlier)], TextCame(text):
                self._waiting[-1] = TextCame(earlier + text)
            case [Thought(earlier)], Thought(text):
                self._waiting[-1] = Thought(earlier + text)
            case _:
                self._waiting.append(event)

    def hear(self, event: Event) -> None:
        """Take what the speaker's Claude did next."""
        if isinstance(event, ThinkingDelta):
            self._think(self._thoughts.add(event.text))
            return
        if isinstance(event, TextDelta | AssistantMessage | ToolCalled | ApiRetried | TurnEnded):
            self._think(self._thoughts.rest())
        match event:
            case TurnBegan():
                self._begin(event)
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
            case ToolCalled() | ToolReturned():
                self._use(event)
            case TurnEnded():
                self._end(event)
            case _:
                pass

    def _think(self, thought: str | None) -> None:
        if thought is not None:
            self.add(Thought(thought))

    def _begin(self, began: TurnBegan) -> None:
        self.has_begun = True
        self._model = began.model
        if (failure := failure_of_servers(began.failed_servers)) is not None:
            self.add(Warned(failure.sentence))

    def _use(self, event: ToolCalled | ToolReturned) -> None:
        if isinstance(event, ToolCalled):
            self._tools[event.tool_use_id] = name = shown_name(event.name)
            self.add(ToolUsed(name, shown_detail(event.name, event.arguments)))
        elif (used := self._tools.pop(event.tool_use_id, None)) is not None:
            self.add(ToolFinished(used, is_error=event.is_error))

    def _end(self, ended: TurnEnded) -> None:
        failure = failure_of_turn(ended, self._limit)
        if failure is not None and failure.kind is FailureKind.SESSION_UNKNOWN:
            self.session_was_unknown = True  # nothing was answered yet; it may be asked afresh
        elif failure is not None:
            self.add(Failed(self._sentence(failure)))
        else:
            if not self._said_something and ended.text:
                self.add(TextCame(ended.text))
            self.add(Answered())

    def _sentence(self, failure: Failure) -> str:
        """Say why it ended so, with the command that mends it where there is one."""
        model = code(self._model, _SHOWN_MODEL_CHARACTERS)
        match failure.kind:
            case FailureKind.INTERRUPTED:
                return CANCELLED
            case FailureKind.UNKNOWN_MODEL:
                return f"Claude has no model called {model}: choose another one with `/model`."
            case FailureKind.WRONG_EFFORT:
                return f"{model} cannot think with that effort: choose another one with `/effort`."
            case _:
                return failure.sentence
