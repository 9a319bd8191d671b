from bot.discord_io.voice.seen import Seen


def test_a_packet_is_new_once_in_its_stream() -> None:
    seen = Seen()
    assert [seen.is_new(10, number) for number in (1, 2, 1)] == [True, True, False]
    assert seen.is_new(11, 1)


def test_what_was_long_ago_is_forgotten() -> None:
    seen = Seen()
    for number in range(65):
        assert seen.is_new(10, number)
    assert seen.is_new(10, 0)
    assert not seen.is_new(10, 64)


def test_only_so_many_streams_are_remembered() -> None:
    seen = Seen()
    for ssrc in range(257):
        assert seen.is_new(ssrc, 1)
    assert seen.is_new(0, 1)
    assert not seen.is_new(256, 1)
