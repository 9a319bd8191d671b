"""Speaks a text, and makes an mp3 of it, with the times of its words."""

import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, cast
from xml.sax.saxutils import escape

import av
import numpy as np
import numpy.typing as npt

from simulator.edge_tts.requests import SpeechRequest

RATE = 24_000
BITS_PER_SECOND = 48_000
_FRAME = 576
"""How many samples a frame of mp3 has at this rate."""
_PIECE = _FRAME * 20
_TICKS_PER_SECOND = 10_000_000
_WORD = re.compile(r"[\w'\u2019$%&-]+(?:[.,:]\w+)*")
_SENTENCE = re.compile(r"\S.*?(?:[.!?](?=\s|$)|$)", re.DOTALL)
_SOUND = 0.004
_LEADING_SECONDS = 0.1
_TRAILING_SECONDS = 0.8
"""How much silence the service has around speech, about."""
_model_in_use = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """When a word, or a sentence, is said."""

    kind: str
    text: str
    offset_seconds: float
    seconds: float

    def metadata(self) -> Mapping[str, Any]:
        """Return it as the service tells it; it escapes texts as in XML."""
        text = escape(self.text)
        return {
            "Type": self.kind,
            "Data": {
                "Offset": int(self.offset_seconds * _TICKS_PER_SECOND),
                "Duration": int(self.seconds * _TICKS_PER_SECOND),
                "text": {"Text": text, "Length": len(text), "BoundaryType": self.kind},
            },
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """A text as it was spoken."""

    audio: npt.NDArray[np.float32]
    """Mono, of `RATE`; nothing if there was nothing to say."""
    boundaries: tuple[Boundary, ...]
    """Of its words or its sentences, in order."""

    @property
    def mp3_size(self) -> int:
        """How many bytes of mp3 that makes, about."""
        return len(self.audio) * BITS_PER_SECOND // RATE // 8

    def mp3(self) -> Iterator[bytes]:
        """Yield the mp3 in pieces of half a second; each takes some 5 ms."""
        # av's stubs leave open what a packet is made of.
        codec: Any = av.CodecContext.create("libmp3lame", "w")
        codec.sample_rate, codec.format, codec.layout = RATE, "fltp", "mono"
        codec.bit_rate = BITS_PER_SECOND
        codec.options = {"compression_level": "7"}
        padded = np.concatenate([self.audio, np.zeros(-len(self.audio) % _FRAME, np.float32)])
        for start in range(0, len(padded), _PIECE):
            packets = [
                packet
                for at in range(start, min(start + _PIECE, len(padded)), _FRAME)
                for packet in codec.encode(_frame(padded[at : at + _FRAME], at))
            ]
            yield b"".join(map(bytes, packets))
        yield b"".join(map(bytes, codec.encode(None)))


def _frame(samples: npt.NDArray[np.float32], at: int) -> av.AudioFrame:
    frame = av.AudioFrame.from_ndarray(np.clip(samples[None], -1, 1), format="fltp", layout="mono")
    frame.sample_rate, frame.pts = RATE, at
    return frame


def speech_of(request: SpeechRequest) -> Speech:
    """Speak a text with the one voice that there is; takes some 20 ms for a sentence."""
    with _model_in_use:
        audio = cast("npt.NDArray[np.float32]", _model()(request.text, speed=request.rate, seed=0))
    loud = np.flatnonzero(np.abs(audio) > _SOUND)
    if not loud.size:
        return Speech(audio=np.zeros(0, np.float32), boundaries=())
    voiced = audio[loud[0] : loud[-1] + 1] * request.volume
    lead, trail = (
        np.zeros(int(seconds * RATE), np.float32)
        for seconds in (_LEADING_SECONDS, _TRAILING_SECONDS)
    )
    return Speech(
        audio=np.concatenate([lead, voiced, trail]),
        boundaries=tuple(_boundaries(request, len(voiced) / RATE)),
    )


def load() -> None:
    """Load the voice, if that has not been done: the first request is as quick as others then."""
    with _model_in_use:
        _model()("Ready.")


@cache
def _model() -> Any:
    import hibari  # type: ignore[import-untyped]  # noqa: PLC0415 - only here: it takes a while  # pyright: ignore[reportMissingTypeStubs]

    return cast("Any", hibari).Hibari(threads=1)


def _boundaries(request: SpeechRequest, seconds: float) -> Iterator[Boundary]:
    """Yield where words or sentences are, as if each letter took the same time."""
    pattern = _WORD if request.with_words else _SENTENCE
    per_letter = seconds / max(len(request.text), 1)
    for found in pattern.finditer(request.text):
        yield Boundary(
            kind="WordBoundary" if request.with_words else "SentenceBoundary",
            text=found[0],
            offset_seconds=_LEADING_SECONDS + found.start() * per_letter,
            seconds=len(found[0]) * per_letter,
        )
