"""The ear for one person: their packets become frames, and frames become utterances."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from voice.endpointer import Endpointer, EndpointerOptions
from voice.endpointer_steps import Discard, EndpointerStep, Judge, Withdraw, WriteDown
from voice.engines.protocols import EngineError, VoiceStream
from voice.events import HeardPacket, HearingEvent, VoiceBegan, VoiceWentOn
from voice.jitter import JitterBuffer, Lost, Playable, Received, Silent
from voice.link import PACKET_SECONDS
from voice.opus import OpusDecoder, OpusError
from voice.recording import Recording
from voice.samples import FRAME_SAMPLES, FRAME_SECONDS, Samples

_FORGOTTEN_AFTER_SECONDS: Final = 0.3
"""After so long without audio, voice is judged without regard to what was before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EarOptions:
    """What counts as voice, and what as an utterance."""

    voice_from: float = 0.5
    """How likely a frame has to be voice to count as such."""
    preroll_seconds: float = 0.3
    """So much is kept of what was before the voice: soft beginnings are noticed late."""
    endpointer: EndpointerOptions = field(default_factory=EndpointerOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listen:
    """Have audio written down, and, unless it is over, judged whether it is."""

    number: int
    """To be given back with what comes of it."""
    audio: Samples
    """Of `HEARING_RATE`."""
    is_over: bool


EarStep = HearingEvent | Listen | Withdraw


class Ear:
    """Hears one person. It does no work that takes long: `Listen` asks for that."""

    def __init__(
        self,
        person_id: int,
        stream: VoiceStream,
        options: EarOptions,
        *,
        counts: Counter[str],
        judged: Callable[[EngineError | None], None],
    ) -> None:
        """Make an ear.

        Args:
            person_id: Whom it hears.
            stream: What tells their voice from other sound.
            options: What counts as voice, and what as an utterance.
            counts: Where packets are counted, by what became of them.
            judged: Told that `stream` failed, and, with None, that it works.
        """
        self.person_id = person_id
        self._stream = stream
        self._options = options
        self._counts = counts
        self._tell_judged = judged
        self._jitter = JitterBuffer(counts)
        self._decoder = OpusDecoder()
        self._recording = Recording(
            round(options.preroll_seconds / FRAME_SECONDS) + options.endpointer.onset_frames
        )
        self._endpointer = Endpointer(person_id, options.endpointer)
        self._frame = np.zeros(FRAME_SAMPLES, np.float32)
        self._filled = 0
        self._audio_ends_at: float | None = None
        """Set while nothing is sent: up to when there was audio."""
        self._heard_at = 0.0

    @property
    def next_at(self) -> float | None:
        """When `passed` has to be called at the latest; None while nothing is going on."""
        times = [at for at in (self._jitter.next_at, self._endpointer.next_at) if at is not None]
        return min(times, default=None)

    def packet(self, packet: HeardPacket) -> list[EarStep]:
        """Take a packet that has arrived."""
        self._jitter.put(packet)
        return self._played(self._jitter.due(packet.at))

    def passed(self, now: float) -> list[EarStep]:
        """Do what is due by the time alone."""
        steps = self._played(self._jitter.due(now))
        return steps + self._prepared(self._endpointer.passed(now))

    def written(self, number: int, text: str | None, *, seconds: float, at: float) -> list[EarStep]:
        """Take a transcript, which took so many seconds; None if it could not be made."""
        return self._prepared(self._endpointer.written(number, text, seconds=seconds, at=at))

    def judged(
        self, number: int, over: float | None, *, seconds: float, at: float
    ) -> list[EarStep]:
        """Take how likely they have finished; None if that could not be told."""
        return self._prepared(self._endpointer.judged(number, over, seconds=seconds, at=at))

    def so_far(self) -> tuple[Samples, float] | None:
        """Return what they are saying, and how many seconds of it are voice; None if nothing."""
        if not self._endpointer.is_open:
            return None
        return self._recording.so_far(), self._endpointer.voiced_seconds

    def left(self, at: float) -> list[EarStep]:
        """End what they are saying: nothing more will come."""
        return self._prepared(self._endpointer.left(at))

    def silenced(self, at: float) -> list[EarStep]:
        """Forget what they are saying."""
        return self._prepared(self._endpointer.silenced(at))

    # --- From packets to frames. ----------------------------------------------------------------

    def _played(self, items: Sequence[Playable]) -> list[EarStep]:
        steps: list[EarStep] = []
        for item in items:
            match item:
                case Received(opus=opus, at=at):
                    steps += self._audio(self._decoded(opus), at)
                case Lost(next_opus=next_opus, at=at):
                    steps += self._audio(self._replaced(next_opus), at)
                case Silent(since=since):
                    steps += self._fell_silent(since)
        return steps

    def _decoded(self, opus: bytes) -> Samples:
        try:
            return self._decoder.decode(opus)
        except OpusError:
            self._counts["broken"] += 1
            return self._decoder.conceal()

    def _replaced(self, next_opus: bytes | None) -> Samples:
        if next_opus is not None:
            try:
                samples = self._decoder.recover(next_opus)
            except OpusError:
                # The next packet is counted as broken when its turn has come.
                return self._replaced(None)
            self._counts["recovered"] += 1
            return samples
        self._counts["concealed"] += 1
        return self._decoder.conceal()

    def _audio(self, samples: Samples, at: float) -> list[EarStep]:
        if self._audio_ends_at is not None:
            self._resumed(at - PACKET_SECONDS - self._audio_ends_at)
        self._heard_at = at
        steps: list[EarStep] = []
        taken = 0
        while taken < samples.size:
            count = min(samples.size - taken, FRAME_SAMPLES - self._filled)
            self._frame[self._filled : self._filled + count] = samples[taken : taken + count]
            taken += count
            self._filled += count
            if self._filled == FRAME_SAMPLES:
                steps += self._framed(at)
        return steps

    def _resumed(self, silence_seconds: float) -> None:
        self._audio_ends_at = None
        self._recording.add_silence(max(silence_seconds, 0.0))
        if silence_seconds > _FORGOTTEN_AFTER_SECONDS:
            self._stream.reset()

    def _fell_silent(self, since: float) -> list[EarStep]:
        self._audio_ends_at = self._heard_at
        steps: list[EarStep] = []
        if self._filled:
            self._frame[self._filled :] = 0
            steps = self._framed(self._heard_at)
        return steps + self._prepared(self._endpointer.fell_silent(since))

    def _framed(self, at: float) -> list[EarStep]:
        frame = self._frame.copy()
        self._filled = 0
        self._recording.add(frame)
        is_voice = self._probability(frame) >= self._options.voice_from
        return self._prepared(self._endpointer.frame(is_voice=is_voice, at=at))

    def _probability(self, frame: Samples) -> float:
        try:
            probability = self._stream.probability(frame)
        except EngineError as error:
            self._tell_judged(error)
            return 0.0
        self._tell_judged(None)
        return probability

    # --- What is to be done. --------------------------------------------------------------------

    def _prepared(self, steps: Sequence[EndpointerStep]) -> list[EarStep]:
        """Give the steps their audio, before there is more of it."""
        prepared: list[EarStep] = []
        for step in steps:
            match step:
                case Judge(number=number):
                    audio = self._recording.until_pause()
                    prepared.append(Listen(number=number, audio=audio, is_over=False))
                case WriteDown(number=number, carried_frames=carried):
                    audio = self._recording.take(carried)
                    prepared.append(Listen(number=number, audio=audio, is_over=True))
                case Discard():
                    self._recording.discard()
                case VoiceBegan():
                    self._recording.begin()
                    prepared.append(step)
                case VoiceWentOn():
                    self._recording.mark_voice()
                    prepared.append(step)
                case _:
                    prepared.append(step)
        return prepared
