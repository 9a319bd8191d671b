"""Faults that a test asks for: requests that are refused, or answered late, or never."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simulator.discord.model import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What becomes of a request."""

    status: int | None
    """`None`: the connection is cut instead of an answer."""
    body: Any
    headers: Mapping[str, str]
    takes_effect: bool
    """Whether what was asked for is done all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay:
    """An answer that comes late; what was asked for is done at once."""

    seconds: float


@dataclass(slots=True, kw_only=True)
class _Planned:
    pattern: re.Pattern[str]
    fault: Fault | Delay
    times: int


class Faults:
    """The faults still to come; each request takes the first that fits it."""

    def __init__(self) -> None:
        self._planned: list[_Planned] = []

    def add(
        self,
        pattern: str,
        status: int | None,
        *,
        body: Json | None = None,
        headers: Mapping[str, str] | None = None,
        times: int = 1,
        takes_effect: bool = False,
    ) -> None:
        """Let the next requests that fit fail.

        Args:
            pattern: A regular expression, searched for in `POST /channels/1/messages`.
            status: What they are answered with; `None` cuts the connection.
            body: The answer; `None`: an error object as Discord makes it.
            headers: In addition to the usual ones.
            times: How many requests.
            takes_effect: Whether what they ask for is done all the same.
        """
        default: Json = {"message": f"{status}: simulated fault", "code": 0}
        fault = Fault(
            status=status,
            body=default if body is None else body,
            headers=headers or {},
            takes_effect=takes_effect,
        )
        self._planned.append(_Planned(pattern=re.compile(pattern), fault=fault, times=times))

    def add_delay(self, pattern: str, seconds: float, *, times: int = 1) -> None:
        """Let the answers to the next requests that fit come late."""
        planned = _Planned(pattern=re.compile(pattern), fault=Delay(seconds=seconds), times=times)
        self._planned.append(planned)

    def take(self, method: str, path: str) -> Fault | Delay | None:
        """Return what becomes of this request, if it is to fail."""
        for planned in self._planned:
            if planned.pattern.search(f"{method} {path}"):
                planned.times -= 1
                if planned.times <= 0:
                    self._planned.remove(planned)
                return planned.fault
        return None
