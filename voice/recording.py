"""The audio of what one person is saying, and of the moment before they began."""

from collections import deque
from collections.abc import Sequence
from typing import Final

import numpy as np

from voice.samples import FRAME_SAMPLES, HEARING_RATE, Samples

_TRAILING_SAMPLES: Final = round(0.16 * HEARING_RATE)
"""With so much silence behind the voice, the models judge best."""
_LONGEST_SILENCE_SECONDS: Final = 1.5
"""No pause within an utterance is longer; this is only a bound."""


class Recording:
    """Audio of `HEARING_RATE`, kept from a little before the voice began.

    What is kept is bounded by whoever cuts utterances: nothing but the last `preroll_frames` is
    kept while nobody talks.
    """

    def __init__(self, preroll_frames: int) -> None:
        self._preroll = deque[Samples](maxlen=preroll_frames)
        self._pieces: list[Samples] | None = None
        self._length = 0
        """How many samples all pieces have."""
        self._voice_ends = 0
        """How many there were when the voice was last heard."""

    @property
    def is_open(self) -> bool:
        """Whether an utterance is being recorded."""
        return self._pieces is not None

    def add(self, frame: Samples) -> None:
        """Take the next frame of audio."""
        if self._pieces is None:
            self._preroll.append(frame)
        else:
            self._pieces.append(frame)
            self._length += frame.size

    def add_silence(self, seconds: float) -> None:
        """Know that nothing was sent for so long."""
        if self._pieces is None:
            # What was before has nothing to do with what comes.
            self._preroll.clear()
            return
        count = round(min(seconds, _LONGEST_SILENCE_SECONDS) * HEARING_RATE)
        self._pieces.append(np.zeros(count, np.float32))
        self._length += count

    def begin(self) -> None:
        """Record an utterance, which began with the newest frames; does nothing if it is open."""
        if self._pieces is None:
            self._keep(list(self._preroll))
            self._preroll.clear()

    def mark_voice(self) -> None:
        """Know that the newest frame is voice."""
        self._voice_ends = self._length

    def so_far(self) -> Samples:
        """Return all of the utterance up to now."""
        return _joined(self._pieces or ())

    def until_pause(self) -> Samples:
        """Return the utterance up to its last voice, and 160 ms of what came after that."""
        audio = _joined(self._pieces or ())[: self._voice_ends + _TRAILING_SAMPLES]
        missing = self._voice_ends + _TRAILING_SAMPLES - audio.size
        return np.concatenate([audio, np.zeros(missing, np.float32)])

    def take(self, carried_frames: int) -> Samples:
        """End the utterance, and return it; its last frames are those that the next begins with."""
        if carried_frames == 0:
            audio = self.until_pause()
            # Not kept as what was before the next one: that would begin with the same words.
            self._keep(None)
            return audio
        pieces = self._pieces or []
        self._keep(pieces[-carried_frames:])
        return _joined(pieces[:-carried_frames])

    def discard(self) -> None:
        """End the utterance, and forget it."""
        frames = [piece for piece in self._pieces or () if piece.size == FRAME_SAMPLES]
        self._preroll.extend(frames)
        self._keep(None)

    def _keep(self, pieces: list[Samples] | None) -> None:
        self._pieces = pieces
        self._length = self._voice_ends = sum(piece.size for piece in pieces or ())


def _joined(pieces: Sequence[Samples]) -> Samples:
    return np.concatenate(pieces) if pieces else np.zeros(0, np.float32)
