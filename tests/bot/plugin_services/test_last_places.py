import asyncio

import pytest

from bot.plugin_services.last_places import LastPlaces
from extensions.hooks import NOWHERE, Occasion
from tests.fakes.inline_database import InlineDatabase

HERE = Occasion(session_id="5e551011", person_id=1, guild_id=10, channel_id=11)
PRIVATE = Occasion(person_id=1, channel_id=12)


async def restored(database: InlineDatabase) -> LastPlaces:
    places = LastPlaces(database)
    await places.restore()
    return places


def test_the_last_place_of_each_plugin_outlasts_a_restart() -> None:
    async def story() -> None:
        database = InlineDatabase()
        places = await restored(database)
        assert places.of("todo") == NOWHERE
        await places.reached("todo", HERE)
        await places.reached("todo", Occasion(agent_id="8d08ba4f", person_id=1, channel_id=12))
        await places.reached("gate", HERE)
        await places.reached("gate", Occasion(person_id=1))
        assert places.of("todo") == PRIVATE

        again = await restored(database)
        assert (again.of("todo"), again.of("gate")) == (PRIVATE, HERE)

    asyncio.run(story())


def test_what_cannot_be_stored_is_known_until_the_restart(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        database = InlineDatabase()
        places = await restored(database)
        database.connection.close()
        await places.reached("todo", HERE)
        assert places.of("todo") == HERE

    asyncio.run(story())
    assert "its last place is not stored" in caplog.text
