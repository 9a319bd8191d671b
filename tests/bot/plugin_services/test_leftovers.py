"""What plugins leave behind is forgotten, of the one that is meant alone."""

from pathlib import Path

import pytest

from bot.plugin_services.leftovers import Leftovers
from extensions.errors import PluginError
from extensions.plugins.kv import KeyValues
from tests.fakes.inline_database import InlineDatabase


async def test_nothing_of_a_plugin_is_left_and_all_of_others(tmp_path: Path) -> None:
    database = InlineDatabase()
    kv, leftovers = KeyValues(database), Leftovers(database, tmp_path)
    for name in ("dice", "todo"):
        await kv.set(name, "luck", 6)
        (tmp_path / name / "state").mkdir(parents=True)
        entry = "INSERT INTO plugin_entries VALUES (NULL, 's1', ?, 1.0, 'null')"
        database.connection.execute(entry, (name,))
        place = "INSERT INTO plugin_places (plugin_id, channel_id) VALUES (?, 1)"
        database.connection.execute(place, (name,))

    had = [await leftovers.forget("dice") for _ in range(2)]

    assert had == [True, False]
    assert (await kv.get("dice", "luck"), await kv.get("todo", "luck")) == (None, 6)
    left = [name for name in ("dice", "todo") if (tmp_path / name).exists()]
    assert left == ["todo"]
    for table in ("plugin_entries", "plugin_places"):
        rows = database.connection.execute(f"SELECT plugin_id FROM {table}")  # noqa: S608 - ours
        assert [row["plugin_id"] for row in rows] == ["todo"]


async def test_what_is_no_plugin_is_not_removed(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    with pytest.raises(PluginError, match="no plugin may be called that"):
        await Leftovers(InlineDatabase(), tmp_path / "plugins").forget("../data")
    assert (tmp_path / "data").exists()


async def test_files_that_cannot_be_removed_are_named(tmp_path: Path) -> None:
    (tmp_path / "dice").write_text("no folder")

    with pytest.raises(PluginError, match=r"its files cannot be removed \(Not a directory\)"):
        await Leftovers(InlineDatabase(), tmp_path).forget("dice")
