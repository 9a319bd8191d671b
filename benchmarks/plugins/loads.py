"""How hard something is called, and how many calls it carries out."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

WARM_UP_CALLS = 50

AsyncCall: TypeAlias = Callable[[str], Awaitable[object]]
"""Has a text echoed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """Calls that are made for a while."""

    name: str
    in_flight: int = 1
    """How many wait for their answers at any time."""
    text_bytes: int = 64
    """What is sent, and comes back."""
    seconds: float = 0.5


Rates: TypeAlias = Mapping[str, float]
"""Calls per second, by the name of the load; one that could not be carried is left out."""


class Contender(Protocol):
    """One of those that are held against each other."""

    @property
    def name(self) -> str:
        """What it is called in the table."""
        ...

    def rates(self, loads: Sequence[Load]) -> Rates:
        """Start a child, have it called, and return how fast that went."""
        ...


async def rates_of(call: AsyncCall, loads: Sequence[Load]) -> Rates:
    """Put the loads on `call`, one after the other."""
    rates: dict[str, float] = {}
    for load in loads:
        text = "x" * load.text_bytes
        for _ in range(WARM_UP_CALLS if load.text_bytes < 1000 else 2):  # noqa: PLR2004 - large ones
            await call(text)
        rates[load.name] = await _rate(call, text, load)
    return rates


async def _rate(call: AsyncCall, text: str, load: Load) -> float:
    count = 0
    began = time.perf_counter()
    deadline = began + load.seconds

    async def keep_calling() -> None:
        nonlocal count
        while time.perf_counter() < deadline:
            await call(text)
            count += 1

    if load.in_flight == 1:
        await keep_calling()
    else:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(load.in_flight):
                tasks.create_task(keep_calling())
    return count / (time.perf_counter() - began)


def best_rates(
    contenders: Sequence[Contender], loads: Sequence[Load], rounds: int
) -> Mapping[str, Rates]:
    """Return the best rate of several rounds, by contender and load.

    They take turns, so that what disturbs one disturbs the others; and the best is taken, as
    whatever disturbs only makes it slower.
    """
    best: dict[str, dict[str, float]] = {contender.name: {} for contender in contenders}
    for _ in range(rounds):
        for contender in contenders:
            known = best[contender.name]
            for name, rate in contender.rates(loads).items():
                known[name] = max(rate, known.get(name, 0.0))
    return best
