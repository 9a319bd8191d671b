"""Brings audio to the rate of speech, by the `av` package."""

import av
import numpy as np

from voice.samples import SPEECH_RATE, Samples

_NOTHING: Samples = np.zeros(0, np.float32)


class Resampler:
    """Takes the audio of one speech piece by piece, and gives it at `SPEECH_RATE`."""

    def __init__(self) -> None:
        self._resampler = av.AudioResampler(format="flt", layout="mono", rate=SPEECH_RATE)

    def feed(self, samples: Samples, rate: int) -> Samples:
        """Take mono audio of some rate, which must not change."""
        frame = av.AudioFrame.from_ndarray(
            np.ascontiguousarray(samples[None], np.float32), format="flt", layout="mono"
        )
        frame.sample_rate = rate
        return self.feed_frame(frame)

    def feed_frame(self, frame: av.AudioFrame) -> Samples:
        """Take a frame as a decoder gave it."""
        return _samples(self._resampler.resample(frame))

    def finish(self) -> Samples:
        """Return the rest, a few milliseconds."""
        return _samples(self._resampler.resample(None))


def _samples(frames: list[av.AudioFrame]) -> Samples:
    if not frames:
        return _NOTHING
    return np.concatenate([np.asarray(frame.to_ndarray()[0], np.float32) for frame in frames])
