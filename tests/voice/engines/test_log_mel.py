import importlib.util
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.fakes.real_models import two_cities
from voice.engines.log_mel import BANDS, FRAMES, log_mel
from voice.engines.wheel_files import file_of_package
from voice.samples import Samples

WINDOW = 128_000


@cache
def _reference() -> Any:
    """Pipecat's own code, loaded by its path: the package itself cannot be imported."""
    path = file_of_package("pipecat", "audio", "turn", "smart_turn", "_whisper_features.py")
    spec = importlib.util.spec_from_file_location("reference_features", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def reference_features(audio: Samples) -> npt.NDArray[np.float32]:
    window = audio[-WINDOW:]
    padded = np.pad(window, (WINDOW - window.size, 0))
    features: npt.NDArray[np.float32] = _reference().compute_whisper_log_mel_features(padded)
    return features


@pytest.mark.parametrize(
    "samples",
    [
        0,
        1,
        160,
        199,
        200,
        201,
        16_000,
        32_123,
        127_599,
        127_801,
        127_999,
        128_000,
        128_001,
        200_000,
    ],
)
def test_they_are_those_that_the_model_was_trained_on(samples: int) -> None:
    audio = two_cities()[20_000 : 20_000 + samples]

    features = log_mel(audio)

    assert features.shape == (BANDS, FRAMES)
    assert features.dtype == np.float32
    np.testing.assert_allclose(features, reference_features(audio), atol=1e-4)


def test_silence_and_a_constant_are_no_special_case() -> None:
    for level in (0.0, 0.5):
        audio = np.full(48_000, level, np.float32)
        np.testing.assert_allclose(log_mel(audio), reference_features(audio), atol=1e-4)
