"""A listener that keeps what it is told, and answers as a test wants."""

from collections.abc import Callable

from bot.conversation.incoming import ButtonPress, CommandCall, IncomingMessage
from bot.messenger import MessageContent

CommandAnswer = Callable[[CommandCall], MessageContent]
PressAnswer = Callable[[ButtonPress], MessageContent | None]


class FakeListener:
    """Implements `Listener`."""

    def __init__(self) -> None:
        self.messages: list[IncomingMessage] = []
        self.calls: list[CommandCall] = []
        self.presses: list[ButtonPress] = []
        self.gaps: list[int] = []
        """After how many messages each gap was told of."""
        self.answer_command: CommandAnswer = lambda call: MessageContent(
            text=f"/{call.name} is done."
        )
        self.answer_press: PressAnswer = lambda _: None
        self.failures: list[Exception] = []
        """Raised for the next messages, one each."""

    async def message_arrived(self, message: IncomingMessage) -> None:
        self.messages.append(message)
        if self.failures:
            raise self.failures.pop(0)

    async def catch_up(self) -> None:
        self.gaps.append(len(self.messages))

    async def command_called(self, call: CommandCall) -> MessageContent:
        self.calls.append(call)
        return self.answer_command(call)

    async def button_pressed(self, press: ButtonPress) -> MessageContent | None:
        self.presses.append(press)
        return self.answer_press(press)
