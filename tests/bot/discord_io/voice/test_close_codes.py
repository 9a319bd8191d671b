import pytest

from bot.discord_io.voice.close_codes import Sequel, sequel_of
from bot.discord_io.voice.options import VoiceOptions


@pytest.mark.parametrize(
    ("code", "sequel"),
    [
        (None, Sequel.REDIAL),
        (1000, Sequel.REDIAL),
        (1006, Sequel.REDIAL),
        (4001, Sequel.REDIAL),
        (4006, Sequel.REDIAL),
        (4009, Sequel.REDIAL),
        (4014, Sequel.ASK_WHY),
        (4015, Sequel.REDIAL),
        (4017, Sequel.NO_ENCRYPTION),
        (4021, Sequel.REDIAL_LATER),
        (4022, Sequel.ASK_WHY),
    ],
)
def test_each_code_has_a_sequel(code: int | None, sequel: Sequel) -> None:
    assert sequel_of(code) is sequel


def test_pauses_grow_up_to_the_longest() -> None:
    pauses = VoiceOptions(first_pause_seconds=0.25, longest_pause_seconds=1.5).pauses()
    assert [next(pauses) for _ in range(6)] == [0.0, 0.25, 0.5, 1.0, 1.5, 1.5]
