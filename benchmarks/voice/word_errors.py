"""How many words were heard wrongly. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.voice.wording import words_of


@dataclass(frozen=True, slots=True, kw_only=True)
class WordErrors:
    """What was wrong about what was heard."""

    errors: int
    """Words that are missing, that are too many, and that stand for others."""
    words: int
    """That were said."""

    @property
    def percent(self) -> float:
        """The word error rate."""
        return 100.0 * self.errors / max(self.words, 1)


def errors_in(said: str, heard: str) -> WordErrors:
    """Return how far what was heard is from what was said, as words."""
    reference = words_of(said)
    return WordErrors(errors=_distance(reference, words_of(heard)), words=len(reference))


def total(parts: Iterable[WordErrors]) -> WordErrors:
    """Return all of them as one: long texts weigh more than short ones."""
    parts = list(parts)
    return WordErrors(
        errors=sum(part.errors for part in parts), words=sum(part.words for part in parts)
    )


def _distance(reference: Sequence[str], heard: Sequence[str]) -> int:
    """Return the fewest words to be put in, left out or replaced (Levenshtein)."""
    row = list(range(len(heard) + 1))
    for number, word in enumerate(reference, 1):
        diagonal, row[0] = row[0], number
        for column, other in enumerate(heard, 1):
            replaced = diagonal + (word != other)
            diagonal = row[column]
            row[column] = min(row[column] + 1, row[column - 1] + 1, replaced)
    return row[-1]
