"""Decodes mp3 while it arrives, by the `av` package."""

from collections.abc import Sequence
from typing import Any

import av
import numpy as np
from av.error import FFmpegError

from voice.resampling import Resampler
from voice.samples import Samples

_NOTHING: Samples = np.zeros(0, np.float32)


class Mp3Error(Exception):
    """What was received is no mp3."""


class Mp3Decoder:
    """Takes the bytes of one stream as they come, and gives audio of `SPEECH_RATE`."""

    def __init__(self) -> None:
        # av's stubs leave open what a packet is made of.
        self._codec: Any = av.CodecContext.create("mp3float", "r")
        self._resampler = Resampler()

    def feed(self, data: bytes) -> Samples:
        """Return the audio of the frames that are complete; it may be none.

        Raises:
            Mp3Error: If it is no mp3.
        """
        # For the parser, no bytes are the end.
        return self._decoded(self._codec.parse(data) if data else [])

    def finish(self) -> Samples:
        """Return the audio that is left; nothing may be fed thereafter.

        Raises:
            Mp3Error: If it is no mp3.
        """
        rest = self._decoded([*self._codec.parse(None), None])
        return np.concatenate([rest, self._resampler.finish()])

    def _decoded(self, packets: Sequence[object]) -> Samples:
        try:
            frames = [frame for packet in packets for frame in self._codec.decode(packet)]
        except FFmpegError as error:
            raise Mp3Error(f"this is no mp3: {error}") from error
        pieces = [self._resampler.feed_frame(frame) for frame in frames]
        return np.concatenate([_NOTHING, *pieces])
