"""Which speakers are warm at the same time, and which have to make room for others. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Enter:
    """It has a seat: its process may start."""

    name: str


@dataclass(frozen=True, slots=True)
class Leave:
    """Its process has to end, as its seat is wanted."""

    name: str


@dataclass(frozen=True, slots=True)
class Wait:
    """All seats are busy, so it has to wait."""

    name: str


Step = Enter | Leave | Wait


class Warmth:
    """Shares out a number of seats among speakers; times are handed in.

    Each change returns what is to be done now. Who came first enters first; who has been idle
    for longest leaves first; who is busy stays.
    """

    def __init__(self, *, most: int, idle_seconds: float) -> None:
        """Make it.

        Args:
            most: How many seats there are.
            idle_seconds: How long an idle one may stay although nobody wants its seat.
        """
        self._most = most
        self._idle_seconds = idle_seconds
        self._idle_since: dict[str, float | None] = {}
        """Of each that has a seat; `None` while it is busy."""
        self._leaving: set[str] = set()
        self._waiting: dict[str, bool] = {}
        """In the order in which they came; whether it was told to wait."""

    def wants(self, name: str) -> list[Step]:
        """Take note that a speaker without a seat wants one."""
        self._waiting[name] = False
        return self._steps()

    def is_busy(self, name: str) -> None:
        """Take note that a speaker has something to do."""
        self._idle_since[name] = None

    def is_idle(self, name: str, *, at: float) -> list[Step]:
        """Take note that a speaker has nothing to do from now on."""
        self._idle_since[name] = at
        return self._steps()

    def leaves_at(self, name: str) -> float:
        """Return when a speaker that is idle has to leave."""
        since = self._idle_since[name]
        assert since is not None, "it is idle"
        return since + self._idle_seconds

    def has_left(self, name: str) -> list[Step]:
        """Take note that a speaker has no seat any more, or does not wait for one."""
        self._idle_since.pop(name, None)
        self._leaving.discard(name)
        self._waiting.pop(name, None)
        return self._steps()

    def _steps(self) -> list[Step]:
        return [*self._entries(), *self._departures(), *self._delays()]

    def _entries(self) -> list[Step]:
        free = self._most - len(self._idle_since)
        names = list(self._waiting)[: max(free, 0)]
        for name in names:
            del self._waiting[name]
            self._idle_since[name] = None
        return [Enter(name) for name in names]

    def _departures(self) -> list[Step]:
        idle = {
            name: since
            for name, since in self._idle_since.items()
            if since is not None and name not in self._leaving
        }
        wanted = len(self._waiting) - len(self._leaving)
        names = sorted(idle, key=lambda name: idle[name])[: max(wanted, 0)]
        self._leaving.update(names)
        return [Leave(name) for name in names]

    def _delays(self) -> list[Step]:
        """Tell those for whom nobody makes room, once."""
        late = list(self._waiting)[len(self._leaving) :]
        names = [name for name in late if not self._waiting[name]]
        self._waiting |= dict.fromkeys(names, True)
        return [Wait(name) for name in names]
