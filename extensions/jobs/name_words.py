"""How well spoken words fit a job. Pure."""

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from enum import IntEnum

from extensions.jobs.job import Job

_WORD = re.compile(r"[^\W_]+")
_TASK_LENGTH = 500
"""Of how much of a task the words are looked at."""
_ALIKE = 0.75
"""From which similarity on a word may be a misheard one; the same as for the bot's own name."""
_SHORTEST_MISHEARD = 4
"""Shorter words are alike too easily."""
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), start=1
    )
}


class Fit(IntEnum):
    """How words may fit a job, the best last."""

    TASK = 1
    """Each is in its name or its task."""
    ALIKE = 2
    """Each sounds like one of its name."""
    NAME = 3
    """Each is one of its name."""


def words_of(text: str) -> list[str]:
    """Return the words of a text, in lower case; `'s` at the end of one is left out."""
    return _WORD.findall(re.sub(r"['\u2019]s\b", "", text).casefold())


def best_fit(words: Sequence[str], jobs: Sequence[Job]) -> tuple[Fit, tuple[Job, ...]] | None:
    """Return the jobs that some words fit best, and how well; `None` if they fit none."""
    wanted = frozenset(map(_plain, words))
    names = {job.id: frozenset(map(_plain, words_of(job.name))) for job in jobs}
    for fit in sorted(Fit, reverse=True):
        if found := tuple(job for job in jobs if _fits(wanted, names[job.id], job, fit)):
            return fit, found
    return None


def _fits(wanted: frozenset[str], name: frozenset[str], job: Job, fit: Fit) -> bool:
    if fit is Fit.NAME:
        return wanted <= name
    if fit is Fit.ALIKE:
        return all(_is_alike(word, name) for word in wanted - name)
    task = frozenset(map(_plain, words_of(job.task[:_TASK_LENGTH])))
    return wanted <= name | task


def _plain(word: str) -> str:
    """Return a word as it is compared: a number in digits, else without the s of a plural."""
    number = _NUMBERS.get(word)
    return number or word.removesuffix("s") or word


def _is_alike(word: str, others: Iterable[str]) -> bool:
    if len(word) < _SHORTEST_MISHEARD:
        return False
    matcher = SequenceMatcher(None, b=word)
    for other in others:
        matcher.set_seq1(other)
        # The first two cost next to nothing, and are never smaller than the third.
        measures = (matcher.real_quick_ratio, matcher.quick_ratio, matcher.ratio)
        if len(other) >= _SHORTEST_MISHEARD and all(one() >= _ALIKE for one in measures):
            return True
    return False
