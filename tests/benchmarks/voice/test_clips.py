import numpy as np
import pytest

from benchmarks.voice.clips import clip_of, packets_of
from voice.samples import HEARING_RATE, Samples


def sound(seconds: float) -> Samples:
    times = np.arange(round(seconds * HEARING_RATE)) / HEARING_RATE
    return (0.3 * np.sin(2 * np.pi * 300 * times)).astype(np.float32)


def silence(seconds: float) -> Samples:
    return np.zeros(round(seconds * HEARING_RATE), np.float32)


def test_a_clip_begins_and_ends_with_the_sound_and_is_as_loud_as_all_others() -> None:
    clip = clip_of("hum", "", np.concatenate([silence(0.5), sound(1.0), silence(0.7)]))

    assert clip.seconds == pytest.approx(1.03, abs=0.02)
    assert np.sqrt(np.mean(np.square(clip.audio))) == pytest.approx(0.08, rel=0.01)


def test_nothing_can_be_made_of_silence() -> None:
    with pytest.raises(ValueError, match="nothing to be heard"):
        clip_of("nothing", "", silence(1.0))


def test_a_packet_is_sent_for_each_20_ms() -> None:
    assert len(packets_of(sound(0.5))) == 25
