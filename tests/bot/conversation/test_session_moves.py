"""Sessions that go on elsewhere: each is open in one place, and nothing else is lost for it."""

from functools import partial
from pathlib import Path

from bot.access import Place
from bot.conversation.conversation import HUNG_UP
from bot.conversation.session import Notify, Session
from bot.speaker.speaker import Answered
from tests.bot.conversation.test_conversations import HERE, OLGA, THERE, World, anything, turn
from tests.fakes.waiting import until


def is_among(ids: set[str], session: Session) -> bool:
    return session.id in ids


async def test_a_session_is_open_in_one_place_and_whoever_waits_in_the_other_is_told(
    tmp_path: Path,
) -> None:
    world = World(tmp_path)
    async with world.running() as conversations:
        there, _ = await conversations.open(THERE, OLGA)
        here, _ = await conversations.open(HERE, OLGA)
        world.began[there.session.id]("c1a0de")
        there.take(turn("one"))
        await until(lambda: there.running_turn is not None)
        moved = await conversations.resume(there.session.id, HERE, may_change=anything)

        assert moved is not None
        assert conversations.places == [HERE]
        assert conversations.in_place(HERE) is moved is conversations.of_session(moved.session.id)
        assert conversations.of_session(here.session.id) is None
        world.speakers[moved.session.id].events.put_nowait(Answered())
    assert moved.session.place == HERE
    assert moved.session.claude_session_id == "c1a0de"
    assert [m.text for m in world.messenger.messages] == [f"⚠️ {HUNG_UP}"]
    assert [(s.id == here.session.id, s.is_open) for s in world.changed[-3:]] == [
        (True, False),
        (False, False),
        (False, True),
    ]

    world.resumed.clear()
    async with world.running() as conversations:
        assert conversations.places == [HERE]
    assert [session.id for session in world.resumed] == [moved.session.id]


async def test_nothing_is_moved_that_may_not_be_changed_nor_for_what_may_not_end(
    tmp_path: Path,
) -> None:
    async with World(tmp_path).running() as conversations:
        there, _ = await conversations.open(THERE, OLGA)
        here, _ = await conversations.open(HERE, OLGA)
        for others in ({here.session.id}, {there.session.id}):
            moved = await conversations.resume(
                there.session.id, HERE, may_change=partial(is_among, others)
            )
            assert moved is None
        assert await conversations.resume("ffffffff", HERE, may_change=anything) is None
        assert await conversations.resume(here.session.id, HERE, may_change=anything) is here

        assert conversations.in_place(HERE) is here
        assert conversations.in_place(THERE) is there


async def test_elsewhere_a_session_gets_a_free_name_and_tells_of_its_own_jobs_alone(
    tmp_path: Path,
) -> None:
    world = World(tmp_path)
    in_private = Place(guild_id=None, channel_id=31)
    async with world.running() as conversations:
        await conversations.open(HERE, OLGA, new=True, name="notes")
        private, _ = await conversations.open(in_private, OLGA, new=True, name="notes")
        await conversations.set_notify(private, Notify.ALL)
        moved = await conversations.resume(private.session.id, THERE, may_change=anything)

    assert moved is not None
    assert (moved.session.name, moved.session.notify) == ("notes-2", Notify.ON)


async def test_a_thread_that_was_opened_for_a_session_stays_its_own_while_it_is_there(
    tmp_path: Path,
) -> None:
    world = World(tmp_path)
    thread = Place(guild_id=10, channel_id=77, parent_id=11)
    async with world.running() as conversations:
        first, _ = await conversations.open(thread, OLGA, new=True, in_own_thread=True)
        assert conversations.owns_thread(77)
        assert not conversations.owns_thread(11)
        await conversations.close(thread)

    async with world.running() as conversations:
        assert conversations.owns_thread(77)
        second, _ = await conversations.open(thread, OLGA, new=True)
        assert second.session.has_own_thread
        await conversations.resume(second.session.id, HERE, may_change=anything)
        assert conversations.owns_thread(77)
        moved = await conversations.resume(first.session.id, THERE, may_change=anything)
        assert not conversations.owns_thread(77)
    assert moved is not None
    assert not moved.session.has_own_thread
