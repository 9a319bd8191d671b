import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from bot.access import Person, Place
from bot.conversation.background import in_background
from bot.conversation.conversation import Conversation
from bot.messenger import MessengerError
from bot.plugin_services.titles import SECONDS_BETWEEN_TITLES, Titles
from extensions.hooks import NOWHERE, Occasion
from tests.fakes.line_house import GUILD, HERE, OTHER_USER, OWNER, USER, LineHouse, open_line_house
from tests.fakes.session_house import POLICY
from tests.fakes.virtual_clock import run_on_virtual_clock


def run(work: Coroutine[None, None, None]) -> None:
    run_on_virtual_clock(work)


async def person_of(person_id: int, place: Place) -> Person:
    return Person(id=person_id, name="", guild_id=place.guild_id)


@dataclass
class Scene:
    """A session that is held in a thread of its own."""

    house: LineHouse
    conversation: Conversation
    titles: Titles

    def occasion(self, by: Person = USER) -> Occasion:
        session = self.conversation.session
        return Occasion(
            session_id=session.id,
            person_id=by.id,
            guild_id=GUILD,
            channel_id=session.place.channel_id,
        )

    @property
    def name(self) -> str:
        return self.conversation.session.name

    @property
    def threads(self) -> list[str]:
        return self.house.options.messenger.threads


@asynccontextmanager
async def a_scene(*, in_own_thread: bool = True) -> AsyncGenerator[Scene, None]:
    async with open_line_house() as house, in_background("titles") as background:
        messenger = house.options.messenger
        place = await messenger.open_thread(HERE, "old")
        conversation, _ = await house.conversations.open(
            place, USER, name="old", in_own_thread=in_own_thread
        )
        titles = Titles(house.conversations, messenger, POLICY.authorize, person_of, background)
        yield Scene(house, conversation, titles)


def test_a_session_and_its_own_thread_are_called_as_the_plugin_wishes() -> None:
    async def story() -> None:
        async with a_scene() as scene:
            assert await scene.titles.want("Shopping List!", scene.occasion())
            await asyncio.sleep(1)
            assert (scene.name, scene.threads) == ("shopping-list", ["shopping-list"])

    run(story())


def test_a_thread_that_is_not_the_sessions_own_keeps_its_title() -> None:
    async def story() -> None:
        async with a_scene(in_own_thread=False) as scene:
            place = scene.conversation.session.place
            occasion = Occasion(person_id=USER.id, guild_id=GUILD, channel_id=place.channel_id)
            assert await scene.titles.want("new", occasion)
            await asyncio.sleep(1)
            assert (scene.name, scene.threads) == ("new", ["old"])

    run(story())


def test_of_many_titles_the_last_one_counts() -> None:
    async def story() -> None:
        async with a_scene() as scene:
            for number in range(10):
                assert await scene.titles.want(f"⠋ step {number}", scene.occasion())
                await asyncio.sleep(1)
            assert scene.name == "step-0"
            await asyncio.sleep(SECONDS_BETWEEN_TITLES)
            assert scene.name == "step-9"
            await asyncio.sleep(2 * SECONDS_BETWEEN_TITLES)
            assert await scene.titles.want("later", scene.occasion())
            await asyncio.sleep(1)
            assert scene.name == "later"

    run(story())


def test_only_whoever_may_change_the_session_has_it_called_otherwise() -> None:
    async def story() -> None:
        async with a_scene() as scene:
            assert not await scene.titles.want("mine", scene.occasion(OTHER_USER))
            assert not await scene.titles.want("mine", NOWHERE)
            assert not await scene.titles.want("…", scene.occasion())
            assert not await scene.titles.want("x", Occasion(session_id="none", person_id=USER.id))
            nobody = Occasion(session_id=scene.conversation.session.id)
            assert not await scene.titles.want("mine", nobody)
            assert await scene.titles.want("the owner's", scene.occasion(OWNER))
            await asyncio.sleep(1)
            assert scene.name == "the-owner-s"

    run(story())


def test_a_title_that_discord_does_not_take_stays_with_the_session_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def story() -> None:
        async with a_scene() as scene:
            scene.house.options.messenger.failures = [MessengerError("no connection")]
            assert await scene.titles.want("new", scene.occasion())
            await asyncio.sleep(1)
            assert (scene.name, scene.threads) == ("new", ["old"])

    run(story())
    assert "its thread keeps its title" in caplog.text


def test_a_session_that_ends_meanwhile_keeps_its_name() -> None:
    async def story() -> None:
        async with a_scene() as scene:
            assert await scene.titles.want("one", scene.occasion())
            await asyncio.sleep(1)
            assert await scene.titles.want("two", scene.occasion())
            await scene.house.conversations.close(scene.conversation.session.place)
            await asyncio.sleep(2 * SECONDS_BETWEEN_TITLES)
            assert scene.name == "one"

    run(story())
