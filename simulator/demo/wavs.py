"""What was said in a voice channel, as WAV files that begin at the same moment."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from simulator.discord.voice.opus import RATE, Samples
from simulator.discord.voice.speech import write_wav

ALL_TOGETHER = "conversation.wav"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sound:
    """Something that was said."""

    who: str
    at_seconds: float
    """Monotonic: when it began."""
    samples: Samples
    """At 48 kHz."""

    @property
    def ends_at_seconds(self) -> float:
        """Monotonic: when it was over."""
        return self.at_seconds + len(self.samples) / RATE


def write_wavs(folder: Path, sounds: Iterable[Sound]) -> Mapping[str, Path]:
    """Write a file for everybody who said something, and one of all together.

    Each begins when the first of them began to talk, so that they can be played beside each other.

    Returns:
        The files, by who is heard in them; the last one is that of all.
    """
    told = list(sounds)
    if not told:
        return {}
    began = min(sound.at_seconds for sound in told)
    length = max(_start(sound, began) + len(sound.samples) for sound in told)
    folder.mkdir(parents=True, exist_ok=True)
    together = np.zeros(length, np.float32)
    files: dict[str, Path] = {}
    for who in dict.fromkeys(sound.who for sound in told):
        alone = np.zeros(length, np.float32)
        for sound in told:
            if sound.who == who:
                start = _start(sound, began)
                alone[start : start + len(sound.samples)] += sound.samples
        files[who] = folder / f"{who.lower()}.wav"
        write_wav(files[who], alone)
        together += alone
    files["all together"] = folder / ALL_TOGETHER
    write_wav(files["all together"], together)
    return files


def _start(sound: Sound, began: float) -> int:
    return round((sound.at_seconds - began) * RATE)
