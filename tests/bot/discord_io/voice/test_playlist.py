import pytest

from bot.discord_io.voice import playlist
from bot.discord_io.voice.playlist import MOST_WAITING, Playlist
from voice.events import SILENCE


def played(queue: Playlist, count: int) -> str:
    """Return the next frames: their letters, `.` for silence, `-` for nothing."""
    shown = ""
    for _ in range(count):
        frame = queue.next_frame
        if frame is None:
            shown += "-"
            continue
        shown += frame.opus.decode() if frame.is_speech else "."
        assert frame.is_speech or frame.opus == SILENCE
        queue.step()
    return shown


def test_speech_ends_with_five_frames_of_silence() -> None:
    queue = Playlist()
    assert queue.next_frame is None
    queue.add([b"a", b"b"])
    assert played(queue, 9) == "ab.....--"


def test_what_comes_in_time_cuts_the_silence_short() -> None:
    queue = Playlist()
    queue.add([b"a"])
    assert played(queue, 3) == "a.."
    queue.add([b"b"])
    assert played(queue, 7) == "b.....-"


def test_a_pause_keeps_what_waits() -> None:
    queue = Playlist()
    queue.add([b"a", b"b", b"c"])
    assert played(queue, 1) == "a"
    queue.is_paused = True
    assert (played(queue, 7), queue.waiting_count) == (".....--", 2)
    queue.is_paused = False
    assert played(queue, 3) == "bc."


def test_dropping_ends_a_pause_and_leaves_silence() -> None:
    queue = Playlist()
    queue.add([b"a", b"b"])
    assert played(queue, 1) == "a"
    queue.is_paused = True
    queue.drop()
    assert (queue.is_paused, queue.waiting_count, played(queue, 6)) == (False, 0, ".....-")
    queue.add([b"c"])
    assert played(queue, 1) == "c"


@pytest.mark.parametrize("frames", [1, 5])
def test_breath_is_silence_unless_there_is_speech(frames: int) -> None:
    queue = Playlist()
    queue.breathe(frames)
    assert played(queue, 6) == "." * frames + "-" * (6 - frames)
    queue.add([b"a"])
    queue.breathe(1)
    assert played(queue, 7) == "a.....-"


def test_no_more_waits_than_there_is_room_for() -> None:
    queue = Playlist()
    assert queue.add([b"a"] * (MOST_WAITING - 1)) == 0
    assert queue.add([b"b", b"c"]) == 1
    assert (queue.waiting_count, playlist.TAIL_FRAMES) == (MOST_WAITING, 5)
