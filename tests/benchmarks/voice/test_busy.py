import numpy as np
import pytest

from benchmarks.rows import Target
from benchmarks.voice.busy import BusyLines, is_unchanged
from benchmarks.voice.clips import Clip
from benchmarks.voice.talk import Exchange, Talk

CLIP = Clip(name="clip", text="", audio=np.zeros(16_000, np.float32))


def talk(*waits: float, unanswered: int = 0) -> Talk:
    exchanges = tuple(
        Exchange(clip=CLIP, to_transcript=wait, to_packet=0.0, to_silence=None, was_early=False)
        for wait in waits
    )
    return Talk(exchanges=exchanges, unanswered=unanswered, cpu_seconds=5.0, seconds=10.0)


FEW = talk(0.4, 0.4, 1.0)


@pytest.mark.parametrize(
    ("many", "is_so"),
    [
        (talk(0.43, 0.43, 1.2), True),
        (talk(0.45, 0.45, 1.0), False),
        (talk(0.4, 0.4, 1.3), False),
        (talk(0.4, 0.4, 1.0, unanswered=1), False),
    ],
)
def test_latency_is_unchanged_if_people_wait_hardly_longer(many: Talk, *, is_so: bool) -> None:
    assert is_unchanged(FEW, many) is is_so


def test_the_most_lines_with_unchanged_latency_are_told() -> None:
    slow = talk(0.9, 0.9, 1.3)

    (row,) = BusyLines(few=FEW, tried=[(16, FEW), (24, slow), (20, FEW)]).rows()

    assert (row.value, row.target, row.ok) == (20.0, Target("≥", 16.0), True)
    assert "24: 900 / 1300 ms, 0.50" in row.against


def test_no_number_of_lines_may_do() -> None:
    (row,) = BusyLines(few=FEW, tried=[(16, talk(0.9))]).rows()

    assert (row.value, row.ok) == (0.0, False)
