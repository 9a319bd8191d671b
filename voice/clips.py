"""Short sounds that are made once, and played often: a soft tone, and a word while it thinks."""

import asyncio
import logging
import re
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache
from itertools import chain
from types import MappingProxyType
from typing import Final

import numpy as np

from voice.engines.protocols import SpeechError, SpokenAudio, TextToSpeech
from voice.link import PACKET_SECONDS
from voice.opus import PACKET_SAMPLES, OpusEncoder
from voice.samples import SPEECH_RATE, Samples
from voice.speech_audio import Leveller, Packer
from voice.voices import Voices

logger = logging.getLogger(__name__)

FILLERS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "en": ("Let me see.", "One moment.", "Let me have a look."),
        "de": ("Mal sehen.", "Einen Moment.", "Ich sehe nach."),
        "fr": ("Voyons voir.", "Un instant.", "Je regarde."),
        "es": ("A ver.", "Un momento.", "Déjame ver."),
        "ja": ("そうですね。", "少々お待ちください。", "確認します。"),
        "ko": ("어디 볼까요.", "잠시만요.", "확인해 볼게요."),
    }
)
"""What is said while it thinks, by language."""

_LANGUAGE: Final = re.compile(r"(?<![A-Za-z])([a-z]{2,3})[-_][A-Z]{2}")

_TONE_PITCHES_HZ: Final = (660.0, 880.0)
"""A fourth upwards: E5 and A5."""
_TONE_SECONDS: Final = 0.09
"""For each of them."""
_TONE_AMPLITUDE: Final = 0.05
"""-26 dB: under the loudness of speech."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """Something short to be played."""

    text: str
    """What is said in it; empty for a tone."""
    packets: tuple[bytes, ...]

    @property
    def seconds(self) -> float:
        """How long it takes."""
        return len(self.packets) * PACKET_SECONDS


@cache
def tone() -> Clip:
    """Return the soft tone that tells that a turn was heard; 0.2 s."""
    audio = np.concatenate([_note(pitch) for pitch in _TONE_PITCHES_HZ])
    audio = np.concatenate([audio, np.zeros(-len(audio) % PACKET_SAMPLES, np.float32)])
    encoder = OpusEncoder()
    frames = audio.reshape(-1, PACKET_SAMPLES)
    return Clip(text="", packets=tuple(encoder.encode(frame) for frame in frames))


def _note(pitch_hz: float) -> Samples:
    at_seconds = np.arange(int(_TONE_SECONDS * SPEECH_RATE)) / SPEECH_RATE
    # A raised cosine has no edges that would click.
    envelope = 0.5 - 0.5 * np.cos(2 * np.pi * at_seconds / _TONE_SECONDS)
    wave = np.sin(2 * np.pi * pitch_hz * at_seconds)
    return (_TONE_AMPLITUDE * envelope * wave).astype(np.float32)


class Clips:
    """The tone, and the fillers in the voice of one line; those are made once for each voice."""

    def __init__(self, voices: Voices, shelf: "FillerShelf | None" = None) -> None:
        """Make none yet.

        Args:
            voices: What speaks on the line.
            shelf: Keeps the fillers of all lines; unset: of this one alone.
        """
        self._voices = voices
        self._shelf = shelf or FillerShelf()

    @property
    def tone(self) -> Clip:
        """The soft tone that tells that a turn was heard; 0.2 s."""
        return tone()

    def filler(self, index: int) -> Clip | None:
        """Return the filler of a number, which may be any; None if there is none in that voice."""
        clips = self._shelf.clips(self._voices.name)
        return clips[index % len(clips)] if clips else None

    async def prepare(self) -> None:
        """Make the fillers of the voices that may speak, where that is to be done.

        First of those that may at once, and then, when it is known, of the one that is wanted.
        """
        for engine in self._voices.engines:
            await self._shelf.prepare(engine)
        await self._voices.known()
        for engine in self._voices.engines:
            await self._shelf.prepare(engine)


class FillerShelf:
    """The fillers of each voice, by its name."""

    def __init__(self) -> None:
        self._clips: dict[str, tuple[Clip, ...]] = {}
        self._making = asyncio.Lock()

    def clips(self, voice_name: str) -> tuple[Clip, ...]:
        """Return the fillers in a voice; none if they have not been made."""
        return self._clips.get(voice_name, ())

    async def prepare(self, voice: TextToSpeech) -> None:
        """Make the fillers in a voice, unless they are there, or it cannot speak now."""
        async with self._making:
            if voice.name in self._clips:
                return
            try:
                clips = [await speech_clip(text, voice) for text in fillers_for(voice.name)]
            except SpeechError as error:
                logger.warning("%s cannot speak the fillers: %s", voice.name, error)
                return
            self._clips[voice.name] = tuple(clips)


def fillers_for(voice_name: str) -> tuple[str, ...]:
    """Return the fillers in the language of a voice whose name tells it, as `de-DE-KatjaNeural`."""
    found = _LANGUAGE.search(voice_name)
    return FILLERS.get(found[1] if found else "en", FILLERS["en"])


async def speech_clip(text: str, voice: TextToSpeech) -> Clip:
    """Return a text in some voice, whole.

    Raises:
        SpeechError: If it cannot be spoken.
    """
    packer = Packer(OpusEncoder(), Leveller())
    packets: list[list[bytes]] = []
    async with aclosing(voice.speak(text)) as speech:
        async for item in speech:
            if isinstance(item, SpokenAudio):
                packets.append(packer.feed(item.samples))
                await asyncio.sleep(0)
    packets.append(packer.finish())
    return Clip(text=text, packets=tuple(chain.from_iterable(packets)))
