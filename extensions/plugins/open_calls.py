"""The calls of one plugin that are open, and for whom."""

import asyncio
import itertools
from collections import deque
from typing import TypeAlias

from extensions.hooks import NOWHERE, Occasion

_Party: TypeAlias = tuple[str | None, int | None, int | None, int | None]


class _OpenCall:
    # One is made for each call, and hardly any of them is ever given up.
    __slots__ = ("_given_up", "ends_at", "occasion")

    def __init__(self, occasion: Occasion, ends_at: float) -> None:
        self.occasion = occasion
        self.ends_at = ends_at
        self._given_up: asyncio.Event | None = None

    @property
    def is_given_up(self) -> asyncio.Event:
        """Set once nobody waits for its answer any more."""
        if self._given_up is None:
            self._given_up = asyncio.Event()
        return self._given_up


class OpenCalls:
    """Knows for whom a plugin works.

    What a plugin asks of people does not say for which call it asks, so a plugin that does is
    called for one party at a time: one person in one place of one session. Others wait.
    """

    def __init__(self, *, is_for_one_party: bool) -> None:
        self.is_for_one_party = is_for_one_party
        """Whether it is called for one party at a time."""
        self._party: _Party | None = None
        self._open: dict[int, _OpenCall] = {}
        self._numbers = itertools.count()
        self._let_in = 0
        """How many have waited and may go on, but have not done so yet."""
        self._last = NOWHERE
        self._waiting: deque[tuple[_Party, asyncio.Future[None]]] = deque()

    @property
    def count(self) -> int:
        """How many are open."""
        return len(self._open)

    @property
    def occasion(self) -> Occasion:
        """For whom it works: as of its open calls, else of the last one that told.

        It is `NOWHERE` before the first, and if several are open for different parties.
        """
        parties = {_party(each.occasion): each.occasion for each in self._open.values()}
        if len(parties) > 1:
            return NOWHERE
        return next(iter(parties.values()), self._last)

    @property
    def seconds_left(self) -> float | None:
        """How long an answer to the one open call is waited for; `None` if not one is open."""
        if len(self._open) != 1:
            return None
        (call,) = self._open.values()
        return max(0.0, call.ends_at - asyncio.get_running_loop().time())

    async def enter(self, occasion: Occasion, *, timeout_seconds: float) -> int:
        """Open a call as soon as it may be, and return its number, by which `leave` closes it.

        Raises:
            TimeoutError: If the plugin was busy with others for so long.
        """
        if self.is_for_one_party:
            party = _party(occasion)
            if self._party not in {None, party}:
                await self._wait(party, timeout_seconds)
                self._let_in -= 1
            self._party = party
        number = next(self._numbers)
        ends_at = asyncio.get_running_loop().time() + timeout_seconds
        self._open[number] = _OpenCall(occasion, ends_at)
        self.served(occasion)
        return number

    def served(self, occasion: Occasion) -> None:
        """Take it that it works for somebody, until it does for others; for nobody, no change."""
        if occasion.channel_id is not None or occasion.person_id is not None:
            self._last = occasion

    def leave(self, number: int, *, is_given_up: bool = False) -> None:
        """Close a call.

        Args:
            number: Which.
            is_given_up: Whether it was not answered, and nobody waits for that any more.
        """
        call = self._open.pop(number)
        if is_given_up:
            call.is_given_up.set()
        self._let_others_in()

    async def given_up(self) -> None:
        """Wait until all calls that are open now were given up.

        If one of them is answered, or none is open, that is never.
        """
        calls = tuple(self._open.values())
        for call in calls:
            await call.is_given_up.wait()
        if not calls:
            await asyncio.get_running_loop().create_future()

    async def _wait(self, party: _Party, timeout_seconds: float) -> None:
        turn = asyncio.get_running_loop().create_future()
        entry = (party, turn)
        self._waiting.append(entry)
        try:
            async with asyncio.timeout(timeout_seconds):
                await turn
        except BaseException:
            if entry in self._waiting:
                self._waiting.remove(entry)
            else:
                # It was let in already, but does not come.
                self._let_in -= 1
                self._let_others_in()
            raise

    def _let_others_in(self) -> None:
        if self._open or self._let_in:
            return
        if not self._waiting:
            self._party = None
            return
        self._party = self._waiting[0][0]
        for entry in [each for each in self._waiting if each[0] == self._party]:
            self._waiting.remove(entry)
            self._let_in += 1
            entry[1].set_result(None)


def _party(occasion: Occasion) -> _Party:
    # Not the agent: a job asks in the place in which its session asked for it.
    return occasion.session_id, occasion.person_id, occasion.guild_id, occasion.channel_id
