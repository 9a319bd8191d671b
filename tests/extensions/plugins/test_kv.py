import sqlite3

import pytest

from extensions.plugins import kv
from extensions.plugins.kv import KeyValueError, KeyValues
from tests.fakes.inline_database import InlineDatabase


@pytest.fixture
def database() -> InlineDatabase:
    return InlineDatabase()


@pytest.fixture
def values(database: InlineDatabase) -> KeyValues:
    return KeyValues(database)


@pytest.mark.parametrize(
    "value",
    [None, True, 0, -1.5, "ä\0🧩", [], {"a": [1, {"b": None}]}, "x" * 1_048_574],
    ids=["null", "true", "zero", "fraction", "text", "list", "object", "largest"],
)
async def test_a_value_is_given_back_as_it_was(values: KeyValues, value: object) -> None:
    await values.set("todo", "key", value)

    assert await values.get("todo", "key") == value


async def test_what_was_never_kept_is_nothing(values: KeyValues) -> None:
    assert await values.get("todo", "key") is None
    await values.delete("todo", "key")


async def test_no_plugin_sees_or_changes_what_another_keeps(values: KeyValues) -> None:
    await values.set("todo", "key", 1)
    await values.set("dice", "key", 2)

    await values.delete("dice", "key")
    await values.forget("dice")

    assert await values.get("todo", "key") == 1
    assert await values.keys("dice") == []


async def test_keys_are_listed_by_how_they_begin(values: KeyValues) -> None:
    for key in ("b%", "a_1", "a_2", "ax", "%"):
        await values.set("todo", key, 0)

    assert await values.keys("todo") == ["%", "a_1", "a_2", "ax", "b%"]
    assert await values.keys("todo", "a_") == ["a_1", "a_2"]
    assert await values.keys("todo", "%") == ["%"]


async def test_a_value_that_is_set_again_takes_the_place_of_the_first(values: KeyValues) -> None:
    await values.set("todo", "key", "old")
    await values.set("todo", "key", "new")

    assert await values.get("todo", "key") == "new"
    assert await values.keys("todo") == ["key"]


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("", 1, "1 to 256 characters"),
        ("k" * 257, 1, "1 to 256 characters"),
        ("key", "x" * 1_048_575, "larger than 1048576 bytes"),
    ],
)
async def test_what_is_too_long_is_refused_by_name(
    values: KeyValues, key: str, value: object, reason: str
) -> None:
    with pytest.raises(KeyValueError, match=reason):
        await values.set("todo", key, value)

    assert await values.keys("todo") == []


async def test_a_plugin_has_ten_thousand_keys_at_most(
    values: KeyValues, database: InlineDatabase
) -> None:
    database.connection.executemany(
        "INSERT INTO plugin_values VALUES ('todo', ?, '1')",
        [(f"key {number}",) for number in range(kv.MOST_KEYS)],
    )

    with pytest.raises(KeyValueError, match="10000 keys"):
        await values.set("todo", "one more", 1)
    await values.set("todo", "key 5", 2)
    await values.set("dice", "one more", 1)

    assert await values.get("todo", "key 5") == 2


async def test_all_values_of_a_plugin_together_are_limited(database: InlineDatabase) -> None:
    values = KeyValues(database, most_bytes=10)
    await values.set("todo", "a", "12345")

    with pytest.raises(KeyValueError, match="all values together would be larger than 10 bytes"):
        await values.set("todo", "b", "12")
    await values.set("todo", "b", "1")
    await values.set("todo", "a", "54321")
    await values.set("dice", "b", "12345678")

    assert await values.keys("todo") == ["a", "b"]


async def test_a_broken_database_is_not_hidden(values: KeyValues, database: InlineDatabase) -> None:
    database.connection.execute("DROP TABLE plugin_values")

    with pytest.raises(sqlite3.OperationalError):
        await values.get("todo", "key")
