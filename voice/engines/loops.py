"""Takes out what a model says again and again where it lost its way. Pure."""

from collections.abc import Sequence

_LONGEST_PHRASE = 12
_PHRASE_REPEATS = 3
"""Nobody says several words so often, one time right after another."""
_WORD_REPEATS = 5
"""One word may be: "no, no, no"."""
_KEPT_REPEATS = 2
_MARKS = ".,;:!?…-'\""


def without_loops(text: str) -> str:
    """Return a transcript in which what was repeated too often stands once, or a word twice.

    Speech models of this kind fall into a loop where a recording ends in the middle of a word, or
    holds something that is no speech.
    """
    words = text.split()
    keys = [word.strip(_MARKS).lower() for word in words]
    kept: list[str] = []
    at = 0
    while at < len(words):
        length, repeats = _loop_at(keys, at)
        kept += words[at : at + length * (_KEPT_REPEATS if length == 1 < repeats else 1)]
        at += length * repeats
    return " ".join(kept)


def _loop_at(keys: Sequence[str], at: int) -> tuple[int, int]:
    """Return how long the phrase is that begins here, and how often it stands here."""
    for length in range(1, _LONGEST_PHRASE + 1):
        phrase = keys[at : at + length]
        repeats = 1
        while keys[at + repeats * length : at + (repeats + 1) * length] == phrase:
            repeats += 1
        if repeats >= (_WORD_REPEATS if length == 1 else _PHRASE_REPEATS):
            return length, repeats
    return 1, 1
