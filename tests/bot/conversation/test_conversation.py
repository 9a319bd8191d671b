"""One conversation by itself: its queue, its speaker, and what it stores of its turns."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from bot.access import Person, Place
from bot.conversation.attachments import NOT_FETCHED, AttachmentRoom
from bot.conversation.conversation import (
    BROKE,
    HUNG_UP,
    MOST_WAITING_TURNS,
    NO_FILES,
    NOT_NOTED,
    Charge,
    Conversation,
)
from bot.conversation.message_record import MessageState
from bot.conversation.session import Session, Streaming
from bot.conversation.turn import Turn
from bot.conversation.turn_hooks import NO_PLUGINS
from bot.messenger import MessageRef
from bot.speaker.sentences import CANCELLED
from bot.speaker.speaker import (
    Answered,
    Image,
    Knobs,
    ParagraphEnded,
    PermissionMode,
    SpeakerEvent,
    Spent,
    TextCame,
    Warned,
)
from extensions.hooks import (
    Blocked,
    Changed,
    HookPoint,
    Occasion,
    Pass,
    Payload,
    Ruling,
)
from tests.bot.conversation.test_pictures import PNG
from tests.fakes.attachments import FakeAttachments, attachment
from tests.fakes.plugin_points import FakePlugins
from tests.fakes.speaker import FakeSpeaker
from tests.fakes.surface import FakeSurface
from tests.fakes.waiting import until

OLGA = Person(id=1, name="olga")
UWE = Person(id=7, name="uwe")
HERE = Place(guild_id=10, channel_id=11)
SESSION = Session(
    id="5e55",
    name="chat",
    place=HERE,
    opened_by=1,
    created_at=0.0,
    last_active_at=0.0,
    streaming=Streaming.SUMMARY,
)


def ref(number: int) -> MessageRef:
    return MessageRef(channel_id=11, message_id=number)


def turn(text: str, number: int = 5, person: Person = OLGA) -> Turn:
    return Turn(people=(person,), text=text, asked_in=ref(number))


class FakeLog:
    """Implements `TurnLog`."""

    def __init__(self, *, is_broken: bool = False) -> None:
        self.is_broken = is_broken
        self.entries: list[tuple[str, str | float]] = []

    async def begun(self, turn: Turn, *, session_id: str, at: float) -> None:
        self._note("begun", f"{session_id} {turn.text} {at}")

    async def shown_in(self, turn: Turn, refs: Sequence[MessageRef]) -> None:
        self._note("shown in", f"{turn.text} {[ref.message_id for ref in refs]}")

    async def answer_is_whole(self, turn: Turn, text: str) -> None:
        self._note("whole", f"{turn.text} {text}")

    async def finished(self, turn: Turn, state: MessageState) -> None:
        self._note(state.value, turn.text)

    def _note(self, what: str, about: str) -> None:
        if self.is_broken:
            raise sqlite3.OperationalError("disk I/O error")
        self.entries.append((what, about))


class BrokenSpeaker(FakeSpeaker):
    """Breaks in the middle of each answer."""

    async def answer(
        self, text: str, images: Sequence[Image] = ()
    ) -> AsyncGenerator[SpeakerEvent, None]:
        del images
        self.asked.append(text)
        yield TextCame("I think")
        raise RuntimeError(text)


@dataclass
class Scene:
    """A conversation that runs."""

    surface: FakeSurface
    speaker: FakeSpeaker
    conversation: Conversation
    running: asyncio.Task[None]

    def says(self, *texts: str) -> None:
        for text in texts:
            self.speaker.events.put_nowait(TextCame(text))
            self.speaker.events.put_nowait(Answered())

    async def is_asked(self, *texts: str) -> None:
        await until(lambda: self.speaker.asked == list(texts))

    async def shows(self, *texts: str) -> None:
        await until(lambda: [shown.text for shown in self.surface.shown] == list(texts))

    async def marks(self, *numbers: int) -> None:
        await until(lambda: self.surface.marked == [ref(number) for number in numbers])

    async def answers_the_first(self) -> None:
        """Have a turn that everything else has to wait for."""
        self.conversation.take(turn("first", 1))
        await self.is_asked("olga: first")


@asynccontextmanager
async def open_scene(
    log: FakeLog | None = None,
    speaker: FakeSpeaker | None = None,
    *,
    attachments: AttachmentRoom | None = None,
    charge: Charge | None = None,
    plugins: FakePlugins | None = None,
    session: Session = SESSION,
) -> AsyncGenerator[Scene, None]:
    surface, speaker = FakeSurface(), speaker or FakeSpeaker()
    conversation = Conversation(
        session,
        speaker,
        surface,
        log or FakeLog(),
        lambda: 7.0,
        attachments=attachments,
        charge=charge,
        plugins=NO_PLUGINS if plugins is None else plugins.points,
    )
    async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        running = tasks.create_task(conversation.run())
        yield Scene(surface, speaker, conversation, running)
        running.cancel()


async def test_a_turn_is_stored_at_each_step_before_the_next_is_taken() -> None:
    log = FakeLog()
    async with open_scene(log) as scene:
        scene.conversation.take(turn("one"))
        scene.says("Hi.")
        await until(lambda: len(log.entries) == 3)

    assert log.entries == [("begun", "5e55 one 7.0"), ("whole", "one Hi."), ("answered", "one")]
    assert [shown.streaming for shown in scene.surface.shown] == [Streaming.SUMMARY]


async def test_messages_that_came_during_a_turn_are_answered_together() -> None:
    async with open_scene() as scene:
        await scene.answers_the_first()
        scene.conversation.take(turn("two", 2))
        scene.conversation.take(turn("three", 3))
        scene.says("one", "both")
        await scene.shows("one", "both")

    assert scene.speaker.asked[1] == "olga: two\n\nthree"
    assert scene.surface.shown[1].turn.messages == (ref(2), ref(3))


async def test_an_answer_that_is_known_is_shown_without_asking_anybody() -> None:
    async with open_scene() as scene:
        scene.conversation.take_again(replace(turn("one"), answer="Hi."))
        await scene.shows("Hi.")

    assert scene.speaker.asked == []


async def test_a_turn_that_breaks_says_so_in_its_reply_and_the_next_is_answered() -> None:
    async with open_scene(speaker=BrokenSpeaker()) as scene:
        scene.conversation.take(turn("one", 5))
        await scene.shows(f"⚠️ {BROKE}")
        scene.conversation.take(turn("two", 6))
        await scene.shows(f"⚠️ {BROKE}", f"⚠️ {BROKE}")


async def test_a_turn_that_cannot_be_stored_is_not_begun_and_its_author_is_told() -> None:
    log = FakeLog(is_broken=True)
    async with open_scene(log) as scene:
        scene.conversation.take(turn("one", 5))
        await scene.shows(f"⚠️ {NOT_NOTED}")
        assert scene.speaker.asked == []
        log.is_broken = False
        scene.conversation.take(turn("two", 6))
        scene.says("Better.")
        await scene.shows(f"⚠️ {NOT_NOTED}", "Better.")


async def test_whoever_is_not_answered_when_a_conversation_ends_is_told() -> None:
    log = FakeLog()
    async with open_scene(log) as scene:
        await scene.answers_the_first()
        scene.conversation.take(turn("two", 2))
        scene.running.cancel()
        await asyncio.wait([scene.running])
        await scene.conversation.part()

    assert [(s.turn.asked_in, s.text) for s in scene.surface.shown] == [
        (ref(number), f"⚠️ {HUNG_UP}") for number in (1, 2)
    ]
    assert log.entries[-2:] == [("withdrawn", "first"), ("withdrawn", "two")]


async def test_what_has_to_wait_is_marked_until_it_is_answered() -> None:
    async with open_scene() as scene:
        await scene.answers_the_first()
        scene.conversation.take(turn("two", 2))
        scene.conversation.take(turn("three", 3, UWE))
        await scene.marks(2, 3)
        scene.says("one", "two")
        await scene.marks(3)
        scene.says("three")
        await scene.shows("one", "two", "three")
        await scene.marks()

    assert scene.surface.ever_marked == [ref(2), ref(3)]


async def test_what_is_answered_at_once_is_never_marked() -> None:
    async with open_scene() as scene:
        scene.conversation.take(turn("one", 1))
        scene.conversation.take(turn("two", 2))
        scene.says("both")
        await scene.shows("both")

    assert scene.surface.ever_marked == []


async def test_answers_do_not_wait_for_marks_and_a_late_mark_is_taken_back() -> None:
    async with open_scene() as scene:
        await scene.answers_the_first()
        scene.surface.marks_go.clear()
        scene.conversation.take(turn("two", 2))
        await until(lambda: scene.surface.marks_tried == 1)
        scene.says("one", "two")
        await scene.shows("one", "two")
        scene.surface.marks_go.set()
        await until(lambda: scene.surface.ever_marked == [ref(2)])
        await scene.marks()


async def test_a_message_that_waits_is_replaced_in_its_place() -> None:
    async with open_scene() as scene:
        await scene.answers_the_first()
        scene.conversation.take(turn("wrong", 2))
        scene.conversation.take(turn("three", 3))
        assert scene.conversation.waiting_turn(ref(2)) == turn("wrong", 2)
        scene.conversation.replace(turn("right", 2))
        scene.says("one")
        await scene.is_asked("olga: first", "olga: right\n\nthree")


async def test_a_message_that_is_withdrawn_is_not_answered_and_loses_its_mark() -> None:
    async with open_scene() as scene:
        await scene.answers_the_first()
        for number in (2, 3, 4):
            scene.conversation.take(turn(f"text {number}", number))
        await scene.marks(2, 3, 4)
        scene.conversation.withdraw(ref(3))
        await scene.marks(2, 4)
        scene.says("one")
        await scene.is_asked("olga: first", "olga: text 2\n\ntext 4")


async def test_what_is_being_answered_neither_changes_nor_goes() -> None:
    async with open_scene() as scene:
        await scene.answers_the_first()
        for known in (
            replace(turn("begun", 2), is_begun=True),
            replace(turn("asked about", 3), is_from_menu=True),
            replace(turn("known", 4), answer="Hi."),
        ):
            scene.conversation.take_again(known)
        for number in (1, 2, 3, 4):
            assert scene.conversation.waiting_turn(ref(number)) is None
            scene.conversation.replace(turn("other", number))
            scene.conversation.withdraw(ref(number))
        scene.says("one", "two", "three")
        await scene.shows("one", "two", "three", "Hi.")


async def test_only_so_many_wait_but_what_was_taken_before_always_may() -> None:
    async with open_scene() as scene:
        await scene.answers_the_first()
        for number in range(MOST_WAITING_TURNS):
            assert scene.conversation.take(turn("more", 2 + number))
        assert not scene.conversation.take(turn("too much", 90))
        scene.conversation.take_again(turn("again", 91))

        assert scene.conversation.waiting_turns == MOST_WAITING_TURNS + 1


async def test_files_are_brought_before_the_turn_is_said(tmp_path: Path) -> None:
    source = FakeAttachments()
    files = (source.add("cat.png", PNG), attachment(9, "gone.txt", 1))
    async with open_scene(attachments=AttachmentRoom(source, tmp_path)) as scene:
        scene.conversation.take(replace(turn("look"), attachments=files))
        scene.says("A cat.")
        await until(lambda: bool(scene.surface.shown))

    (said,) = scene.speaker.asked
    assert said.startswith("olga: look\n\nFiles that came with it:\n- inbox/5/cat.png: a picture")
    assert scene.speaker.shown == [(Image(media_type="image/png", content=PNG),)]
    assert (tmp_path / SESSION.id / "inbox" / "5" / "cat.png").read_bytes() == PNG
    assert scene.surface.shown[0].events[0] == Warned(f"I left out `gone.txt`: {NOT_FETCHED}.")


async def test_files_without_words_are_a_turn_too(tmp_path: Path) -> None:
    source = FakeAttachments()
    files = (source.add("notes.txt", b"hello"),)
    async with open_scene(attachments=AttachmentRoom(source, tmp_path)) as scene:
        scene.conversation.take(replace(turn(""), attachments=files))
        await until(lambda: bool(scene.speaker.asked))

    assert scene.speaker.asked[0].startswith("olga: (no words, only files)\n\nFiles that came")


async def test_without_a_room_for_files_the_person_is_told() -> None:
    async with open_scene() as scene:
        scene.conversation.take(replace(turn("look"), attachments=(attachment(1, "a", 1),)))
        scene.says("At what?")
        await scene.shows(f"At what?\n\n⚠️ {NO_FILES}")


async def test_a_turn_can_be_cancelled_while_its_files_are_fetched(tmp_path: Path) -> None:
    source = FakeAttachments()
    source.stuck.add(1)
    stuck = attachment(1, "stuck.txt", 1)
    async with open_scene(attachments=AttachmentRoom(source, tmp_path)) as scene:
        assert not await scene.conversation.cancel()
        scene.conversation.take(replace(turn("look"), attachments=(stuck,)))
        await until(lambda: source.at_once == 1)
        assert await scene.conversation.cancel()
        await scene.shows(f"⚠️ {CANCELLED}")
        scene.conversation.take(turn("next", 6))
        await scene.is_asked("olga: next")

    assert source.at_once == 0


@dataclass
class Charges:
    """What was charged; breaks at first, if it is to."""

    breaks: int = 0
    taken: list[tuple[str, float]] = field(default_factory=list)

    async def __call__(self, session_id: str, cost_usd: float) -> None:
        if self.breaks:
            self.breaks -= 1
            raise sqlite3.OperationalError("disk I/O error")
        self.taken.append((session_id, cost_usd))


async def test_what_a_turn_costs_is_charged_and_not_shown() -> None:
    charges = Charges(breaks=1)
    async with open_scene(charge=charges) as scene:
        scene.conversation.take(turn("one"))
        for event in (Spent(0.5), TextCame("Hi."), Spent(0.25), Answered()):
            scene.speaker.events.put_nowait(event)
        await scene.shows("Hi.")

    assert charges.taken == [("5e55", 0.25)]
    assert scene.surface.shown[0].events == [TextCame("Hi."), Answered()]


async def test_other_knobs_reach_the_speaker() -> None:
    async with open_scene() as scene:
        scene.conversation.change(Knobs(model="opus"))

    assert scene.speaker.knobs == [Knobs(model="opus")]


async def test_other_knobs_reach_the_speaker_once_the_turn_is_over_that_has_begun(
    tmp_path: Path,
) -> None:
    """Else what somebody asked before could be done as only others may have it done."""
    source = FakeAttachments()
    source.stuck.add(1)
    files = (attachment(1, "stuck.txt", 1),)
    async with open_scene(attachments=AttachmentRoom(source, tmp_path)) as scene:
        scene.conversation.take(replace(turn("look"), attachments=files))
        await until(lambda: source.at_once == 1)
        scene.conversation.change(Knobs(permission_mode=PermissionMode.AUTO))
        scene.conversation.change(Knobs(permission_mode=PermissionMode.BYPASS))
        assert scene.speaker.knobs == []

        await scene.conversation.cancel()
        await until(lambda: bool(scene.speaker.knobs))
        scene.conversation.take(turn("next", 6))
        await scene.is_asked("olga: next")

    assert scene.speaker.knobs == [Knobs(permission_mode=PermissionMode.BYPASS)]


def changing(key: str, text: str) -> Callable[[Payload], Ruling]:
    def changed(value: Payload) -> Ruling:
        return Changed({**value, key: text}, by=("mender",))

    return changed


async def test_plugins_change_what_is_said_and_what_is_answered() -> None:
    plugins = FakePlugins(
        {
            HookPoint.INPUT: changing("text", "in full"),
            HookPoint.BEFORE_AGENT_START: changing("system_prompt", "Rhyme."),
            HookPoint.MESSAGE_END: changing("text", "Aye."),
        }
    )
    async with open_scene(plugins=plugins) as scene:
        scene.conversation.take(turn("in short"))
        await scene.is_asked("[Note of the plugin mender: Rhyme.]\n\nolga: in full")
        scene.speaker.events.put_nowait(TextCame("Yes."))
        scene.speaker.events.put_nowait(ParagraphEnded("Yes."))
        scene.speaker.events.put_nowait(Answered())
        await scene.shows("Aye.")

    assert [point for point, _ in plugins.asked] == [
        HookPoint.INPUT,
        HookPoint.BEFORE_AGENT_START,
        HookPoint.MESSAGE_END,
    ]
    assert plugins.asked[0][1] == {
        "text": "in short",
        "source": "text",
        "images": 0,
        "agent_id": "speaker",
        "session_id": "5e55",
    }
    assert [event for event, _ in plugins.told] == [
        "agent_start",
        "turn_start",
        "message_start",
        "message_update",
        "message_end",
        "turn_end",
        "agent_end",
    ]
    assert plugins.told[-1][1]["outcome"] == "answered"
    assert {(each.session_id, each.person_id) for each in plugins.occasions} == {("5e55", 1)}


@pytest.mark.parametrize("point", [HookPoint.INPUT, HookPoint.BEFORE_AGENT_START])
async def test_what_a_plugin_forbids_never_reaches_the_speaker(point: HookPoint) -> None:
    plugins = FakePlugins({point: Blocked("no *swearing*", by="censor")})
    async with open_scene(plugins=plugins) as scene:
        scene.conversation.take(turn("damn"))
        await scene.shows("⚠️ The plugin censor stops this: no \\*swearing\\*")
        assert scene.speaker.asked == []


async def test_an_answer_that_a_plugin_withholds_is_not_shown_in_the_end() -> None:
    plugins = FakePlugins({HookPoint.MESSAGE_END: Blocked("secret", by="censor")})
    async with open_scene(plugins=plugins) as scene:
        scene.conversation.take(turn("tell"))
        await until(lambda: bool(scene.speaker.asked))
        scene.speaker.events.put_nowait(ParagraphEnded("It is 42."))
        scene.speaker.events.put_nowait(Answered())
        await scene.shows("The plugin censor stops this: secret")


async def test_what_is_spoken_aloud_is_only_watched() -> None:
    plugins = FakePlugins({HookPoint.MESSAGE_END: changing("text", "Aye.")})
    spoken = replace(SESSION, knobs=Knobs(is_spoken=True))
    async with open_scene(plugins=plugins, session=spoken) as scene:
        scene.conversation.take(turn("hello"))
        await until(lambda: bool(scene.speaker.asked))
        scene.speaker.events.put_nowait(ParagraphEnded("Yes."))
        scene.speaker.events.put_nowait(Answered())
        await scene.shows("Yes.")

    assert plugins.asked == []
    assert ("message_end", "Yes.") in [(event, told.get("text")) for event, told in plugins.told]


async def test_a_turn_is_cancelled_while_a_plugin_takes_its_time() -> None:
    class SlowPlugins(FakePlugins):
        async def fire(self, point: HookPoint, value: Payload, occasion: Occasion) -> Ruling:
            await super().fire(point, value, occasion)
            await asyncio.Event().wait()
            return Pass()

    plugins = SlowPlugins({HookPoint.INPUT: Pass()})
    async with open_scene(plugins=plugins) as scene:
        scene.conversation.take(turn("hello"))
        await until(lambda: bool(plugins.asked))
        assert await scene.conversation.cancel()
        await scene.shows(f"⚠️ {CANCELLED}")
        assert scene.speaker.asked == []
