"""Compares what was heard with what was meant. Pure."""

import unicodedata

TOLERANCE = 0.2
"""Share of the letters that may be wrong: speech-to-text errs, and so does a listener."""

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
_NUMBERS = {word: str(number) for number, word in enumerate(_SMALL.split())}


def letters_of(text: str) -> str:
    """Return what of a text can be heard: no case, no signs, no spaces; numbers as digits."""
    kept = "".join(c if c.isalnum() else " " for c in unicodedata.normalize("NFKC", text).lower())
    # Where a word ends cannot be heard: "the rundown" may as well be "the run down".
    return "".join(_NUMBERS.get(word, word) for word in kept.split())


def share_wrong(meant: str, heard: str) -> float:
    """Return which share of the letters were heard wrongly, left out or put in; 0 is best."""
    wanted, got = letters_of(meant), letters_of(heard)
    if not wanted:
        return float(bool(got))
    return _distance(wanted, got) / len(wanted)


def sounds_like(meant: str, heard: str) -> bool:
    """Say whether what was heard is what was meant, as far as one may expect."""
    return share_wrong(meant, heard) <= TOLERANCE


def _distance(wanted: str, got: str) -> int:
    """Return how many letters have to be changed, as V. I. Levenshtein counted them in 1965."""
    row = list(range(len(got) + 1))
    for number, letter in enumerate(wanted, start=1):
        before, row[0] = row[0], number
        for at, other in enumerate(got, start=1):
            before, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, before + (letter != other))
    return row[-1]
