"""Makes an engine's audio fit to be heard: without silence around it, and evenly loud."""

from dataclasses import dataclass

import numpy as np

from voice.opus import PACKET_SAMPLES, OpusEncoder
from voice.samples import SPEECH_RATE, Samples

_NOTHING: Samples = np.zeros(0, np.float32)
_RAMP: Samples = np.linspace(0, 1, PACKET_SAMPLES, endpoint=False, dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioOptions:
    """How speech is made fit to be heard."""

    leading_seconds: float = 0.02
    """How much of the silence before it is kept."""
    trailing_seconds: float = 0.12
    """How much of the silence after it is kept."""
    silence: float = 0.004
    """The amplitude under which audio is silence: -48 dB of the loudest that there can be."""
    loudness: float = 0.1
    """How loud speech is on average, pauses left out: -20 dB."""
    ceiling: float = 0.84
    """The highest amplitude: -1.5 dB, as decoding Opus may go a little beyond what went in."""
    most_gain: float = 4.0
    """By how much it is made louder, or softer, at most: 12 dB."""


DEFAULT_AUDIO = AudioOptions()


class Trimmer:
    """Leaves out the silence before and after a chunk of speech; pauses in it are kept."""

    def __init__(self, options: AudioOptions = DEFAULT_AUDIO) -> None:
        self._options = options
        self._silence = _NOTHING
        self._has_begun = False
        self._skipped = 0

    @property
    def skipped_seconds(self) -> float:
        """How much was left out before the first sound."""
        return self._skipped / SPEECH_RATE

    def feed(self, samples: Samples) -> Samples:
        """Take some more audio, and return what is certain not to be silence at the end."""
        audio = np.concatenate([self._silence, samples])
        loud = np.flatnonzero(np.abs(samples) > self._options.silence)
        if not loud.size:
            self._silence = audio
            return _NOTHING
        end = len(self._silence) + int(loud[-1]) + 1
        start = 0 if self._has_begun else self._leading(len(self._silence) + int(loud[0]))
        self._silence = audio[end:]
        return audio[start:end]

    def _leading(self, first_loud: int) -> int:
        self._has_begun = True
        self._skipped = max(0, first_loud - int(self._options.leading_seconds * SPEECH_RATE))
        return self._skipped

    def finish(self) -> Samples:
        """Return what is kept of the silence at the end, if there was any sound before."""
        kept = int(self._options.trailing_seconds * SPEECH_RATE) if self._has_begun else 0
        rest, self._silence = self._silence[:kept], _NOTHING
        return rest


class Leveller:
    """Brings speech to one loudness, slowly, without ever clipping it.

    It learns how loud a voice is, and keeps that from one chunk to the next.
    """

    _KNOWN_AFTER = 100
    """After how many frames of voice the average moves slowly: 2 s."""
    _ASSUMED_FRAMES = 15
    """How much weight the assumption has that a voice is as loud as it should be."""
    _STEP = 1.015
    """By how much the gain changes in a frame at most: 6 dB a second."""
    _VOICE = 0.1
    """How loud a frame must be, of the average, to count as voice and not as a pause."""

    def __init__(self, options: AudioOptions = DEFAULT_AUDIO) -> None:
        self._options = options
        self._power = options.loudness**2
        self._frames = self._ASSUMED_FRAMES
        self._wanted = 1.0
        self._held: Samples | None = None
        self._held_limit = 1.0
        self._gain = 1.0

    def feed(self, frame: Samples) -> Samples | None:
        """Take the next frame of `PACKET_SAMPLES`, and return the one before it, made even.

        For the first one there is none to return.
        """
        self._learn(frame)
        limit = self._limit(frame)
        held_limit, self._held_limit = self._held_limit, limit
        if self._held is None:
            self._held, self._gain = frame, min(self._wanted, limit)
            return None
        return self._even(min(self._wanted, held_limit, limit), frame)

    def finish(self) -> Samples | None:
        """Return the frame that was kept back; the next one begins a new chunk."""
        return None if self._held is None else self._even(self._gain, None)

    def _even(self, gain: float, following: Samples | None) -> Samples:
        assert self._held is not None
        ramp = self._gain + (gain - self._gain) * _RAMP
        even: Samples = np.multiply(self._held, ramp, dtype=np.float32)
        self._held, self._gain = following, gain
        return even

    def _limit(self, frame: Samples) -> float:
        peak = float(np.max(np.abs(frame)))
        return self._options.ceiling / peak if peak else self._options.most_gain

    def _learn(self, frame: Samples) -> None:
        power = float(np.dot(frame, frame)) / len(frame)
        if power < self._power * self._VOICE**2 or power < self._options.silence**2:
            return
        self._frames = min(self._frames + 1, self._KNOWN_AFTER)
        self._power += (power - self._power) / self._frames
        most = self._options.most_gain
        target = min(max(self._options.loudness / self._power**0.5, 1 / most), most)
        self._wanted = min(max(target, self._wanted / self._STEP), self._wanted * self._STEP)


class Packer:
    """Makes the Opus packets of a chunk: trimmed, evened, and cut into frames."""

    def __init__(
        self, encoder: OpusEncoder, leveller: Leveller, options: AudioOptions = DEFAULT_AUDIO
    ) -> None:
        """Start a chunk; encoder and leveller go on from the chunk before."""
        self._encoder = encoder
        self._leveller = leveller
        self._trimmer = Trimmer(options)
        self._rest = _NOTHING

    @property
    def skipped_seconds(self) -> float:
        """How much silence was left out before the first packet."""
        return self._trimmer.skipped_seconds

    def feed(self, samples: Samples) -> list[bytes]:
        """Take some more audio of `SPEECH_RATE`, and return the packets that are complete."""
        return self._packets(self._trimmer.feed(samples))

    def finish(self) -> list[bytes]:
        """Return the last packets, filled up with silence."""
        ending = self._trimmer.finish()
        missing = -(len(self._rest) + len(ending)) % PACKET_SAMPLES
        packets = self._packets(np.concatenate([ending, np.zeros(missing, np.float32)]))
        last = self._leveller.finish()
        return packets if last is None else [*packets, self._encoder.encode(last)]

    def _packets(self, samples: Samples) -> list[bytes]:
        audio = np.concatenate([self._rest, samples])
        whole = len(audio) - len(audio) % PACKET_SAMPLES
        self._rest = audio[whole:]
        frames = (
            self._leveller.feed(audio[at : at + PACKET_SAMPLES])
            for at in range(0, whole, PACKET_SAMPLES)
        )
        return [self._encoder.encode(frame) for frame in frames if frame is not None]
