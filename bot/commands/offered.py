"""Which commands people are offered at present: those of the table, and those that were added."""

import asyncio
from collections.abc import Mapping, Sequence

from bot.commands.spec import CommandSpec
from bot.commands.table import COMMANDS, GROUPS


class OfferedCommands:
    """Knows them; whoever tells people of them waits here until they have changed.

    Args:
        commands: Those that are always there.
        groups: What their groups are for.
        is_settled: Whether nothing will be added in the next seconds, as far as is known.
    """

    def __init__(
        self,
        commands: Sequence[CommandSpec] = COMMANDS,
        groups: Mapping[str, str] = GROUPS,
        *,
        is_settled: bool = True,
    ) -> None:
        self.groups = groups
        """What the groups are for; none is ever added."""
        self.always = tuple(commands)
        """Those that are always there."""
        self._added: tuple[CommandSpec, ...] = ()
        self._change = asyncio.Event()
        self._settled = asyncio.Event()
        if is_settled:
            self._settled.set()

    @property
    def all(self) -> tuple[CommandSpec, ...]:
        """Every command that is offered."""
        return (*self.always, *self._added)

    @property
    def added(self) -> tuple[CommandSpec, ...]:
        """Those that were added."""
        return self._added

    def add(self, commands: Sequence[CommandSpec]) -> None:
        """Offer these besides the ones that are always there, in place of what was added before."""
        if tuple(commands) != self._added:
            self._added = tuple(commands)
            self._change.set()

    def settle(self) -> None:
        """Say that all is there that there is at the start: nobody has to wait for more."""
        self._settled.set()

    async def settled(self, *, within_seconds: float) -> None:
        """Wait until all is there that there is at the start; if that takes long, no longer."""
        try:
            async with asyncio.timeout(within_seconds):
                await self._settled.wait()
        except TimeoutError:
            return

    async def change(self) -> None:
        """Wait until others are offered than when this last returned; one waits at a time."""
        await self._change.wait()
        self._change.clear()
