"""A listener that keeps what it is told, and answers as a test wants."""

from collections.abc import Callable, Sequence

from bot.conversation.incoming import (
    ButtonPress,
    CommandCall,
    Completion,
    IncomingMessage,
    Suggestion,
)
from bot.messenger import Form, MessageContent, MessageRef

CommandAnswer = Callable[[CommandCall], MessageContent]
CompletionAnswer = Callable[[Completion], Sequence[Suggestion]]
FormAnswer = Callable[[ButtonPress], Form | None]
PressAnswer = Callable[[ButtonPress], MessageContent | None]


class FakeListener:
    """Implements `Listener`."""

    def __init__(self) -> None:
        self.messages: list[IncomingMessage] = []
        self.edits: list[IncomingMessage] = []
        self.deletions: list[MessageRef] = []
        self.gone_channels: list[int] = []
        self.told: list[str] = []
        """What was told of messages, in order: `arrived hello`, `edited hullo`, `deleted`."""
        self.calls: list[CommandCall] = []
        self.completions: list[Completion] = []
        self.presses: list[ButtonPress] = []
        self.gaps: list[int] = []
        """After how many messages each gap was told of."""
        self.heard: list[float] = []
        """Until when people were heard, each time that was told."""
        self.answer_command: CommandAnswer = lambda call: MessageContent(
            text=f"/{call.name} is done."
        )
        self.for_all: set[str] = set()
        """The commands whose answers everybody is to see."""
        self.complete: CompletionAnswer = lambda _: ()
        self.make_form: FormAnswer = lambda _: None
        self.answer_press: PressAnswer = lambda _: None
        self.failures: list[Exception] = []
        """Raised for the next messages, one each."""

    async def message_arrived(self, message: IncomingMessage) -> None:
        self.messages.append(message)
        self.told.append(f"arrived {message.text}")
        if self.failures:
            raise self.failures.pop(0)

    async def message_edited(self, message: IncomingMessage) -> None:
        self.edits.append(message)
        self.told.append(f"edited {message.text}")

    async def message_deleted(self, ref: MessageRef) -> None:
        self.deletions.append(ref)
        self.told.append("deleted")

    async def channel_deleted(self, channel_id: int) -> None:
        self.gone_channels.append(channel_id)

    async def catch_up(self) -> None:
        self.gaps.append(len(self.messages))

    async def heard_until(self, at: float) -> None:
        self.heard.append(at)
        self.told.append(f"heard until {at:g}")

    def is_for_all(self, call: CommandCall) -> bool:
        return call.name in self.for_all

    async def command_called(self, call: CommandCall) -> MessageContent:
        self.calls.append(call)
        return self.answer_command(call)

    async def completed(self, completion: Completion) -> Sequence[Suggestion]:
        self.completions.append(completion)
        return self.complete(completion)

    def form_for(self, press: ButtonPress) -> Form | None:
        return self.make_form(press)

    async def button_pressed(self, press: ButtonPress) -> MessageContent | None:
        self.presses.append(press)
        return self.answer_press(press)
