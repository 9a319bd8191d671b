"""Opus, by the libopus that comes with the `av` package: no package of the system is needed.

Not by `av` itself: its decoder cannot conceal a lost packet, and takes an empty one as the end.
"""

import ctypes
import ctypes.util
import weakref
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import numpy as np

from voice.engines.protocols import EngineError
from voice.samples import HEARING_RATE, SPEECH_RATE, Samples

PACKET_SAMPLES: Final = SPEECH_RATE // 50
"""How many samples of `SPEECH_RATE` an encoded packet carries: 20 ms."""

# From opus_defines.h; none of these has changed since libopus 1.0.
_VOIP: Final = 2048
_SIGNAL_VOICE: Final = 3001
_SET_BITRATE: Final = 4002
_SET_COMPLEXITY: Final = 4010
_SET_INBAND_FEC: Final = 4012
_SET_PACKET_LOSS_PERCENT: Final = 4014
_SET_SIGNAL: Final = 4024

_LONGEST_PACKET_SECONDS: Final = 0.12
"""The most audio that one packet may carry (RFC 6716, 2.1.4)."""
_LARGEST_PACKET_BYTES: Final = 1275 * 3 + 7
"""The recommended size of the buffer for one packet (opus.h)."""
_EXPECTED_LOSS_PERCENT: Final = 10
"""So much of what a person hears again from the next packet costs little quality."""
_COMPLEXITY: Final = 1
"""A third of the CPU of 10; at 64 kbit/s the spectrum is no further from that of the original, with
and without loss."""


class OpusError(Exception):
    """A packet is not Opus, or samples could not be encoded."""


class OpusDecoder:
    """Decodes the packets of one person to mono; not for several threads at once."""

    def __init__(self, rate: int = HEARING_RATE) -> None:
        self._library = opus_library()
        failure = ctypes.c_int()
        handle = self._library.opus_decoder_create(rate, 1, ctypes.byref(failure))
        if not handle:
            raise EngineError(f"libopus makes no decoder (error {failure.value})")
        self._handle = ctypes.c_void_p(handle)
        self._packet_samples = rate // 50
        self._buffer = np.empty(int(rate * _LONGEST_PACKET_SECONDS), np.float32)
        self._address = ctypes.c_void_p(self._buffer.ctypes.data)
        _freed_with(self, self._library.opus_decoder_destroy, self._handle)

    def decode(self, packet: bytes) -> Samples:
        """Return the audio of a packet.

        Raises:
            OpusError: If it is none.
        """
        # An empty packet would not be refused, but concealed.
        if not packet:
            raise OpusError("an empty packet")
        return self._decode(packet, self._buffer.size, from_next=False)

    def conceal(self, samples: int | None = None) -> Samples:
        """Return what may have been in a lost packet, going by what came before it.

        Args:
            samples: How many; None for 20 ms. Must be a multiple of 2.5 ms.
        """
        return self._decode(None, samples or self._packet_samples, from_next=False)

    def recover(self, next_packet: bytes) -> Samples:
        """Return the 20 ms of a lost packet from the one that came after it.

        That carries a coarse copy in most cases; where it does not, the loss is concealed. Decode
        the packet itself thereafter.

        Raises:
            OpusError: If it is none.
        """
        return self._decode(next_packet, self._packet_samples, from_next=True)

    def _decode(self, packet: bytes | None, room: int, *, from_next: bool) -> Samples:
        size = len(packet) if packet else 0
        count = self._library.opus_decode_float(
            self._handle, packet, size, self._address, room, int(from_next)
        )
        if count < 0:
            raise OpusError(_reason(count))
        return self._buffer[:count].copy()


