"""Audio as numbers."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Samples: TypeAlias = npt.NDArray[np.float32]
"""Mono audio, one number from -1 to 1 for each sample."""

HEARING_RATE = 16_000
"""Samples per second of all that is heard: what the models want."""
SPEECH_RATE = 48_000
"""Samples per second of all that is spoken: what Opus wants."""
FRAME_SAMPLES = 512
"""How much is judged at once whether it is voice: 32 ms at `HEARING_RATE`."""
FRAME_SECONDS = FRAME_SAMPLES / HEARING_RATE
