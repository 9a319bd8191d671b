from typing import Any

import pytest

from bot.discord_io.voice.websocket import round_trip_seconds


def test_the_answer_to_a_heartbeat_tells_how_long_it_took() -> None:
    answer = {"op": 6, "d": {"t": 1_000_000}}
    assert round_trip_seconds(answer, now=1000.25) == pytest.approx(0.25)


def test_a_clock_that_was_set_back_makes_no_time_negative() -> None:
    assert round_trip_seconds({"op": 6, "d": {"t": 1_000_000}}, now=999.0) == 0.0


@pytest.mark.parametrize(
    "message", [{"op": 5, "d": {"t": 1}}, {"op": 6, "d": None}, {"op": 6, "d": {}}, {}]
)
def test_what_is_no_such_answer_tells_nothing(message: dict[str, Any]) -> None:
    assert round_trip_seconds(message, now=1.0) is None
