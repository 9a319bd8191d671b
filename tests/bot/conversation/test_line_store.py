"""What a later bot knows of lines, of what was said on them, and to whom."""

from bot.access import Person, Place
from bot.conversation.incoming import IncomingMessage, first_id_at
from bot.conversation.line_store import KeptLine, LineStore
from bot.conversation.message_record import MessageState
from bot.conversation.message_store import MessageStore
from bot.conversation.people import KnownPeople
from bot.conversation.transcript import SaidHow, TranscriptLine
from bot.conversation.transcript_store import TranscriptStore
from bot.conversation.turn import Turn, next_turn, spoken_line, spoken_ref
from bot.messenger import MessageRef
from tests.fakes.inline_database import InlineDatabase
from voice.events import LineMode

NOW = 1_780_000_000.0
LOUNGE, DEN = (Place(guild_id=10, channel_id=number) for number in (31, 32))
UWE = Person(id=7, name="uwe", guild_id=10, role_ids=frozenset({5}))
DAY = 86_400.0


def spoken(number: int, *, at: float = NOW, text: str = "hello") -> Turn:
    ref = spoken_ref(LOUNGE.channel_id, at=at, number=number)
    return Turn(people=(UWE,), text=text, asked_in=ref, is_spoken=True)


def written(number: int) -> IncomingMessage:
    ref = MessageRef(channel_id=LOUNGE.channel_id, message_id=first_id_at(NOW) + number)
    return IncomingMessage(ref=ref, author=UWE, place=LOUNGE, text="hi", mentions_bot=True)


async def test_a_line_is_kept_as_it_is_set_and_one_for_each_server() -> None:
    store = LineStore(InlineDatabase())
    line = KeptLine(id="a", place=LOUNGE, mode=LineMode.OPEN, opened_at=1.0)
    set_otherwise = KeptLine(
        id="b", place=DEN, mode=LineMode.PUSH, voice="x", is_muted=True, opened_at=2.0
    )
    elsewhere = KeptLine(
        id="c", place=Place(guild_id=20, channel_id=41), mode=LineMode.NAME, opened_at=3.0
    )
    for each in (line, elsewhere, set_otherwise):
        await store.save(each)
    assert await store.all() == [set_otherwise, elsewhere]
    await store.forget(10)
    assert await store.all() == [elsewhere]


async def test_what_was_said_is_kept_in_order_for_as_long_as_is_wished() -> None:
    database = InlineDatabase()
    store = TranscriptStore(database, days=1)
    said = [
        TranscriptLine(at=at, person_id=7, name="uwe", text=text, how=SaidHow.TO_BOT)
        for at, text in ((NOW + 2, "two"), (NOW + 1, "one"), (NOW + 3, "three"))
    ]
    for line in said:
        await store.add("5e55", line)
    await store.add("other", said[0])
    assert [line.text for line in await store.newest("5e55", 2)] == ["two", "three"]
    assert (await store.newest("other", 9)) == [said[0]]
    await store.forget_old(now=NOW + DAY + 2)
    assert [line.text for line in await store.newest("5e55", 9)] == ["three"]
    nothing = TranscriptStore(database, days=0)
    await nothing.add("5e55", said[0])
    await nothing.forget_old(now=NOW + 10)
    assert await store.newest("5e55", 9) == []


async def test_what_was_said_has_a_row_but_is_not_answered_by_a_later_bot() -> None:
    store = MessageStore(InlineDatabase())
    await store.accept(written(1), at=NOW)
    turn = spoken(1)
    await store.accept_spoken(turn, LOUNGE, at=NOW)
    assert await store.state_of(turn.asked_in) is MessageState.ACCEPTED
    await store.begun(turn, session_id="5e55", at=NOW)
    assert await store.state_of(turn.asked_in) is MessageState.ANSWERING
    assert [record.text for record in await store.unanswered()] == ["hi"]
    assert await store.newest_in(LOUNGE.channel_id) == written(1).ref.message_id
    assert await store.cut_off() == frozenset({LOUNGE.channel_id})
    assert await store.state_of(turn.asked_in) is MessageState.STALE
    assert await store.cut_off() == frozenset()
    assert len(await store.unanswered()) == 1


async def test_what_was_said_and_answered_is_forgotten_like_what_was_written() -> None:
    store = MessageStore(InlineDatabase())
    turn = spoken(1)
    await store.accept_spoken(turn, LOUNGE, at=NOW)
    await store.finished(turn, MessageState.ANSWERED)
    assert await store.cut_off() == frozenset()
    await store.forget(before=NOW + 1)
    assert await store.state_of(turn.asked_in) is None


async def test_where_only_something_was_said_nothing_was_read() -> None:
    store = MessageStore(InlineDatabase())
    await store.accept_spoken(spoken(1), LOUNGE, at=NOW)
    assert await store.newest_in(LOUNGE.channel_id) is None


async def test_whoever_talked_in_a_place_is_known_there_with_their_newest_roles() -> None:
    database = InlineDatabase()
    store = MessageStore(database)
    await store.accept(written(1), at=NOW)
    turn = spoken(1, at=NOW + 5)
    await store.accept_spoken(
        Turn(
            people=(Person(id=7, name="uwe", guild_id=10, role_ids=frozenset({6})),),
            text="hi",
            asked_in=turn.asked_in,
            is_spoken=True,
        ),
        LOUNGE,
        at=NOW + 5,
    )
    (person,) = await KnownPeople(database).of(LOUNGE)
    assert person.role_ids == frozenset({6})


def test_what_stands_for_something_said_is_no_message_and_never_the_same_twice() -> None:
    refs = [
        spoken_ref(31, at=NOW + seconds, number=number)
        for seconds in (0, 0.001, 60)
        for number in (1, 2, 3000)
    ]
    assert len(set(refs)) == len(refs)
    assert all(-(2**63) < ref.message_id < 0 for ref in refs)


def test_what_is_said_is_not_joined_with_what_is_written() -> None:
    said, also_said = spoken(1), spoken(2, text="there")
    message = Turn(people=(UWE,), text="hi", asked_in=written(1).ref)
    turn, count = next_turn([said, also_said, message])
    assert (turn.text, count, turn.is_spoken) == ("hello\n\nthere", 2, True)
    assert turn.joined == (said.asked_in,)
    assert next_turn([message, said])[1] == 1


def test_the_speaker_is_told_that_something_was_said_aloud() -> None:
    assert spoken_line(spoken(1)) == "uwe (aloud): hello"
