import pytest

from voice.segments import Segment, segments


def found(drawn: str) -> list[tuple[int, int]]:
    return [(each.first, each.end) for each in segments(float(mark == "#") for mark in drawn)]


VOICE = "#" * 10


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        ("", []),
        ("." * 100, []),
        ("." * 20 + "#" * 5 + "." * 40, []),
        (VOICE, [(0, 10)]),
        ("." * 20 + VOICE + "." * 40, [(14, 36)]),
        ("." * 20 + VOICE + "." * 15 + VOICE + "." * 40, [(14, 61)]),
        ("." * 20 + VOICE + "." * 16 + VOICE + "." * 40, [(14, 36), (40, 62)]),
        ("." * 20 + VOICE + "." * 18 + VOICE + "." * 40, [(14, 36), (42, 64)]),
        ("." * 3 + VOICE + "." * 2, [(0, 15)]),
        ("." * 20 + "#" * 5 + "." * 20 + VOICE, [(39, 55)]),
    ],
)
def test_what_is_said_goes_from_pause_to_pause(drawn: str, expected: list[tuple[int, int]]) -> None:
    assert found(drawn) == expected


def test_who_does_not_pause_is_cut_and_nothing_is_lost() -> None:
    assert segments([1.0] * 1_000) == [Segment(0, 470), Segment(470, 940), Segment(940, 1_000)]
