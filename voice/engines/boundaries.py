"""Follows in a text what a service tells of the words that it has spoken. Pure."""

import re

_WORD = re.compile(r"\w+")
_FURTHEST = 60
"""How many characters ahead a word is looked for; the service may tell some otherwise."""
_TOLERANCE_SECONDS = 0.15
"""How much audio may be missing at the end: mp3 is cut into frames, times are rounded."""
_CLOSE_SECONDS = 0.2
"""How soon after a word the audio ends if it was cut off there: speech has silence at its end."""
_MISSING_WORDS = 2


class Boundaries:
    """The words of one text that were told of so far."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = 0
        self._end_seconds = 0.0

    def word(self, word: str, *, end_seconds: float) -> int | None:
        """Take the next word, and return where it ends in the text; None if it is not there."""
        self._end_seconds = max(self._end_seconds, end_seconds)
        start = self._text.find(word, self._end, self._end + _FURTHEST + len(word))
        if not word or start < 0:
            return None
        self._end = start + len(word)
        return self._end

    def is_cut(self, audio_seconds: float) -> bool:
        """Return whether audio of such a length is not all of the text.

        It is not if it ends before the last word, or right after it with further words to come.
        """
        if not self._end_seconds:
            return False
        if audio_seconds < self._end_seconds - _TOLERANCE_SECONDS:
            return True
        missing = len(_WORD.findall(self._text, self._end))
        return missing >= _MISSING_WORDS and audio_seconds < self._end_seconds + _CLOSE_SECONDS
