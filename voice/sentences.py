"""Cuts text that is still being written into pieces that can be spoken one by one. Pure."""

import re
from collections.abc import Iterator

from voice.sentence_ends import Prose, has_words

_VISIBLE = re.compile(r"\S")
_WHITE_SPACE = re.compile(r"\s")
_FENCE = re.compile(r"`{3,}|~{3,}")
_UNBROKEN_TIMES = 4
"""How much longer a piece may be that has no place where it could be cut: an address."""
_LOOK_AHEAD = 64
"""How many characters beyond the longest piece are looked at, to be certain where it ends."""


class SentenceSplitter:
    """Gives pieces of a text as soon as it is certain where they end.

    Joined, they are exactly the text: white space, markup and all. They depend on the text alone,
    not on how it was fed. A piece is a sentence, a line, a table or a block of code.
    """

    def __init__(self, first_at_comma_words: int = 4, longest_characters: int = 300) -> None:
        """Start with an empty text.

        Args:
            first_at_comma_words: After how many words the first piece may end at a comma, so that
                there is something to speak early.
            longest_characters: Longer sentences are cut, at a comma or between words. Blocks of
                code and tables are never cut: they are not read out.
        """
        self._first_words = first_at_comma_words
        self._longest = longest_characters
        self._begin()

    def _begin(self) -> None:
        self._rest = ""
        self._is_first = True
        self._is_line_start = True
        self._searched = 0

    def feed(self, text: str) -> list[str]:
        """Take some more of the text, and return the pieces that have ended."""
        self._rest += text
        return list(self._pieces(is_end=False))

    def finish(self) -> list[str]:
        """Return the pieces that are left, as the text has ended; the next text may follow."""
        pieces = list(self._pieces(is_end=True))
        if self._rest:
            pieces.append(self._rest)
        self._begin()
        return pieces

    def _pieces(self, *, is_end: bool) -> Iterator[str]:
        while (cut := self._cut(is_end=is_end)) is not None:
            piece, self._rest = self._rest[:cut], self._rest[cut:]
            self._is_line_start = piece.endswith("\n")
            self._is_first = self._is_first and not has_words(piece)
            self._searched = 0
            yield piece

    def _cut(self, *, is_end: bool) -> int | None:
        """Return where the first piece of the rest ends, if that is certain."""
        first = _VISIBLE.search(self._rest)
        if first is None:
            return None
        start = first.start()
        is_line_start = self._is_line_start or "\n" in self._rest[:start]
        if not is_end and self._may_become_fence(start, is_line_start=is_line_start):
            return None
        fence = _FENCE.match(self._rest, start)
        if fence and (fence[0][0] == "`" or is_line_start):
            return self._end_of_code(fence)
        if self._rest[start] == "|" and is_line_start:
            return self._end_of_table(start)
        return self._end_of_prose(start, is_end=is_end)

    def _may_become_fence(self, start: int, *, is_line_start: bool) -> bool:
        beginning = self._rest[start:]
        mark = beginning[0]
        is_mark = mark == "`" or (mark == "~" and is_line_start)
        return is_mark and beginning == mark * len(beginning)

    def _end_of_code(self, fence: re.Match[str]) -> int | None:
        """Return where a block of code ends: after the line that closes it."""
        closing = re.compile(rf"{fence[0]}{fence[0][0]}*+[^\S\n]*(\n|(?=\S))")
        found = closing.search(self._rest, max(fence.end(), self._searched))
        if found is None:
            last_line = self._rest.rfind("\n") + 1
            self._searched = max(fence.end(), last_line)
            return None
        return found.end()

    def _end_of_table(self, start: int) -> int | None:
        """Return where the lines end that begin with a bar."""
        at = max(start, self._searched)
        while (line_end := self._rest.find("\n", at)) >= 0:
            following = _VISIBLE.search(self._rest, line_end)
            if following is None:
                break
            if following[0] != "|" or "\n" in self._rest[line_end + 1 : following.start()]:
                return line_end + 1
            at = following.start()
        self._searched = at
        return None

    def _end_of_prose(self, start: int, *, is_end: bool) -> int | None:
        prose = Prose(
            text=self._rest[start : start + self._longest + _LOOK_AHEAD],
            is_end=is_end and len(self._rest) - start <= self._longest + _LOOK_AHEAD,
            longest=self._longest,
            pause_after_words=self._first_words if self._is_first else None,
        )
        end = prose.end()
        if end is not None:
            return start + end
        is_too_long = len(prose.text) == self._longest + _LOOK_AHEAD
        if is_too_long or (is_end and len(prose.text) > self._longest):
            return self._forced_cut(start, prose)
        return None

    def _forced_cut(self, start: int, prose: Prose) -> int | None:
        """Return where to cut a sentence that is too long."""
        place = prose.place_to_cut()
        if place is not None:
            return start + place
        end = start + self._longest * _UNBROKEN_TIMES
        space = _WHITE_SPACE.search(self._rest, start, end)
        if space:
            return space.end()
        return end if len(self._rest) >= end else None
