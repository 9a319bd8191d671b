from bot.discord_io.voice.deafness import Deafness, DeafnessOptions

OPTIONS = DeafnessOptions(packets=3, seconds=2.0, pause_seconds=30.0, longest_pause_seconds=50.0)


def test_it_takes_many_packets_and_some_time() -> None:
    deafness = Deafness(OPTIONS)
    assert [deafness.not_understood(1, at) for at in (0.0, 0.5, 1.0, 1.9, 2.0)] == [
        False,
        False,
        False,
        False,
        True,
    ]
    slow = Deafness(OPTIONS)
    assert [slow.not_understood(1, at) for at in (0.0, 5.0, 9.0)] == [False, False, True]


def test_whoever_is_understood_in_between_begins_anew() -> None:
    deafness = Deafness(OPTIONS)
    assert not any(deafness.not_understood(1, at) for at in (0.0, 2.0))
    deafness.understood(1)
    assert not any(deafness.not_understood(1, at) for at in (3.0, 4.0))
    assert deafness.not_understood(1, 5.0)


def test_streams_are_counted_apart_and_end_with_their_connection() -> None:
    deafness = Deafness(OPTIONS)
    assert not any(deafness.not_understood(ssrc, 9.0 * ssrc) for ssrc in (1, 2, 1, 2))
    deafness.begin_anew()
    assert not any(deafness.not_understood(ssrc, 99.0) for ssrc in (1, 2))


def test_it_is_said_less_and_less_often() -> None:
    deafness = Deafness(OPTIONS)
    said = [float(at) for at in range(300) if deafness.not_understood(1, at)]
    assert said == [2.0, 32.0, 82.0, 132.0, 182.0, 232.0, 282.0]
