import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest

from bot.access import Person, Place
from bot.cards.card import Card
from bot.conversation.marks import ANSWERED_TOGETHER, QUEUED
from bot.conversation.reply import SAID_ANEW
from bot.conversation.session import Streaming
from bot.conversation.text_chat import Pace, TextChat
from bot.conversation.turn import Turn
from bot.messenger import File, MessageContent, MessageRef, MessengerError
from bot.speaker.sentences import CANCELLED
from bot.speaker.speaker import (
    Answered,
    Delayed,
    Failed,
    SpeakerEvent,
    TextCame,
    Thought,
    ToolFinished,
    ToolUsed,
)
from bot.text.layout import GOES_ON, REST_IN_FILE, Layout, lay_out
from tests.fakes.cards import FakeCards
from tests.fakes.clock import FakeClock
from tests.fakes.messenger import FakeMessenger
from tests.fakes.speaker import FakeSpeaker
from tests.fakes.waiting import until

HERE = Place(guild_id=10, channel_id=11)
QUESTION = MessageRef(channel_id=11, message_id=5)
TURN = Turn(people=(Person(id=1, name="olga"),), text="hi", asked_in=QUESTION)


PACE = Pace(gather_seconds=0.05, edit_seconds=0.05, work_seconds=30)
LIMIT = 200


def in_tens(text: str) -> Layout:
    return Layout(messages=tuple(text[start : start + 10] for start in range(0, len(text), 10)))


def laid_out(text: str) -> Layout:
    return lay_out(text, limit=LIMIT, most=2)


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


class NoFiles(FakeMessenger):
    """Takes no files, as where the bot may not attach any."""

    async def post(
        self,
        place: Place,
        content: MessageContent,
        *,
        nonce: str,
        reply_to: MessageRef | None = None,
    ) -> MessageRef:
        _refuse_files(content)
        return await super().post(place, content, nonce=nonce, reply_to=reply_to)

    async def edit(self, ref: MessageRef, content: MessageContent) -> None:
        _refuse_files(content)
        await super().edit(ref, content)


def _refuse_files(content: MessageContent) -> None:
    if content.files:
        raise MessengerError("Missing Permissions", is_final=True)


@dataclass
class KeptRecord:
    """Implements `AnswerRecord`."""

    refs: list[MessageRef] = field(default_factory=list)
    text: str | None = None

    async def shown_in(self, refs: Sequence[MessageRef]) -> None:
        self.refs = list(refs)

    async def is_whole(self, text: str) -> None:
        self.text = text


@dataclass
class Stage:
    """A text chat, and what it works with."""

    messenger: FakeMessenger = field(default_factory=FakeMessenger)
    cards: FakeCards = field(default_factory=FakeCards)
    clock: FakeClock = field(default_factory=FakeClock)
    record: KeptRecord = field(default_factory=KeptRecord)
    pace: Pace = PACE

    def __post_init__(self) -> None:
        self.chat = TextChat(self.messenger, HERE, laid_out, self.cards, self.clock, self.pace)

    @asynccontextmanager
    async def shown(
        self, turn: Turn = TURN, *, streaming: Streaming = Streaming.OFF
    ) -> AsyncGenerator[FakeSpeaker, None]:
        """Yield a speaker whose answer is being shown; leaves when it is shown whole."""
        speaker = FakeSpeaker()
        async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
            answer = speaker.answer("hi")
            tasks.create_task(self.chat.show(turn, answer, self.record, streaming=streaming))
            yield speaker


@asynccontextmanager
async def shown(
    messenger: FakeMessenger, turn: Turn = TURN, record: KeptRecord | None = None
) -> AsyncGenerator[FakeSpeaker, None]:
    """Yield a speaker whose answer is shown in messages of ten characters."""
    stage = Stage(messenger, record=record or KeptRecord())
    stage.chat = TextChat(messenger, HERE, in_tens, stage.cards, stage.clock, PACE)
    async with stage.shown(turn) as speaker:
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

    assert [m.text for m in messenger.messages] == ["And again."]
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

    (message,) = messenger.messages
    assert [version.text for version in message.versions] == ["⏳ I am bus", "Hello."]
    assert len(messenger.deleted) == 1


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


async def test_a_message_that_is_not_needed_for_the_moment_says_so() -> None:
    messenger = ObservedMessenger()
    async with shown(messenger) as speaker:
        say(speaker, Delayed("I am busy."))
        await until(lambda: len(messenger.messages) == 2)
        say(speaker, TextCame("Hello."))
        await until(lambda: messenger.messages[1].text == SAID_ANEW)
        say(speaker, TextCame(" And so on."), Answered())

    assert [m.text for m in messenger.messages] == ["Hello. And", " so on."]


async def test_what_is_said_before_a_tool_is_shown_while_the_tool_works() -> None:
    stage = Stage()
    async with stage.shown() as speaker:
        say(speaker, TextCame("Hm."), ToolUsed("Read"), TextCame("I look"))
        await until(lambda: bool(stage.messenger.messages))
        say(speaker, TextCame(" further."), ToolUsed("Read"))
        await until(lambda: stage.messenger.messages[0].text == "Hm.\n\nI look further.")
        assert stage.messenger.typing_in == [11]
        say(speaker, Answered())


