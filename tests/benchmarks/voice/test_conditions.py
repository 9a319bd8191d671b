import numpy as np
import pytest

from benchmarks.voice.clips import Clip
from benchmarks.voice.conditions import arrivals, in_noise
from voice.events import SILENCE
from voice.samples import HEARING_RATE

SECOND = np.random.default_rng(1).uniform(-0.1, 0.1, HEARING_RATE).astype(np.float32)


def test_packets_come_in_shortly_after_they_were_said_and_end_with_silence() -> None:
    packets = arrivals(SECOND, seed=3)

    assert [packet.number for packet in packets] == list(range(55))
    assert [packet.opus == SILENCE for packet in packets] == [False] * 50 + [True] * 5
    assert all(0 <= packet.at - (packet.number + 1) * 0.02 <= 0.012 for packet in packets)


def test_some_packets_are_lost_always_the_same_ones() -> None:
    first, again = (arrivals(SECOND, loss=0.15, seed=3) for _ in range(2))

    assert first == again
    assert 3 <= 55 - len(first) <= 15


def test_noise_is_as_much_softer_than_the_voice_as_was_asked_for() -> None:
    clip = Clip(name="noise", text="", audio=SECOND)

    heard = in_noise(clip, decibels=10.0, seed=1)

    noise = heard.copy()
    around = (heard.size - SECOND.size) // 2
    noise[around:-around] -= SECOND
    ratio = float(np.mean(np.square(SECOND)) / np.mean(np.square(noise)))
    assert 10 * np.log10(ratio) == pytest.approx(10.0, abs=0.1)
