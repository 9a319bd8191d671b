import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from bot.access import Person, Place
from bot.conversation.text_chat import ANSWERED_TOGETHER, SAID_ANEW, Pace, TextChat
from bot.conversation.turn import Turn
from bot.messenger import MessageContent, MessageRef, MessengerError
from bot.speaker.speaker import Answered, Delayed, Failed, SpeakerEvent, TextCame, ToolUsed
from tests.fakes.messenger import FakeMessenger
from tests.fakes.speaker import FakeSpeaker
from tests.fakes.waiting import until

HERE = Place(guild_id=10, channel_id=11)
QUESTION = MessageRef(channel_id=11, message_id=5)
TURN = Turn(people=(Person(id=1, name="olga"),), text="hi", asked_in=QUESTION)


PACE = Pace(gather_seconds=0.05, edit_seconds=0.05)


def in_tens(text: str) -> list[str]:
    return [text[start : start + 10] for start in range(0, len(text), 10)]


class ObservedMessenger(FakeMessenger):
    """Tells when something was posted."""

    def __init__(self) -> None:
        super().__init__()
        self.posted = asyncio.Event()

    async def post(
        self,
        place: Place,
        content: MessageContent,
        *,
        nonce: str,
        reply_to: MessageRef | None = None,
    ) -> MessageRef:
        ref = await super().post(place, content, nonce=nonce, reply_to=reply_to)
        self.posted.set()
        return ref


@dataclass
class KeptRecord:
    """Implements `AnswerRecord`."""

    refs: list[MessageRef] = field(default_factory=list)
    text: str | None = None

    async def shown_in(self, refs: Sequence[MessageRef]) -> None:
        self.refs = list(refs)

    async def is_whole(self, text: str) -> None:
        self.text = text


@asynccontextmanager
async def shown(
    messenger: FakeMessenger, turn: Turn = TURN, record: KeptRecord | None = None
) -> AsyncGenerator[FakeSpeaker, None]:
    """Yield a speaker whose answer is being shown; leaves when it is shown whole."""
    speaker = FakeSpeaker()
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        chat = TextChat(messenger, HERE, in_tens, PACE)
        tasks.create_task(chat.show(turn, speaker.answer("hi"), record or KeptRecord()))
        yield speaker


def say(speaker: FakeSpeaker, *events: SpeakerEvent) -> None:
    for event in events:
        speaker.events.put_nowait(event)


async def test_the_answer_is_a_reply_and_typing_ends_with_it() -> None:
    messenger = FakeMessenger()
    async with shown(messenger) as speaker:
        say(speaker, TextCame("Hello."), Answered())

    (message,) = messenger.messages
    assert (message.text, message.reply_to) == ("Hello.", QUESTION)
    assert messenger.typing_in == []


async def test_the_first_words_are_shown_before_the_answer_is_whole() -> None:
    messenger = ObservedMessenger()
    async with shown(messenger) as speaker:
        say(speaker, TextCame("One "))
        await messenger.posted.wait()
        say(speaker, TextCame("two"), Answered())

    (message,) = messenger.messages
    assert [version.text for version in message.versions] == ["One", "One two"]


async def test_a_long_answer_is_several_messages_of_which_the_first_is_the_reply() -> None:
    messenger = FakeMessenger()
    async with shown(messenger) as speaker:
        say(speaker, TextCame("0123456789abcdefghij!"), Answered())

    assert [(m.text, m.reply_to) for m in messenger.messages] == [
        ("0123456789", QUESTION),
        ("abcdefghij", None),
        ("!", None),
    ]


async def test_an_answer_whose_fate_was_unknown_is_not_posted_twice() -> None:
    messenger = FakeMessenger()
    messenger.lost_answers = 1
    async with shown(messenger) as speaker:
        say(speaker, TextCame("Once."), Answered())

    assert [m.text for m in messenger.messages] == ["Once."]


async def test_an_answer_that_discord_refused_first_is_shown_all_the_same() -> None:
    messenger = FakeMessenger()
    messenger.failures = [MessengerError("503")]
    async with shown(messenger) as speaker:
        say(speaker, Failed("The model is overloaded."))

    assert "".join(m.text for m in messenger.messages) == "⚠️ The model is overloaded."


async def test_a_text_that_grew_after_a_post_of_unknown_fate_is_shown_to_its_end() -> None:
    messenger = FakeMessenger()
    messenger.lost_answers = 1
    async with shown(messenger) as speaker:
        say(speaker, TextCame("One "))
        await until(lambda: bool(messenger.messages))
        say(speaker, TextCame("two"), Answered())

    assert [m.text for m in messenger.messages] == ["One two"]


async def test_what_an_earlier_bot_had_shown_is_overwritten_not_said_again() -> None:
    messenger, record = FakeMessenger(), KeptRecord()
    async with shown(messenger, record=record) as speaker:
        say(speaker, TextCame("0123456789abcdefghij!"), Answered())
    assert record.text == "0123456789abcdefghij!"
    first, *_ = record.refs

    known = replace(TURN, is_begun=True, shown_in=tuple(record.refs))
    async with shown(messenger, known) as speaker:
        say(speaker, TextCame("Anew."), Answered())
    # Where it stands may be unknown, but that it was posted is not.
    async with shown(messenger, replace(TURN, is_begun=True)) as speaker:
        say(speaker, TextCame("And again."), Answered())

    assert [m.text for m in messenger.messages] == ["And again.", SAID_ANEW, SAID_ANEW]
    assert messenger.messages[0].ref == first


async def test_the_messages_that_are_answered_too_are_marked_whatever_becomes_of_the_mark() -> None:
    messenger = FakeMessenger()
    others = tuple(MessageRef(channel_id=11, message_id=number) for number in (3, 4))
    async with shown(messenger, replace(TURN, joined=others)) as speaker:
        say(speaker, TextCame("Hello."), Answered())

    assert messenger.reactions == [(ref, ANSWERED_TOGETHER) for ref in others]


async def test_an_answer_that_discord_will_never_take_is_given_up() -> None:
    messenger, record = FakeMessenger(), KeptRecord()
    messenger.closed_channels = {11}
    async with shown(messenger, record=record) as speaker:
        say(speaker, TextCame("Hello."), Answered())

    assert messenger.messages == []
    assert record.text == "Hello."


async def test_a_delay_is_told_until_the_answer_comes() -> None:
    messenger = ObservedMessenger()
    async with shown(messenger) as speaker:
        say(speaker, Delayed("I am busy."))
        await messenger.posted.wait()
        say(speaker, TextCame("Hello."), Answered())

    first, second = messenger.messages
    assert [version.text for version in first.versions] == ["⏳ I am bus", "Hello."]
    assert [version.text for version in second.versions] == ["y.", SAID_ANEW]


async def test_it_is_typing_again_while_it_uses_a_tool() -> None:
    messenger = ObservedMessenger()
    async with shown(messenger) as speaker:
        say(speaker, TextCame("One."))
        await messenger.posted.wait()
        await until(lambda: messenger.typing_in == [])
        say(speaker, ToolUsed("Read"))
        await until(lambda: messenger.typing_in == [11])
        say(speaker, TextCame("Two."), Answered())

    assert messenger.typing_in == []
    assert messenger.messages[0].text == "One.\n\nTwo."[:10]
