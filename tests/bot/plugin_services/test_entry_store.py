import pytest

from bot.plugin_services.entry_store import (
    MOST_ENTRIES,
    MOST_SHOWN,
    EntryStore,
    EntryTooLargeError,
)
from tests.fakes.inline_database import InlineDatabase


@pytest.fixture
def database() -> InlineDatabase:
    return InlineDatabase()


async def test_a_plugin_gets_back_its_own_entries_of_a_session(database: InlineDatabase) -> None:
    store = EntryStore(database)

    await store.append("s1", "todo", {"n": 1}, at=5.0)
    await store.append("s1", "todo", {"n": 2}, at=6.0)
    await store.append("s1", "dice", {"n": 3}, at=7.0)
    await store.append("s2", "todo", {"n": 4}, at=8.0)

    assert await store.of("s1", "todo") == [
        {"at": 5.0, "entry": {"n": 1}},
        {"at": 6.0, "entry": {"n": 2}},
    ]


async def test_the_oldest_entries_make_room_for_new_ones(database: InlineDatabase) -> None:
    database.connection.executemany(
        "INSERT INTO plugin_entries (session_id, plugin_id, at, entry) VALUES ('s1', 'todo', ?, ?)",
        [(number, b'{"n":%d}' % number) for number in range(MOST_ENTRIES)],
    )
    store = EntryStore(database)

    await store.append("s1", "todo", {"n": MOST_ENTRIES}, at=0.0)

    (row,) = database.connection.execute(
        "SELECT count(*) AS count, min(at) AS oldest FROM plugin_entries WHERE at > 0"
    )
    assert (row["count"], row["oldest"]) == (MOST_ENTRIES - 1, 1.0)
    shown = await store.of("s1", "todo")
    assert len(shown) == MOST_SHOWN
    assert shown[-1]["entry"] == {"n": MOST_ENTRIES}


async def test_a_large_entry_is_refused(database: InlineDatabase) -> None:
    store = EntryStore(database)

    await store.append("s1", "todo", {"n": "x" * 65_528}, at=5.0)
    with pytest.raises(EntryTooLargeError, match="larger than 65536 bytes"):
        await store.append("s1", "todo", {"n": "x" * 65_529}, at=5.0)

    assert len(await store.of("s1", "todo")) == 1


async def test_what_is_given_back_is_limited_together(database: InlineDatabase) -> None:
    store = EntryStore(database)
    for number in range(20):
        await store.append("s1", "todo", {"n": "x" * 65_000}, at=float(number))

    shown = await store.of("s1", "todo")

    assert [entry["at"] for entry in shown] == [float(number) for number in range(4, 20)]
