"""Which jobs people mean when they speak of some: "it", "the auth one", "both". Pure.

What is unclear is asked back. To stop a job cannot be undone, so that more is unclear then: words
without a name reach no further than the jobs of the conversation, and a name has to fit exactly.
"""

import re
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import Enum

from extensions.jobs.job import Job
from extensions.jobs.name_words import Fit, best_fit, words_of

_FILLING = frozenset(
    {"a", "about", "agent", "an", "and", "called", "doing", "extension", "for", "i", "it", "its"}
    | {"job", "mean", "my", "named", "of", "one", "our", "please", "running", "stuff", "task"}
    | {"that", "the", "thing", "this", "with", "your"}
)
"""Words that tell nothing of which job is meant."""
_PLURAL = frozenset(
    {"agents", "extensions", "jobs", "ones", "tasks", "them", "these", "they", "things", "those"}
)
_BOTH = frozenset({"both", "two"})
_ALL = frozenset({"all", "each", "every", "everything"})
_LAST = frozenset({"last", "latest", "most", "newest", "recent"})
_NUMBERS = _PLURAL | _BOTH | _ALL | _LAST
_SPOKEN = re.compile(r"(?=.*[^\W_])(?:[^\W_]|[\s,&'\u2019-])+")
"""What one may have said; whatever else holds, say, a slash was meant for an id."""
_EXCEPT = re.compile(r"\b(?:except|but)\b(?: for\b)?", re.IGNORECASE)
_AND = re.compile(r",|&|\b(?:and|plus)\b", re.IGNORECASE)
_TWO = 2
_MOST_PARTS = 5
"""How often what was said is parted at most."""
_MOST_AT_ONCE = 10
"""Of how many settled jobs one hears at once."""


class Purpose(Enum):
    """What is to be done with the jobs that are meant."""

    LOOK = "look"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class Meant:
    """It is clear which jobs are meant: at least one."""

    jobs: tuple[Job, ...]


@dataclass(frozen=True, slots=True)
class Unclear:
    """It has to be asked which one is meant."""

    candidates: tuple[Job, ...]
    """Those that could be; none if nothing of that kind is under way."""


@dataclass(frozen=True, slots=True)
class NotMeant:
    """No job is meant by that."""


Addressed = Meant | Unclear | NotMeant


class _Number(Enum):
    ONE = "one"
    LAST = "last"
    BOTH = "both"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class _Wish:
    """What was said, taken apart."""

    number: _Number
    content: tuple[str, ...]
    """The words that tell something of the job."""


def address_jobs(
    said: str, jobs: Sequence[Job], *, session_id: str, purpose: Purpose = Purpose.LOOK
) -> Addressed:
    """Return which of `jobs` are meant by what somebody said.

    Args:
        said: In English: "it", "the auth one", "auth and docs", "both", "all but the last one".
        jobs: Those that may be meant, newest first.
        session_id: In which session it was said; its own jobs are meant first.
        purpose: What is to be done with them.
    """
    said = said.strip(" .!?")
    if not _SPOKEN.fullmatch(said):
        return NotMeant()
    scope = _Scope(tuple(jobs), session_id, purpose)
    whole, *exceptions = _EXCEPT.split(said, maxsplit=1)
    if exceptions and _wish_of(whole).number is _Number.ALL:
        return _without(scope.meant(_wish_of(whole)), scope.meant(_wish_of(exceptions[0])))
    wishes = [_wish_of(part) for part in _AND.split(said, _MOST_PARTS)]
    parts = [wish for wish in wishes if wish.content or wish.number is not _Number.ONE]
    if len(parts) > 1 and (together := _together([_one_by_one(scope, wish) for wish in parts])):
        return together
    return scope.meant(_wish_of(said))


