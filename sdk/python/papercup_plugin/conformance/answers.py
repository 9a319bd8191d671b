"""What came of a question to a plugin. Pure."""

from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Answered:
    """The plugin gave a result."""

    result: Any


@dataclass(frozen=True, slots=True)
class Refused:
    """It answered with an error."""

    code: int | None
    """`None`: what it calls an error has none."""
    message: str = ""
    """What is wrong, as the plugin says it."""

    def __str__(self) -> str:
        return "an error without a code" if self.code is None else f"the error {self.code}"


@dataclass(frozen=True, slots=True)
class Silent:
    """It did not answer."""

    why: str
    """A sentence without its end."""
    said: tuple[str, ...] = ()
    """The last lines that it wrote to its standard error, if it has ended."""
    has_ended: bool = False


Answer: TypeAlias = Answered | Refused | Silent
