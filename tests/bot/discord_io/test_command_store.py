from pathlib import Path

from bot.discord_io.command_store import EVERYWHERE, CommandStore, Registered
from bot.migrations import migrations
from extensions.database import open_database

APPLICATION, GUILD = 5, 7
HERE = Registered(digest="d1", ids={(1, "jobs"): 11, (3, "jobs"): 12})
THERE = Registered(digest="d2", ids={})


async def test_what_discord_was_told_outlives_the_process(tmp_path: Path) -> None:
    path = tmp_path / "papercup.db"
    async with open_database(path, migrations()) as database:
        store = CommandStore(database)
        assert await store.read(APPLICATION) == {}
        await store.write(APPLICATION, EVERYWHERE, HERE)
        await store.write(APPLICATION, GUILD, THERE)
        await store.write(APPLICATION + 1, GUILD, HERE)
    async with open_database(path, migrations()) as database:
        store = CommandStore(database)
        assert await store.read(APPLICATION) == {EVERYWHERE: HERE, GUILD: THERE}
        assert await store.read(APPLICATION + 1) == {GUILD: HERE}


async def test_what_is_told_later_takes_the_place_of_what_was_told_before(tmp_path: Path) -> None:
    async with open_database(tmp_path / "papercup.db", migrations()) as database:
        store = CommandStore(database)
        await store.write(APPLICATION, GUILD, HERE)
        await store.write(APPLICATION, GUILD, THERE)
        assert await store.read(APPLICATION) == {GUILD: THERE}
        await store.forget(APPLICATION, GUILD)
        assert await store.read(APPLICATION) == {}
