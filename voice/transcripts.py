"""What a transcript is worth: whether there are words in it, and whether they go on. Pure."""

import re
from typing import Final

_SOUNDS: Final = re.compile(r"[♩-♬]|\[[^\]]*\]|\([^)]*\)|\*[^*]*\*")
"""Notes, and what stands in brackets: models tell music, laughter and noises so."""
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")

_GHOSTS: Final = frozenset(
    {
        "ah",
        "bye",
        "i'm sorry",
        "oh",
        "please subscribe",
        "so",
        "subtitles by the amara org community",
        "thank you",
        "thank you for watching",
        "thank you so much for watching",
        "thank you very much",
        "thanks for watching",
        "the",
        "you",
    }
)
"""What speech-to-text makes of noise: it learnt from subtitles of videos."""

_UNFINISHED: Final = frozenset(
    {
        "a",
        "although",
        "an",
        "and",
        "as",
        "because",
        "but",
        "er",
        "erm",
        "for",
        "i",
        "i'd",
        "i'll",
        "i'm",
        "i've",
        "if",
        "into",
        "my",
        "of",
        "or",
        "our",
        "than",
        "the",
        "their",
        "to",
        "uh",
        "um",
        "until",
        "we'd",
        "we'll",
        "we're",
        "whether",
        "whose",
        "with",
        "you'd",
        "you'll",
        "you're",
        "your",
    }
)
"""English words with which hardly any sentence ends."""
_TRAILING_OFF: Final = ("...", "\u2026", "-", "\u2013", "\u2014", ",", ":", ";")


def words_only(transcript: str) -> str:
    """Return a transcript without what tells of sounds; empty if there are no words in it."""
    text = " ".join(_SOUNDS.sub(" ", transcript).split())
    return text if _WORD.search(text) else ""


def is_ghost(text: str) -> bool:
    """Say whether a text is one of those that speech-to-text makes of noise.

    People say some of them, too: go by how much of the audio was voice.
    """
    return " ".join(_words(text)) in _GHOSTS


def dangles(text: str) -> bool:
    """Say whether the speaker seems to be in the middle of a sentence, going by the words."""
    words = _words(text)
    if not words:
        return False
    return words[-1] in _UNFINISHED or text.rstrip().endswith(_TRAILING_OFF)


def _words(text: str) -> list[str]:
    return [word.lower().replace("\u2019", "'") for word in _WORD.findall(text)]