WORDS = "\n".join(f"- item {number} of a long list" for number in range(40))


async def test_a_long_answer_is_a_preview_with_the_whole_text_as_a_file() -> None:
    stage = Stage()
    async with stage.shown() as speaker:
        say(speaker, TextCame(WORDS), Answered())

    (message,) = stage.messenger.messages
    assert message.text.startswith("- item 0 of a long list\n- item 1")
    assert message.text.endswith(REST_IN_FILE)
    assert message.versions[-1].files == (File(name="answer.md", content=WORDS.encode()),)


async def test_of_a_long_answer_that_is_being_written_some_messages_are_shown() -> None:
    stage = Stage()
    async with stage.shown() as speaker:
        say(speaker, TextCame(WORDS))
        await until(lambda: len(stage.messenger.messages) == 2)
        assert stage.messenger.messages[1].text.endswith(GOES_ON)
        say(speaker, TextCame("\n- the last"), Answered())

    (message,) = stage.messenger.messages
    assert message.versions[-1].files[0].content.endswith(b"- the last")
    assert stage.record.refs == [message.ref]


async def test_a_long_answer_comes_once_whatever_happens_to_the_bot() -> None:
    stage = Stage()
    stage.messenger.lost_answers = 1
    async with stage.shown() as speaker:
        say(speaker, TextCame(WORDS), Answered())
    for known in (replace(TURN, is_begun=True, shown_in=tuple(stage.record.refs)), TURN):
        async with stage.shown(replace(known, is_begun=True, answer=WORDS)) as speaker:
            say(speaker, TextCame(WORDS), Answered())

    (message,) = stage.messenger.messages
    assert message.text.endswith(REST_IN_FILE)
    assert len(message.versions[-1].files) == 1


async def test_where_no_files_are_taken_a_long_answer_is_as_many_messages_as_it_needs() -> None:
    stage = Stage(NoFiles())
    async with stage.shown() as speaker:
        say(speaker, TextCame(WORDS), Answered())

    assert "\n".join(m.text for m in stage.messenger.messages) == WORDS


async def test_what_turns_out_to_be_a_table_is_shown_as_one_in_the_end() -> None:
    stage = Stage()
    head, rest = "| Name | Age |\n", "|------|----:|\n| Ann | 12 |\n| **Bob** | 7 |\n\nThat is all."
    async with stage.shown() as speaker:
        say(speaker, TextCame(f"{head}{rest[:20]}"))
        await until(lambda: bool(stage.messenger.messages))
        assert stage.messenger.messages[0].text.startswith("```")
        say(speaker, TextCame(rest[20:]), Answered())

    table = head + rest
    assert [m.text for m in stage.messenger.messages] == list(laid_out(table).messages)
    assert "Ann    12" in stage.messenger.messages[0].text


async def test_a_message_that_waits_bears_a_mark_until_it_is_answered() -> None:
    stage = Stage()
    earlier = MessageRef(channel_id=11, message_id=4)
    for ref in (earlier, QUESTION):
        await stage.chat.mark_queued(ref)
    assert stage.messenger.reactions == [(earlier, QUEUED), (QUESTION, QUEUED)]

    async with stage.shown(replace(TURN, joined=(earlier,))) as speaker:
        say(speaker, TextCame("Hello."), Answered())

    assert stage.messenger.reactions == [(earlier, ANSWERED_TOGETHER)]


async def test_a_message_that_is_withdrawn_loses_its_mark() -> None:
    stage = Stage()
    await stage.chat.mark_queued(QUESTION)
    await stage.chat.unmark(QUESTION)

    assert stage.messenger.reactions == []


async def test_a_mark_that_an_earlier_bot_may_have_put_is_taken_back() -> None:
    stage = Stage(clock=FakeClock(now=1_790_000_000))
    stage.messenger.reactions = [(QUESTION, QUEUED)]
    async with stage.shown() as speaker:
        say(speaker, TextCame("Hello."), Answered())

    assert stage.messenger.reactions == []


async def test_a_mark_that_discord_does_not_take_is_done_without() -> None:
    stage = Stage()
    stage.messenger.failures = [MessengerError("Unknown Message", is_final=True)]
    await stage.chat.mark_queued(QUESTION)
    stage.messenger.failures = [MessengerError("Unknown Message", is_final=True)]
    await stage.chat.unmark(QUESTION)

    assert stage.messenger.reactions == []