@dataclass(frozen=True, slots=True)
class _Scope:
    """What may be meant, and how careful one has to be."""

    jobs: tuple[Job, ...]
    session_id: str
    purpose: Purpose

    def meant(self, wish: _Wish) -> Addressed:
        if not wish.content:
            return self._of_some(self.jobs, wish.number)
        best = best_fit(wish.content, self.jobs)
        if best is None:
            return NotMeant()
        fit, found = best
        if self.purpose is Purpose.STOP and fit is not Fit.NAME:
            return Unclear(_under_way(found) or found)
        if wish.number is _Number.ONE:
            return self._best_of(found)
        return self._of_some(found, wish.number)

    def _best_of(self, found: tuple[Job, ...]) -> Addressed:
        """Return the one that is meant by a name that fits all of `found`."""
        nearest = self._own(found) or found
        likely = _under_way(nearest) or nearest
        if len(likely) == 1 or (self.purpose is Purpose.LOOK and _are_namesakes(likely)):
            return Meant(likely[:1])
        return Unclear(likely)

    def _of_some(self, found: tuple[Job, ...], number: _Number) -> Addressed:
        """Return those that are meant by a word that tells only how many they are."""
        own = self._own(found)
        if not own and self.purpose is Purpose.STOP:
            return Unclear(_under_way(found))
        return _COUNTED[number](own or found, self.purpose)

    def _own(self, jobs: tuple[Job, ...]) -> tuple[Job, ...]:
        return tuple(job for job in jobs if job.origin.session_id == self.session_id)


def _the_one(jobs: tuple[Job, ...], _: Purpose) -> Addressed:
    under_way = _under_way(jobs)
    if len(under_way) > 1:
        return Unclear(under_way)
    return Meant(under_way or jobs[:1]) if jobs else Unclear(())


def _the_last(jobs: tuple[Job, ...], purpose: Purpose) -> Addressed:
    newest = jobs if purpose is Purpose.LOOK else _under_way(jobs) or jobs
    return Meant(newest[:1]) if newest else Unclear(())


def _both(jobs: tuple[Job, ...], _: Purpose) -> Addressed:
    under_way, newest = _under_way(jobs), jobs[:2]
    if len(under_way) == _TWO:
        return Meant(under_way)
    # One of them, or each, may have ended just now.
    if len(newest) == _TWO and set(under_way) <= set(newest):
        return Meant(newest)
    return Unclear(under_way or newest)


def _all(jobs: tuple[Job, ...], purpose: Purpose) -> Addressed:
    meant = _under_way(jobs)
    if not meant and purpose is Purpose.LOOK:
        meant = jobs[:_MOST_AT_ONCE]
    return Meant(meant) if meant else Unclear(())


_COUNTED: dict[_Number, Callable[[tuple[Job, ...], Purpose], Addressed]] = {
    _Number.ONE: _the_one,
    _Number.LAST: _the_last,
    _Number.BOTH: _both,
    _Number.ALL: _all,
}


def _wish_of(said: str) -> _Wish:
    content: list[str] = []
    numbers: set[str] = set()
    for word in words_of(said):
        # "The two reports" are two of them; "report two" is the name of one.
        if word in _NUMBERS and not (word == "two" and content):
            numbers.add(word)
        elif word not in _FILLING:
            content.append(word)
    return _Wish(_number_of(numbers), tuple(content))


def _number_of(found: AbstractSet[str]) -> _Number:
    if found & _ALL:
        return _Number.ALL
    if found & _BOTH:
        return _Number.BOTH
    if found & _LAST:
        return _Number.LAST
    return _Number.ALL if found & _PLURAL else _Number.ONE


def _one_by_one(scope: _Scope, wish: _Wish) -> Addressed:
    # "Both auth and docs" tells of one each.
    return scope.meant(_Wish(_Number.ONE, wish.content) if wish.number is _Number.BOTH else wish)


def _together(parts: Sequence[Addressed]) -> Meant | Unclear | None:
    """Return what several things together mean; `None` if one of them means nothing."""
    jobs: dict[str, Job] = {}
    for part in parts:
        match part:
            case Meant(found):
                jobs |= {job.id: job for job in found}
            case Unclear():
                return part
            case NotMeant():
                return None
    return Meant(tuple(jobs.values()))


def _without(whole: Addressed, exception: Addressed) -> Addressed:
    if not isinstance(whole, Meant) or not isinstance(exception, Meant):
        return exception if isinstance(whole, Meant) else whole
    left = tuple(job for job in whole.jobs if job not in exception.jobs)
    return Meant(left) if left else Unclear(())


def _under_way(jobs: Sequence[Job]) -> tuple[Job, ...]:
    return tuple(job for job in jobs if not job.status.is_settled)


def _are_namesakes(jobs: Sequence[Job]) -> bool:
    """Say whether their names differ by a number alone, as those of one job done again."""
    return len({re.sub(r"-[0-9]+$", "", job.name) for job in jobs}) == 1
