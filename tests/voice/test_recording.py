"""The audio of what is being said, and of the moment before."""

import numpy as np

from voice.recording import Recording
from voice.samples import FRAME_SAMPLES, HEARING_RATE, Samples

TRAILING = round(0.16 * HEARING_RATE)


def frame(number: int) -> Samples:
    return np.full(FRAME_SAMPLES, number, np.float32)


def recorded(*numbers: int, preroll_frames: int = 3) -> Recording:
    recording = Recording(preroll_frames)
    for number in numbers:
        recording.add(frame(number))
    return recording


def frames_in(audio: Samples) -> list[int]:
    return [int(number) for number in audio[::FRAME_SAMPLES]]


def test_an_utterance_begins_a_little_before_the_voice_was_noticed() -> None:
    recording = recorded(1, 2, 3, 4, 5)
    recording.begin()
    recording.add(frame(6))
    assert frames_in(recording.so_far()) == [3, 4, 5, 6]


def test_it_begins_once() -> None:
    recording = recorded(1)
    recording.begin()
    recording.add(frame(2))
    recording.begin()
    assert frames_in(recording.so_far()) == [1, 2]


def test_until_the_pause_it_has_160_ms_after_the_voice_sent_or_not() -> None:
    recording = recorded(1)
    recording.begin()
    recording.mark_voice()
    assert recording.until_pause().size == FRAME_SAMPLES + TRAILING
    assert recording.until_pause()[-1] == 0
    for number in range(2, 20):
        recording.add(frame(number))
    assert recording.until_pause().size == FRAME_SAMPLES + TRAILING
    assert recording.until_pause()[-1] == 6


def test_time_in_which_nothing_was_sent_is_silence_within_an_utterance() -> None:
    recording = recorded(1)
    recording.begin()
    recording.add_silence(0.5)
    recording.add(frame(2))
    assert recording.so_far().size == 2 * FRAME_SAMPLES + HEARING_RATE // 2
    assert np.abs(recording.so_far()[FRAME_SAMPLES:-FRAME_SAMPLES]).max() == 0


def test_what_was_long_before_an_utterance_is_not_part_of_it() -> None:
    recording = recorded(1, 2)
    recording.add_silence(3.0)
    recording.add(frame(3))
    recording.begin()
    assert frames_in(recording.so_far()) == [3]


def test_what_was_taken_is_not_part_of_the_next_one_but_for_what_that_begins_with() -> None:
    recording = recorded(1, 2, 3, preroll_frames=9)
    recording.begin()
    recording.mark_voice()
    assert frames_in(recording.take(1)) == [1, 2]
    recording.add(frame(4))
    assert frames_in(recording.so_far()) == [3, 4]
    recording.mark_voice()
    assert recording.take(0).size == 2 * FRAME_SAMPLES + TRAILING
    recording.add(frame(5))
    recording.begin()
    assert frames_in(recording.so_far()) == [5]


def test_the_end_of_one_utterance_is_the_moment_before_the_next() -> None:
    recording = recorded(1)
    recording.begin()
    for number in range(2, 9):
        recording.add(frame(number))
    recording.discard()
    recording.add(frame(9))
    recording.begin()
    assert frames_in(recording.so_far()) == [7, 8, 9]


def test_without_an_utterance_there_is_no_audio() -> None:
    recording = recorded(1, 2)
    assert recording.so_far().size == 0
    recording.discard()
    assert recording.so_far().size == 0
