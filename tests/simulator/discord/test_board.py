import pytest

from simulator.discord.core import Core, make_core
from simulator.discord.drafts import Draft
from simulator.discord.errors import ApiError
from simulator.discord.model import Channel, ChannelKind
from simulator.discord.settings import Settings
from tests.fakes.clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def core(clock: FakeClock) -> Core:
    return make_core(monotonic=clock, settings=Settings(nonce_seconds=60), observer=None)


@pytest.fixture
def general(core: Core) -> Channel:
    return core.world.add_channel("general", ChannelKind.TEXT)


def test_a_nonce_is_forgotten_after_a_while(core: Core, clock: FakeClock, general: Channel) -> None:
    draft = Draft(text="once", nonce="n", is_nonce_enforced=True)
    first = core.board.post(core.world.bot, general, draft)
    clock.advance(60)
    assert core.board.post(core.world.bot, general, draft) == first
    clock.advance(1)
    assert core.board.post(core.world.bot, general, draft) != first


def test_a_nonce_counts_only_where_it_is_enforced_and_for_its_author(
    core: Core, general: Channel
) -> None:
    draft = Draft(text="hello", nonce="n", is_nonce_enforced=True)
    first = core.board.post(core.world.bot, general, draft)
    assert core.board.post(core.world.guild.owner, general, draft) != first
    assert core.board.post(core.world.bot, general, Draft(text="hello", nonce="n")) != first


def test_a_reply_does_not_lead_to_another_channel(core: Core, general: Channel) -> None:
    elsewhere = core.world.add_channel("elsewhere", ChannelKind.TEXT)
    target = core.board.post(core.world.bot, elsewhere, Draft(text="here"))
    with pytest.raises(ApiError, match="Invalid Form Body"):
        core.board.post(core.world.bot, general, Draft(text="there", reply_to=target.id))


def test_messages_have_growing_ids_even_while_the_clock_stands_still(
    core: Core, general: Channel
) -> None:
    ids = [core.board.post(core.world.bot, general, Draft(text="x")).id for _ in range(3)]
    assert ids == sorted(set(ids))
