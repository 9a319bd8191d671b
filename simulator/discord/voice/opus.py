"""Opus by PyAV, as clients of Discord use it: 48 kHz, stereo, 20 ms a packet."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Protocol, SupportsBytes, TypeAlias, cast

import av
import numpy as np
import numpy.typing as npt

Samples: TypeAlias = npt.NDArray[np.float32]
"""Mono audio, one number from -1 to 1 for each sample."""

RATE = 48_000
PACKET_SAMPLES = 960
PACKET_SECONDS = PACKET_SAMPLES / RATE
_OPTIONS = {"frame_duration": "20", "application": "voip", "fec": "1", "packet_loss": "10"}


class _Encoder(Protocol):
    """PyAV's encoder, of whose types too little is told."""

    sample_rate: int
    layout: str
    format: str
    bit_rate: int
    time_base: Fraction
    options: dict[str, str]

    def open(self) -> None: ...

    def encode(self, frame: av.AudioFrame) -> list[SupportsBytes]: ...


class _Decoder(Protocol):
    """PyAV's decoder."""

    sample_rate: int
    layout: str

    def open(self) -> None: ...

    def decode(self, packet: object) -> list[av.AudioFrame]: ...


def encoded(samples: Samples, *, bit_rate: int = 64_000) -> tuple[bytes, ...]:
    """Return 48 kHz audio as packets; the last one is filled up with silence."""
    encoder = cast("_Encoder", av.CodecContext.create("libopus", "w"))
    encoder.sample_rate = RATE
    encoder.layout = "stereo"
    encoder.format = "flt"
    encoder.bit_rate = bit_rate
    encoder.time_base = Fraction(1, RATE)
    encoder.options = dict(_OPTIONS)
    encoder.open()
    return tuple(bytes(packet) for frame in _frames_of(samples) for packet in encoder.encode(frame))


def decoded(packets: Iterable[bytes]) -> Samples:
    """Return what packets of one sender sound like, one behind the other, at 48 kHz."""
    decoder = OpusDecoder()
    return joined([decoder.decode(packet) for packet in packets])


def joined(parts: Sequence[Samples]) -> Samples:
    """Return audio one behind the other."""
    return np.concatenate(parts) if parts else np.zeros(0, np.float32)


class OpusDecoder:
    """Decodes the packets of one sender."""

    def __init__(self) -> None:
        self._decoder = cast("_Decoder", av.CodecContext.create("libopus", "r"))
        self._decoder.sample_rate = RATE
        self._decoder.layout = "stereo"
        self._decoder.open()

    def decode(self, packet: bytes) -> Samples:
        """Return what a packet sounds like, at 48 kHz."""
        return joined([_mono(frame) for frame in self._decoder.decode(av.Packet(packet))])


def _frames_of(samples: Samples) -> Iterable[av.AudioFrame]:
    count = -(-len(samples) // PACKET_SAMPLES)
    padded = np.zeros(count * PACKET_SAMPLES, np.float32)
    padded[: len(samples)] = samples
    for number, block in enumerate(padded.reshape(count, PACKET_SAMPLES)):
        interleaved = np.repeat(block, 2).reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(interleaved, format="flt", layout="stereo")
        frame.sample_rate = RATE
        frame.pts = number * PACKET_SAMPLES
        yield frame


def _mono(frame: av.AudioFrame) -> Samples:
    values = frame.to_ndarray().astype(np.float32)
    if frame.format.name.startswith("s16"):
        values /= 32_768
    channels = values if frame.format.is_planar else values.reshape(-1, 2).T
    mono: Samples = channels.mean(axis=0, dtype=np.float32)
    return mono
