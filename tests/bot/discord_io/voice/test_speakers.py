from bot.discord_io.voice.speakers import Speakers


def test_a_stream_is_that_of_whoever_was_named_last() -> None:
    speakers = Speakers()
    assert speakers.whose(10) is None
    speakers.learn(10, 1)
    speakers.learn(10, 2)
    assert speakers.whose(10) == 2


def test_everybody_has_one_stream() -> None:
    speakers = Speakers()
    speakers.learn(10, 1)
    speakers.learn(11, 1)
    assert (speakers.whose(10), speakers.whose(11)) == (None, 1)


def test_those_are_silent_of_whom_no_stream_is_known() -> None:
    speakers = Speakers()
    speakers.learn(10, 1)
    assert speakers.silent_ones([1, 2, 3]) == [2, 3]
    speakers.forget(1)
    assert speakers.silent_ones([1]) == [1]
    speakers.learn(10, 1)
    speakers.clear()
    assert speakers.whose(10) is None