class OpusEncoder:
    """Encodes mono speech to packets of 20 ms; not for several threads at once.

    The packets are mono: whoever decodes to stereo hears them on both sides (RFC 7587, 3.4). With
    two channels, libopus would prefer a mode that cannot repeat a lost packet in the next one.
    """

    def __init__(self, bitrate: int = 64_000) -> None:
        self._library = opus_library()
        failure = ctypes.c_int()
        handle = self._library.opus_encoder_create(SPEECH_RATE, 1, _VOIP, ctypes.byref(failure))
        if not handle:
            raise EngineError(f"libopus makes no encoder (error {failure.value})")
        self._handle = ctypes.c_void_p(handle)
        _freed_with(self, self._library.opus_encoder_destroy, self._handle)
        self._buffer = ctypes.create_string_buffer(_LARGEST_PACKET_BYTES)
        self._set(_SET_BITRATE, bitrate)
        self._set(_SET_COMPLEXITY, _COMPLEXITY)
        self._set(_SET_SIGNAL, _SIGNAL_VOICE)
        self._set(_SET_INBAND_FEC, 1)
        self._set(_SET_PACKET_LOSS_PERCENT, _EXPECTED_LOSS_PERCENT)

    def encode(self, samples: Samples) -> bytes:
        """Return the packet for `PACKET_SAMPLES` samples of `SPEECH_RATE`.

        Raises:
            OpusError: If there are more or fewer.
        """
        if samples.shape != (PACKET_SAMPLES,):
            raise OpusError(f"a packet has {PACKET_SAMPLES} samples, not {samples.shape}")
        audio = np.ascontiguousarray(samples, np.float32)
        size = self._library.opus_encode_float(
            self._handle,
            ctypes.c_void_p(audio.ctypes.data),
            PACKET_SAMPLES,
            self._buffer,
            _LARGEST_PACKET_BYTES,
        )
        if size < 0:
            raise OpusError(_reason(size))
        return self._buffer.raw[:size]

    def _set(self, request: int, value: int) -> None:
        # The value is one of the variable arguments: what it is has to be said here.
        code = self._library.opus_encoder_ctl(self._handle, request, ctypes.c_int(value))
        if code != 0:
            raise EngineError(f"libopus refuses setting {request}: {_reason(code)}")


@cache
def opus_library() -> ctypes.CDLL:
    """Return libopus, loaded once.

    Raises:
        EngineError: If there is none, or it cannot be loaded.
    """
    return load_library(_beside_av() or ctypes.util.find_library("opus"))


def load_library(path: str | None) -> ctypes.CDLL:
    """Return the libopus at a path; None if none was found.

    Raises:
        EngineError: If there is none, or it cannot be loaded.
    """
    if path is None:
        raise EngineError(
            "libopus was not found: install papercup[voice], or the system's libopus (libopus0)"
        )
    try:
        library = ctypes.CDLL(path)
        _declare(library)
    except (OSError, AttributeError) as error:
        raise EngineError(f"libopus at {path} cannot be used: {error}") from error
    return library


def opus_version() -> str:
    """Return what libopus calls itself, as `libopus 1.6.1`.

    Raises:
        EngineError: If there is none, or it cannot be loaded.
    """
    version: bytes = opus_library().opus_get_version_string()
    return version.decode()


def _beside_av() -> str | None:
    spec = find_spec("av")
    if spec is None or spec.origin is None:
        return None
    package = Path(spec.origin).parent
    # The name has a hash. Wheels keep their libraries in the first folder on Linux and Windows,
    # in the second one on macOS.
    for folder in (package.with_name("av.libs"), package / ".dylibs"):
        for path in sorted(folder.glob("*opus*")):
            return str(path)
    return None


def _declare(library: ctypes.CDLL) -> None:
    pointer, number = ctypes.c_void_p, ctypes.c_int
    library.opus_get_version_string.restype = ctypes.c_char_p
    library.opus_strerror.restype = ctypes.c_char_p
    library.opus_strerror.argtypes = [number]
    library.opus_decoder_create.restype = pointer
    library.opus_decoder_create.argtypes = [number, number, pointer]
    library.opus_decoder_destroy.restype = None
    library.opus_decoder_destroy.argtypes = [pointer]
    library.opus_decode_float.restype = number
    library.opus_decode_float.argtypes = [
        pointer, ctypes.c_char_p, number, pointer, number, number,
    ]  # fmt: skip
    library.opus_encoder_create.restype = pointer
    library.opus_encoder_create.argtypes = [number, number, number, pointer]
    library.opus_encoder_destroy.restype = None
    library.opus_encoder_destroy.argtypes = [pointer]
    library.opus_encode_float.restype = number
    library.opus_encode_float.argtypes = [pointer, pointer, number, ctypes.c_char_p, number]
    library.opus_encoder_ctl.restype = number
    # Only those arguments that it always has: the others are passed in another way on some systems.
    library.opus_encoder_ctl.argtypes = [pointer, number]


def _freed_with(
    owner: object, free: Callable[[ctypes.c_void_p], None], handle: ctypes.c_void_p
) -> None:
    # Not at exit: the process's memory goes anyway, and the library may be gone before.
    weakref.finalize(owner, free, handle).atexit = False


def _reason(code: int) -> str:
    message: bytes = opus_library().opus_strerror(code)
    return message.decode()
