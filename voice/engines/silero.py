"""Voice activity by Silero VAD, whose model is in the wheel of pipecat-ai (MIT)."""

import numpy as np

from voice.engines.onnx import OnnxModel
from voice.engines.wheel_files import file_of_package
from voice.samples import FRAME_SAMPLES, HEARING_RATE, Samples

# What the model wants, as its inputs and https://github.com/snakers4/silero-vad tell.
_CONTEXT_SAMPLES = 64
"""The end of the frame before stands before each frame."""
_STATE_SHAPE = (2, 1, 128)


class SileroVad:
    """Tells voice from other sound: 0.1 ms for each frame of 32 ms, and 2 kB for each person."""

    name = "Silero VAD"

    def __init__(self) -> None:
        """Load the model.

        Raises:
            EngineError: If it is missing or broken.
        """
        path = file_of_package("pipecat", "audio", "vad", "data", "silero_vad.onnx")
        self._model = OnnxModel(path)
        self.stream().probability(np.zeros(FRAME_SAMPLES, np.float32))

    def stream(self) -> "SileroStream":
        """Return what judges one person."""
        return SileroStream(self._model)


class SileroStream:
    """Judges the audio of one person."""

    def __init__(self, model: OnnxModel) -> None:
        self._model = model
        self._rate = np.array(HEARING_RATE, np.int64)
        self._input = np.zeros((1, _CONTEXT_SAMPLES + FRAME_SAMPLES), np.float32)
        self._state = np.zeros(_STATE_SHAPE, np.float32)

    def probability(self, frame: Samples) -> float:
        """Return how likely a frame is voice, from 0 to 1."""
        self._input[0, _CONTEXT_SAMPLES:] = frame
        answer, self._state = self._model.run(
            {"input": self._input, "state": self._state, "sr": self._rate}
        )
        self._input[0, :_CONTEXT_SAMPLES] = frame[-_CONTEXT_SAMPLES:]
        return float(answer[0, 0])

    def reset(self) -> None:
        """Forget what was heard so far."""
        self._input[:] = 0
        self._state = np.zeros(_STATE_SHAPE, np.float32)
