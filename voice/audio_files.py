"""Reads audio from files of any format, by the FFmpeg that comes with the `av` package."""

from pathlib import Path

import av
import numpy as np
from av.error import FFmpegError

from voice.errors import EngineError
from voice.samples import HEARING_RATE, Samples

_MOST_SECONDS = 3_600


def read_audio(path: Path) -> Samples:
    """Return the audio in a file, as mono of `HEARING_RATE`; at most its first hour.

    Raises:
        EngineError: If it cannot be read, or holds no audio.
    """
    try:
        with av.open(str(path)) as container:
            if not container.streams.audio:
                raise EngineError(f"{path} holds no audio")
            resampler = av.AudioResampler(format="fltp", rate=HEARING_RATE)
            pieces: list[Samples] = []
            count = 0
            for frame in container.decode(audio=0):
                pieces += [_mono(made) for made in resampler.resample(frame)]
                count += pieces[-1].size if pieces else 0
                if count > _MOST_SECONDS * HEARING_RATE:
                    break
            pieces += [_mono(made) for made in resampler.resample(None)]
    except (OSError, FFmpegError) as error:
        raise EngineError(f"{path} cannot be read: {error.strerror or error}") from error
    if not pieces:
        raise EngineError(f"{path} holds no audio")
    return np.concatenate(pieces)


def _mono(frame: av.AudioFrame) -> Samples:
    # Not by the resampler: it adds the channels up without keeping them from clipping.
    return np.asarray(frame.to_ndarray().mean(axis=0), np.float32)
