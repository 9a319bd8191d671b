"""Which version of a Python package is newer, and which a range allows, as PEP 440 has it. Pure."""

import re
from typing import TypeAlias

_VERSION = re.compile(
    r"v?(?:(\d+)!)?(\d+(?:\.\d+)*)"
    r"(?:[-_.]?(a|b|c|rc|alpha|beta|pre|preview)[-_.]?(\d*))?"
    r"(?:-(\d+)|[-_.]?(?:post|rev|r)[-_.]?(\d*))?"
    r"(?:[-_.]?(dev)[-_.]?(\d*))?"
    r"(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?",
    re.IGNORECASE | re.ASCII,
)
_MOST_CHARACTERS = 128
_PHASES = {"a": 1, "alpha": 1, "b": 2, "beta": 2}
_CANDIDATE, _RELEASE = 3, 4
_ONE_OF_A_RANGE = re.compile(r"\s*(===|~=|==|!=|<=|>=|<|>)\s*([^\s,]+)\s*")
_ANY_OF_IT = ".*"

PythonPrecedence: TypeAlias = tuple[
    bool, int, tuple[int, ...], tuple[int, int], tuple[bool, int], tuple[bool, int]
]


def python_precedence(version: str) -> PythonPrecedence | None:
    """Return what orders versions, those for trying out before all releases; `None`: it is none."""
    found = _VERSION.fullmatch(version) if len(version) <= _MOST_CHARACTERS else None
    if found is None:
        return None
    epoch, release, phase, phase_number, dashed, post, dev, dev_number = found.groups()
    numbers = [int(each) for each in release.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    has_post = dashed is not None or post is not None
    # One for developers comes before all else of its version, also before what is tried out.
    phase_rank = _PHASES.get(phase.lower(), _CANDIDATE) if phase else _RELEASE
    if phase is None and dev and not has_post:
        phase_rank = 0
    return (
        phase is None and dev is None,
        int(epoch or 0),
        tuple(numbers),
        (phase_rank, int(phase_number or 0)),
        (has_post, int(dashed or post or 0)),
        (dev is None, int(dev_number or 0)),
    )


def allows(versions: str, version: str) -> bool:
    """Say whether a range such as `>=1.2,<2` allows a version; one without any allows all.

    What is not understood allows none.
    """
    every = [each for each in versions.split(",") if each.strip()]
    return all(_allows(each, version) for each in every)


def _allows(one: str, version: str) -> bool:
    found = _ONE_OF_A_RANGE.fullmatch(one)
    ours = python_precedence(version)
    if found is None or ours is None:
        return False
    operator, wanted = found.groups()
    if operator == "===":
        return wanted == version
    if wanted.endswith(_ANY_OF_IT) and operator in {"==", "!="}:
        prefix = _release(wanted.removesuffix(_ANY_OF_IT))
        return bool(prefix) and _begins(version, prefix) == (operator == "==")
    theirs = python_precedence(wanted)
    if theirs is None:
        return False
    # That it is there to be tried out makes no version older than those before it.
    is_older, is_newer = ours[1:] < theirs[1:], ours[1:] > theirs[1:]
    if operator == "~=":
        prefix = _release(wanted)[:-1]
        return not is_older and bool(prefix) and _begins(version, prefix)
    return {
        "==": not is_older and not is_newer,
        "!=": is_older or is_newer,
        "<=": not is_newer,
        ">=": not is_older,
        "<": is_older,
        ">": is_newer,
    }[operator]


def _release(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, with the zeros at their end; none if it is none."""
    found = _VERSION.fullmatch(version) if len(version) <= _MOST_CHARACTERS else None
    return () if found is None else tuple(int(each) for each in found[2].split("."))


def _begins(version: str, prefix: tuple[int, ...]) -> bool:
    numbers = _release(version)
    padded = (*numbers, *(0 for _ in prefix))
    return padded[: len(prefix)] == prefix


def normal_name(package: str) -> str:
    """Return the name of a Python package as all write it that compare names."""
    return re.sub(r"[-_.]+", "-", package).lower()
