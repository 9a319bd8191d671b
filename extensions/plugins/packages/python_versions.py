"""Which version of a Python package is newer, as PEP 440 has it. Pure."""

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


def normal_name(package: str) -> str:
    """Return the name of a Python package as all write it that compare names."""
    return re.sub(r"[-_.]+", "-", package).lower()
