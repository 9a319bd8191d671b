"""The seats of warm speakers: who gets one, keeps one, and gives one up."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Protocol, assert_never

from bot.speaker.warmth import Enter, Leave, Step, Wait, Warmth


class Guest(Protocol):
    """Whoever wants a seat. Both methods only take note, and return at once."""

    def leave(self) -> None:
        """Give the seat up soon; asked of one that is idle."""
        ...

    def must_wait(self) -> None:
        """Every seat is busy: it may take a while."""
        ...


class Seat:
    """A seat that somebody has."""

    def __init__(self, seats: "Seats", name: str) -> None:
        self._seats = seats
        self._name = name

    def busy(self) -> None:
        """Say that there is something to do: the seat is kept."""
        self._seats.warmth.is_busy(self._name)

    def idle(self) -> float:
        """Say that there is nothing to do, and return when to leave if that stays so.

        Meanwhile the guest may be asked to leave at once.
        """
        return self._seats.idle(self._name)


class Seats:
    """Shares out seats by a `Warmth`."""

    def __init__(self, warmth: Warmth, clock: Callable[[], float] | None = None) -> None:
        self.warmth = warmth
        """Decides."""
        self._clock = clock
        self._guests: dict[str, Guest] = {}
        self._entered: dict[str, asyncio.Event] = {}

    @asynccontextmanager
    async def seat(self, name: str, guest: Guest) -> AsyncGenerator[Seat, None]:
        """Wait for a seat, and keep it while the block lasts; at first it counts as busy."""
        entered = asyncio.Event()
        self._guests[name], self._entered[name] = guest, entered
        try:
            self._carry_out(self.warmth.wants(name))
            await entered.wait()
            yield Seat(self, name)
        finally:
            del self._guests[name], self._entered[name]
            self._carry_out(self.warmth.has_left(name))

    def idle(self, name: str) -> float:
        """Take note that a guest is idle; see `Seat.idle`."""
        now = (self._clock or asyncio.get_running_loop().time)()
        self._carry_out(self.warmth.is_idle(name, at=now))
        return self.warmth.leaves_at(name)

    def _carry_out(self, steps: Sequence[Step]) -> None:
        for step in steps:
            match step:
                case Enter(name):
                    self._entered[name].set()
                case Leave(name):
                    self._guests[name].leave()
                case Wait(name):
                    self._guests[name].must_wait()
                case _:
                    assert_never(step)
