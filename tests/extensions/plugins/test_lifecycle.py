from collections.abc import Callable

import pytest

from extensions.errors import LocalProtocolError
from extensions.plugins.lifecycle import (
    Failed,
    Lifecycle,
    Ready,
    Restarting,
    Shutdown,
    Spawning,
)


def test_a_plugin_goes_from_its_start_over_a_restart_to_its_end() -> None:
    ready = Lifecycle().spawned().ready()
    again = ready.restarting(attempt=1).spawned()

    assert (ready.state, ready.epoch, ready.restarts) == (Ready(), 1, 0)
    assert (again.state, again.epoch, again.restarts) == (Restarting(1), 2, 1)
    assert again.ready().state == Ready()
    assert again.ready().shut_down().shut_down().state == Shutdown()


def test_a_failed_plugin_can_be_reloaded() -> None:
    failed = Lifecycle().spawned().failed("no")

    assert failed.state == Failed("no")
    assert failed.reloading().state == Spawning()
    assert failed.reloading().spawned().epoch == 2


@pytest.mark.parametrize(
    "step",
    [
        lambda: Lifecycle().ready(),
        lambda: Lifecycle().restarting(attempt=1),
        lambda: Lifecycle().spawned().ready().spawned(),
        lambda: Lifecycle().failed("x").spawned(),
        lambda: Lifecycle().shut_down().failed("x"),
        lambda: Lifecycle().shut_down().reloading(),
        lambda: Lifecycle().shut_down().spawned(),
    ],
)
def test_an_impossible_step_raises(step: Callable[[], Lifecycle]) -> None:
    with pytest.raises(LocalProtocolError):
        step()


def test_the_states_have_the_names_that_people_know() -> None:
    states = [Spawning(), Ready(), Restarting(2), Failed("x"), Shutdown()]

    assert [str(each) for each in states] == [
        "spawning",
        "ready",
        "restarting",
        "failed",
        "shutdown",
    ]
