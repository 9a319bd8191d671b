import asyncio
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from bot.access import Place
from bot.conversation.session import Notify, Session, Streaming
from bot.conversation.store import SessionStore
from bot.migrations import migrations
from bot.speaker.speaker import Knobs, PermissionMode
from extensions.database import open_database

HERE = Place(guild_id=10, channel_id=11)
SESSION = Session(
    id="5e55",
    name="chat",
    place=HERE,
    opened_by=1,
    created_at=1.0,
    last_active_at=1.0,
    opened_at=1.0,
)
WITHOUT_THIS_STEP = 6


@asynccontextmanager
async def a_store(folder: Path) -> AsyncGenerator[SessionStore, None]:
    async with (
        asyncio.timeout(10),
        open_database(folder / "papercup.db", migrations()) as database,
    ):
        yield SessionStore(database)


def every(_: Session) -> bool:
    return True


async def test_everything_about_a_session_is_kept(tmp_path: Path) -> None:
    session = replace(
        SESSION,
        place=Place(guild_id=10, channel_id=12, parent_id=11),
        claude_session_id="c1a0de",
        notify=Notify.ALL,
        knobs=Knobs(
            model="opus",
            effort="high",
            permission_mode=PermissionMode.PLAN,
            mcp_servers=frozenset({"b", "a"}),
        ),
        streaming=Streaming.FULL,
        has_own_thread=True,
        opened_at=4.0,
    )
    async with a_store(tmp_path) as store:
        await store.save(SESSION)
        await store.save(session)
        (found,) = await store.open_ones()
        assert await store.own_threads() == {12}
        assert await store.find("5e55") == found
        assert await store.find("0000") is None

    assert found == session
    assert found.place.parent_id == 11


async def test_the_newest_come_first_and_only_those_that_count(tmp_path: Path) -> None:
    async with a_store(tmp_path) as store:
        for number in range(450):
            used = replace(
                SESSION,
                id=f"s{number}",
                name=f"n{number}",
                last_active_at=float(number),
                opened_at=0.0,
                is_open=False,
            )
            await store.save(used)
        reopened = replace(SESSION, id="s3", name="n3", opened_at=1000.0)
        await store.save(reopened)
        newest = await store.newest(every, 3)
        old = await store.newest(lambda session: session.last_active_at < 2, 3)
        none = await store.newest(lambda _: False, 3)

    assert [session.id for session in newest] == ["s3", "s449", "s448"]
    # What is opened counts as used.
    assert [session.id for session in old] == ["s3", "s1", "s0"]
    assert none == []


async def test_of_several_sessions_of_one_name_the_last_used_that_counts_is_found(
    tmp_path: Path,
) -> None:
    elsewhere = replace(SESSION, id="e15e", place=Place(guild_id=20, channel_id=21), opened_at=9.0)
    async with a_store(tmp_path) as store:
        await store.save(SESSION)
        await store.save(elsewhere)
        assert await store.by_name("chat", every) == elsewhere
        assert await store.by_name("chat", lambda one: one.place == HERE) == SESSION
        assert await store.by_name("chat", lambda _: False) is None
        assert await store.by_name("other", every) is None


async def test_the_session_of_a_channel_is_the_one_that_was_open_there_last(tmp_path: Path) -> None:
    first = replace(SESSION, is_open=False, last_active_at=99.0)
    second = replace(SESSION, id="2", name="second", opened_at=5.0)
    async with a_store(tmp_path) as store:
        await store.save(first)
        await store.save(second)
        assert await store.newest_in_channel(11) == second
        assert await store.newest_in_channel(12) is None
        await store.save(replace(second, is_open=False))
        await store.save(replace(first, opened_at=6.0))
        assert await store.newest_in_channel(11) == replace(first, opened_at=6.0)


@pytest.mark.parametrize(
    ("place", "opened_by", "clashes"),
    [
        (Place(guild_id=10, channel_id=99), 2, True),
        (Place(guild_id=20, channel_id=99), 1, False),
        (Place(guild_id=None, channel_id=31), 1, False),
    ],
)
async def test_a_name_means_one_session_in_a_server(
    tmp_path: Path, place: Place, opened_by: int, *, clashes: bool
) -> None:
    async with a_store(tmp_path) as store:
        await store.save(SESSION)
        assert ("chat" in await store.names_beside(place, opened_by)) is clashes
        other = replace(SESSION, id="2", place=place, opened_by=opened_by)
        if clashes:
            with pytest.raises(sqlite3.IntegrityError):
                await store.save(other)
        else:
            await store.save(other)
        assert await store.names_beside(HERE, 1, but=SESSION.id) == frozenset()


async def test_a_name_means_one_session_in_the_direct_messages_of_a_person(tmp_path: Path) -> None:
    one = replace(SESSION, place=Place(guild_id=None, channel_id=31))
    async with a_store(tmp_path) as store:
        await store.save(one)
        await store.save(
            replace(one, id="2", opened_by=2, place=Place(guild_id=None, channel_id=32))
        )
        assert await store.names_beside(one.place, 1) == {"chat"}
        assert await store.names_beside(one.place, 3) == frozenset()


async def test_sessions_of_an_older_papercup_survive_each_under_a_name_of_its_own(
    tmp_path: Path,
) -> None:
    path = tmp_path / "papercup.db"
    async with open_database(path, migrations()[:WITHOUT_THIS_STEP]) as old:
        rows = [
            ("aaaaaaaa", "chat", "c1a0de", 10, 11, 1, 2, 1, 1.0, 7.0),
            ("bbbbbbbb", "chat", None, 10, 12, 2, 0, 0, 2.0, 2.0),
            ("cccccccc", "chat", None, 20, 21, 1, 1, 1, 3.0, 3.0),
            ("dddddddd", "chat", None, None, 31, 1, 0, 1, 4.0, 4.0),
            ("eeeeeeee", "chat", None, None, 32, 2, 0, 0, 5.0, 5.0),
            ("ffffffff", "chat", None, None, 31, 1, 0, 0, 6.0, 6.0),
        ]
        columns = (
            "id, name, claude_session_id, guild_id, channel_id, opened_by, notify, is_open,"
            " created_at, last_active_at"
        )
        statement = f"INSERT INTO sessions ({columns}) VALUES ({', '.join('?' * 10)})"  # noqa: S608 - no data in it
        await old.run(lambda connection: connection.executemany(statement, rows))

    async with a_store(tmp_path) as store:
        found = {session.id: session for session in await store.newest(every, 10)}
        still_open = await store.open_ones()

    assert {session.id: session.name for session in found.values()} == {
        "aaaaaaaa": "chat",
        "bbbbbbbb": "chat-bbbbbbbb",
        "cccccccc": "chat",
        "dddddddd": "chat",
        "eeeeeeee": "chat",
        "ffffffff": "chat-ffffffff",
    }
    assert found["aaaaaaaa"] == Session(
        id="aaaaaaaa",
        name="chat",
        place=Place(guild_id=10, channel_id=11),
        opened_by=1,
        created_at=1.0,
        last_active_at=7.0,
        claude_session_id="c1a0de",
        notify=Notify.ALL,
        opened_at=1.0,
    )
    assert [session.id for session in still_open] == ["aaaaaaaa", "cccccccc", "dddddddd"]
