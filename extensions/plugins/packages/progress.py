"""How far something is. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class Stage(StrEnum):
    """What is done just now."""

    SEARCHING = "Searching"
    LOOKING = "Looking it up"
    DOWNLOADING = "Downloading"
    FETCHING = "Fetching"
    COPYING = "Copying"
    UNPACKING = "Unpacking"
    NODE_PACKAGES = "Installing its Node packages"
    PYTHON_PACKAGES = "Installing its Python packages"
    CHECKING = "Checking"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it is."""

    stage: Stage
    done: int = 0
    total: int | None = None
    """`None`: nobody knows."""
    what: str = ""
    """What it is done with, if that is worth saying."""


Tell: TypeAlias = Callable[[Progress], None]
"""Is told how far something is."""
