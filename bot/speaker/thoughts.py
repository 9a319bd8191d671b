"""What a speaker thinks, in pieces that can be read. Pure."""

import re

_LEAST_CHARACTERS = 40
_MOST_CHARACTERS = 400
_END = re.compile(r"[.!?:…](?=\s)|\n")


class Thoughts:
    """Gathers the pieces of a thought until they make a sentence or more."""

    def __init__(self) -> None:
        self._text = ""

    def add(self, piece: str) -> str | None:
        """Take the next piece; return what is complete enough now, if anything is."""
        self._text += piece
        ends = [found.end() for found in _END.finditer(self._text)]
        end = ends[-1] if ends else 0
        if end < _LEAST_CHARACTERS and len(self._text) < _MOST_CHARACTERS:
            return None
        return self._take(end if end >= _LEAST_CHARACTERS else len(self._text))

    def rest(self) -> str | None:
        """Return what is left, as the thought is over."""
        return self._take(len(self._text)) if self._text.strip() else None

    def _take(self, end: int) -> str:
        taken, self._text = self._text[:end], self._text[end:]
        return taken
