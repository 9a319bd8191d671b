"""The prompts of the telephone system Asterisk, if Debian's package of them is installed."""

import gzip
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random

from benchmarks.voice.clips import Clip, clip_of
from benchmarks.voice.wording import words_of
from voice.audio_files import read_audio

INSTALL = "apt-get install -y asterisk-core-sounds-en-g722"
"""What adds them: 570 prompts by one professional speaker, 16 kHz, CC-BY-SA 3.0."""

_SOUNDS = Path("/usr/share/asterisk/sounds/en_US_f_Allison")
_TEXTS = Path("/usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz")
_WHOLE = re.compile(r"[A-Z][^][()<>*#]*[^.][.!?]")
"""A sentence, or a few: not the end of one, and nothing that is described in place of said."""
_LEAST_WORDS = 5
_MOST_WORDS = 22
_SEED = 5


def prompts(count: int) -> list[Clip]:
    """Return so many prompts, always the same ones; none if the package is not installed."""
    if not (_TEXTS.is_file() and _SOUNDS.is_dir()):
        return []
    with gzip.open(_TEXTS, "rt", encoding="utf-8", errors="replace") as file:
        usable = {
            name: text for name, text in texts_in(file.read()).items() if _sound_of(name).is_file()
        }
    chosen = Random(_SEED).sample(sorted(usable), min(count, len(usable)))  # noqa: S311 - no secret
    return [clip_of(name, usable[name], read_audio(_sound_of(name))) for name in chosen]


def texts_in(listing: str) -> Mapping[str, str]:
    """Return by name what is said in each prompt that is a sentence, neither short nor long.

    Args:
        listing: A line for each prompt, `name: text`, and comments that begin with `;`.
    """
    return dict(_sentences(listing))


def _sentences(listing: str) -> Iterator[tuple[str, str]]:
    for line in listing.splitlines():
        name, _, text = line.partition(":")
        text = text.strip()
        if line.startswith(";") or not _WHOLE.fullmatch(text):
            continue
        if _LEAST_WORDS <= len(words_of(text)) <= _MOST_WORDS:
            yield name.strip(), text


def _sound_of(name: str) -> Path:
    return _SOUNDS / f"{name}.g722"
