"""End of turn by smart-turn v3, whose model is in the wheel of pipecat-ai (BSD-2-Clause)."""

import numpy as np

from voice.engines.log_mel import log_mel
from voice.engines.onnx import OnnxModel
from voice.engines.wheel_files import file_of_package
from voice.samples import HEARING_RATE, Samples

_FILE = "smart-turn-v3.2-cpu.onnx"


class SmartTurn:
    """Tells by its sound whether somebody has finished: of the last 8 seconds, in 60 ms.

    It is best asked after 150 to 250 ms of silence: the more silence, the likelier it says yes.
    """

    name = "smart-turn v3.2"

    def __init__(self) -> None:
        """Load the model.

        Raises:
            EngineError: If it is missing or broken.
        """
        path = file_of_package("pipecat", "audio", "turn", "smart_turn", "data", _FILE)
        self._model = OnnxModel(path)
        self.probability(np.zeros(HEARING_RATE, np.float32))

    def probability(self, audio: Samples) -> float:
        """Return how likely the utterance is over, from 0 to 1."""
        (answer,) = self._model.run({"input_features": log_mel(audio)[None]})
        return float(answer.reshape(-1)[0])
