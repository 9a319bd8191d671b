import numpy as np

from tests.fakes.real_models import real_models, two_cities
from voice.engines.protocols import VoiceStream
from voice.samples import FRAME_SAMPLES, Samples


def voiced_share(stream: VoiceStream, audio: Samples) -> float:
    ends = range(FRAME_SAMPLES, audio.size + 1, FRAME_SAMPLES)
    voiced = [stream.probability(audio[end - FRAME_SAMPLES : end]) >= 0.5 for end in ends]
    return sum(voiced) / len(voiced)


def test_a_voice_is_voice_and_noise_and_silence_are_not() -> None:
    activity = real_models().voice_activity
    noise = np.random.default_rng(1).normal(0, 0.05, 32_000).astype(np.float32)

    assert voiced_share(activity.stream(), two_cities()[20_000:84_000]) > 0.8
    assert voiced_share(activity.stream(), noise) == 0
    assert voiced_share(activity.stream(), np.zeros(32_000, np.float32)) == 0


def test_people_do_not_disturb_each_other() -> None:
    activity = real_models().voice_activity
    audio = two_cities()[20_000:52_000]
    frames = [audio[i : i + FRAME_SAMPLES] for i in range(0, 31_744, FRAME_SAMPLES)]
    silence = np.zeros(FRAME_SAMPLES, np.float32)
    alone, together, other = activity.stream(), activity.stream(), activity.stream()

    for frame in frames:
        expected = alone.probability(frame)
        other.probability(silence)
        assert together.probability(frame) == expected


def test_after_a_reset_it_judges_as_at_the_beginning() -> None:
    stream = real_models().voice_activity.stream()
    frame = two_cities()[30_000 : 30_000 + FRAME_SAMPLES]
    first = stream.probability(frame)

    stream.probability(frame)
    stream.reset()

    assert stream.probability(frame) == first
