import asyncio
import sqlite3
from pathlib import Path

import pytest

from bot.access import Place
from bot.conversation.session import Session
from bot.conversation.session_card import session_card
from bot.speaker.speaker import Knobs, PermissionMode
from tests.fakes.messenger import THREADS
from tests.fakes.session_house import (
    ADMIN,
    BOUND,
    HERE,
    THERE,
    USER,
    USUAL,
    HouseOptions,
    SessionHouse,
    open_session_house,
)
from tests.fakes.waiting import until

THREAD = Place(guild_id=HERE.guild_id, channel_id=THREADS + 1, parent_id=HERE.channel_id)


def test_a_card_tells_what_the_session_is_and_how_it_is_set() -> None:
    session = Session(
        id="5e55",
        name="notes",
        place=BOUND,
        opened_by=7,
        created_at=1.0,
        last_active_at=1.0,
        opened_at=60.5,
        knobs=Knobs(
            model="opus", permission_mode=PermissionMode.PLAN, mcp_servers=frozenset({"b", "a"})
        ),
    )

    content = session_card(session, USUAL)

    assert content.text == (
        "📍 Active session: **notes**\n"
        "model `opus` · effort as usual · permissions `plan`\n"
        "MCP servers: `a`, `b`\n"
        "notices off · streaming off\n"
        "-# Opened by <@7> · since <t:60:f>"
    )
    assert content.is_silent


def test_a_card_fits_into_a_message_however_many_servers_are_on() -> None:
    servers = frozenset(f"{number}-" + "x" * 100 for number in range(100))
    session = Session(
        id="5e55",
        name="n" * 60,
        place=BOUND,
        opened_by=2**63,
        created_at=1.0,
        last_active_at=1.0,
        knobs=Knobs(model="m" * 80, mcp_servers=servers),
    )
    text = session_card(session, USUAL).text
    assert len(text) < 2000
    assert "90 more" in text


async def shows(house: SessionHouse, *names: str) -> None:
    """Wait until the cards of these sessions stand, and no others."""

    def shown() -> list[str]:
        return [card.content.text.split("**")[1] for card in house.cards.standing.values()]

    await until(lambda: shown() == list(names))


async def test_a_bound_channel_has_a_pinned_card_that_changes_with_the_session(
    tmp_path: Path,
) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("pickup", name="elsewhere")
        await house.call("pickup", at=BOUND, name="notes")
        await shows(house, "notes")
        (card,) = house.cards.standing.values()
        assert (card.place, card.is_pinned, card.is_final) == (BOUND, True, False)
        await house.call("model", at=BOUND, name="haiku")
        await until(lambda: "`haiku`" in house.cards.shown[-1].content.text)
        await house.call("rename", at=BOUND, name="plans")
        await shows(house, "plans")
        await house.call("hangup", at=BOUND)
        await shows(house)


async def test_a_sessions_own_thread_has_a_card_that_is_not_pinned(tmp_path: Path) -> None:
    async with open_session_house(tmp_path, HouseOptions(threads=True)) as house:
        await house.call("pickup", name="notes")
        await shows(house, "notes")
        (card,) = house.cards.standing.values()
        assert (card.place, card.is_pinned) == (THREAD, False)


async def test_a_card_goes_along_with_its_session(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("pickup", at=BOUND, name="notes")
        await shows(house, "notes")
        await house.call("resume", name="notes")
        await shows(house)
        await house.call("bind", by=ADMIN, channel=str(THERE.channel_id))
        await house.call("resume", at=THERE, name="notes")
        await shows(house, "notes")
        await house.call("resume", at=BOUND, name="notes")
        await until(lambda: house.cards.shown[-1].place == BOUND)


async def test_a_card_comes_and_goes_as_its_channel_is_bound_and_set_free(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("pickup", by=USER, name="notes")
        await house.call("bind", by=ADMIN)
        await shows(house, "notes")
        await house.call("unbind", by=ADMIN)
        await shows(house)


async def test_a_fresh_session_takes_the_place_of_the_old_ones_card(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("pickup", at=BOUND, name="notes")
        await shows(house, "notes")
        await house.call("new", at=BOUND, name="plans")
        await shows(house, "plans")


async def test_the_next_bot_shows_the_cards_of_what_is_still_open(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("pickup", at=BOUND, name="notes")
        session = house.session(BOUND)
    async with open_session_house(tmp_path) as house:
        await shows(house, "notes")
        (card,) = house.cards.standing.values()
    assert card.content == session_card(session, USUAL)


@pytest.mark.parametrize("fault", [sqlite3.OperationalError("disk I/O error"), KeyError("card")])
async def test_a_card_that_cannot_be_kept_does_not_end_the_others(
    tmp_path: Path, fault: Exception
) -> None:
    async with open_session_house(tmp_path) as house:
        house.cards.is_broken, house.cards.fault = True, fault
        await house.call("pickup", at=BOUND, name="notes")
        async with asyncio.timeout(5):
            await house.cards.failed.wait()
        house.cards.is_broken = False
        await house.call("rename", at=BOUND, name="plans")
        await shows(house, "plans")
