from typing import Any

import pytest

from simulator.discord.core import Core, make_core
from simulator.discord.errors import ApiError
from simulator.discord.interaction import Interaction, InteractionKind
from simulator.discord.model import AccountKind, ChannelKind
from simulator.discord.settings import Settings
from tests.fakes.clock import FakeClock

MESSAGE = {"type": 4, "data": {"content": "now"}}
DEFER = {"type": 5, "data": {"flags": 64}}


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def core(clock: FakeClock) -> Core:
    return make_core(monotonic=clock, settings=Settings(), observer=None)


def called(core: Core, kind: InteractionKind = InteractionKind.COMMAND) -> Interaction:
    alice = core.world.add_account("alice", AccountKind.PERSON)
    channel = core.world.add_channel("general", ChannelKind.TEXT)
    return core.interactions.begin(kind, {}, account=alice, channel=channel)


def acknowledge(core: Core, interaction: Interaction, body: dict[str, Any]) -> dict[str, Any]:
    return core.interactions.acknowledge(str(interaction.id), interaction.token, body, ())


def refusal(core: Core, interaction: Interaction, body: dict[str, Any]) -> tuple[int, int]:
    with pytest.raises(ApiError) as refused:
        acknowledge(core, interaction, body)
    return refused.value.status, refused.value.code


def test_it_can_be_acknowledged_until_three_seconds_have_passed(
    core: Core, clock: FakeClock
) -> None:
    in_time, too_late = called(core), called(core)
    clock.advance(3.0)
    acknowledge(core, in_time, MESSAGE)
    clock.advance(0.01)
    assert refusal(core, too_late, MESSAGE) == (404, 10062)


def test_it_cannot_be_acknowledged_twice(core: Core) -> None:
    interaction = called(core)
    acknowledge(core, interaction, DEFER)
    assert refusal(core, interaction, MESSAGE) == (400, 40060)


def test_what_is_refused_may_be_tried_again(core: Core) -> None:
    interaction = called(core)
    too_long = {"type": 4, "data": {"content": "x" * 2001}}
    assert refusal(core, interaction, too_long) == (400, 50035)
    acknowledge(core, interaction, MESSAGE)


def test_an_unknown_token_opens_nothing(core: Core) -> None:
    with pytest.raises(ApiError, match="Unknown interaction"):
        core.interactions.acknowledge("1", "made-up", MESSAGE, ())
    with pytest.raises(ApiError, match="Unknown Webhook"):
        core.interactions.follow_up("made-up", {"content": "hello"}, ())


def test_a_token_is_good_for_fifteen_minutes(core: Core, clock: FakeClock) -> None:
    interaction = called(core)
    acknowledge(core, interaction, DEFER)
    clock.advance(15 * 60)
    core.interactions.edit(interaction.token, "@original", {"content": "just in time"}, ())
    clock.advance(1)
    with pytest.raises(ApiError) as refused:
        core.interactions.edit(interaction.token, "@original", {"content": "too late"}, ())
    assert (refused.value.status, refused.value.code) == (401, 50027)


def test_there_is_no_follow_up_before_the_acknowledgement(core: Core) -> None:
    with pytest.raises(ApiError, match="Unknown Webhook"):
        core.interactions.follow_up(called(core).token, {"content": "hello"}, ())


def test_the_first_follow_up_takes_the_place_of_a_deferral_and_the_next_does_not(
    core: Core,
) -> None:
    interaction = called(core)
    receipt = acknowledge(core, interaction, DEFER)
    first = core.interactions.follow_up(interaction.token, {"content": "first"}, ())
    second = core.interactions.follow_up(interaction.token, {"content": "second"}, ())
    assert receipt["interaction"]["response_message_id"] == str(first.id)
    assert (first.is_ephemeral, first.is_thinking) == (True, False)
    assert (second.is_ephemeral, second.id == first.id) == (False, False)


def test_a_token_gives_access_to_the_bots_messages_alone(core: Core) -> None:
    interaction = called(core)
    acknowledge(core, interaction, MESSAGE)
    assert core.interactions.answer(interaction.token, "@original").text == "now"
    with pytest.raises(ApiError, match="Unknown Message"):
        core.interactions.answer(interaction.token, "12345")


@pytest.mark.parametrize(
    ("kind", "callback"),
    [
        (InteractionKind.COMMAND, 6),
        (InteractionKind.COMMAND, 8),
        (InteractionKind.AUTOCOMPLETE, 4),
        (InteractionKind.MODAL, 9),
        (InteractionKind.MODAL, 7),
        (InteractionKind.COMPONENT, 99),
    ],
)
def test_an_acknowledgement_that_does_not_fit_is_refused(
    core: Core, kind: InteractionKind, callback: int
) -> None:
    assert refusal(core, called(core, kind), {"type": callback}) == (400, 50035)