class SlowMarks(FakeMessenger):
    """Takes a mark only when told to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()
        self.go = asyncio.Event()

    async def react(self, ref: MessageRef, emoji: str) -> None:
        self.asked.set()
        await self.go.wait()
        await super().react(ref, emoji)


async def test_a_mark_that_is_still_on_its_way_when_the_answer_begins_does_not_stay() -> None:
    messenger = SlowMarks()
    stage = Stage(messenger)
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        tasks.create_task(stage.chat.mark_queued(QUESTION))
        await messenger.asked.wait()
        async with stage.shown() as speaker:
            say(speaker, TextCame("Hello."), Answered())
            await until(lambda: bool(messenger.messages))
            messenger.go.set()

    assert messenger.reactions == []


@pytest.mark.parametrize("event", [Answered(), Failed(CANCELLED), Failed("It is overloaded.")])
async def test_typing_ends_however_the_answer_ends(event: SpeakerEvent) -> None:
    stage = Stage()
    async with stage.shown() as speaker:
        say(speaker, ToolUsed("Read"), Thought("Hm."))
        await until(lambda: stage.messenger.typing_in == [11])
        say(speaker, ToolFinished("Read"), event)

    assert stage.messenger.typing_in == []


async def test_typing_ends_when_nobody_waits_for_the_answer_any_more() -> None:
    stage = Stage()
    answer = FakeSpeaker().answer("hi")
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        showing = tasks.create_task(
            stage.chat.show(TURN, answer, stage.record, streaming=Streaming.OFF)
        )
        await until(lambda: stage.messenger.typing_in == [11])
        showing.cancel()

    assert stage.messenger.typing_in == []


async def test_typing_ends_when_the_speaker_breaks() -> None:
    stage = Stage()

    async def breaking() -> AsyncGenerator[SpeakerEvent, None]:
        yield ToolUsed("Read")
        await until(lambda: stage.messenger.typing_in == [11])
        raise OSError("the pipe is gone")

    with pytest.raises(ExceptionGroup):
        await stage.chat.show(TURN, breaking(), stage.record, streaming=Streaming.OFF)

    assert stage.messenger.typing_in == []


def texts_of(cards: Sequence[Card]) -> list[str]:
    return [card.content.text for card in cards]


async def test_a_card_shows_the_work_from_the_first_tool_on_and_how_it_ended() -> None:
    stage = Stage()
    async with stage.shown(streaming=Streaming.SUMMARY) as speaker:
        say(speaker, Thought("Hm."), TextCame("I look."))
        say(speaker, ToolUsed("Read", "foo.py"), ToolFinished("Read"))
        await until(lambda: len(stage.cards.shown) == 1)
        stage.clock.advance(12)
        say(speaker, ToolUsed("Edit", "foo.py"), ToolFinished("Edit"))
        await until(lambda: len(stage.cards.shown) == 2)
        stage.clock.advance(3)
        say(speaker, TextCame("Done."), Answered())

    assert texts_of(stage.cards.shown) == [
        "🤔 Read: foo.py · 1 tool",
        "🤔 Edit: foo.py · 2 tools · 12 s",
        "✍️ Writing · 2 tools · 15 s",
        "✅ Done · 2 tools · 15 s",
    ]
    last = stage.cards.shown[-1]
    assert last == Card(
        kind="work",
        subject="5",
        place=HERE,
        content=MessageContent(text="✅ Done · 2 tools · 15 s", is_silent=True),
        is_final=True,
        reply_to=QUESTION,
    )


@pytest.mark.parametrize(
    ("sentence", "shown_as"), [(CANCELLED, "🚫 Cancelled"), ("It is overloaded.", "⚠️ Failed")]
)
async def test_the_card_tells_an_answer_that_was_cancelled_or_failed(
    sentence: str, shown_as: str
) -> None:
    stage = Stage()
    async with stage.shown(streaming=Streaming.FULL) as speaker:
        say(speaker, ToolUsed("Read"), Failed(sentence))

    assert texts_of(stage.cards.shown)[-1] == f"{shown_as} · 1 tool"


async def test_a_quick_answer_and_one_with_streaming_off_have_no_card() -> None:
    stage = Stage()
    async with stage.shown(streaming=Streaming.FULL) as speaker:
        say(speaker, Thought("Hm."), TextCame("Hello."), Answered())
    async with stage.shown() as speaker:
        say(speaker, ToolUsed("Read"), TextCame("Hello."), Answered())

    assert stage.cards.shown == []


async def test_work_that_takes_long_has_a_card_without_any_tool() -> None:
    stage = Stage(pace=Pace(gather_seconds=0.01, edit_seconds=0.01, work_seconds=0.01))
    async with stage.shown(streaming=Streaming.SUMMARY) as speaker:
        await until(lambda: bool(stage.cards.shown))
        say(speaker, TextCame("Hello."), Answered())

    assert texts_of(stage.cards.shown) == ["🤔 Thinking", "✍️ Writing", "✅ Done"]


async def test_the_card_that_an_earlier_try_left_is_brought_to_its_end() -> None:
    stage = Stage()
    stage.cards.stands(("work", "5"), HERE)
    async with stage.shown(replace(TURN, is_begun=True)) as speaker:
        say(speaker, Failed("The conversation was ended."))

    assert texts_of(stage.cards.shown) == ["⚠️ Failed"]
    assert stage.cards.shown[0].is_final
