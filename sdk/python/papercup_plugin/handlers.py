"""Calls an author's function, plain or `async`, the way it wants to be called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from papercup_plugin.context import Context
from papercup_plugin.signatures import Function, name_of, signature_of, yields

if TYPE_CHECKING:
    from papercup_plugin.calls import Call

OnPiece: TypeAlias = Callable[[Any], None]
"""Told each thing that a generator yields."""


class Handler:
    """One function of the author's. Its methods wait; never in the thread of the event loop."""

    def __init__(
        self, function: Function, *, most_values: int | None = None, may_yield: bool = False
    ) -> None:
        """Take a function.

        Args:
            function: Plain or `async`; it may take a context.
            most_values: How many values it may be given; it takes the first ones. `None`: it is
                given its values by name.
            may_yield: Whether somebody takes what it yields.

        Raises:
            TypeError: If it is no function, wants more, or yields in vain.
        """
        self.function = function
        self.signature = signature_of(function)
        self._takes = len(self.signature.parameters)
        if yields(function) and not may_yield:
            raise TypeError(f"{name_of(function)} yields, which nobody takes; have it return")
        if most_values is None:
            return
        required = [each for each in self.signature.parameters if each.is_required]
        if len(required) > most_values:
            raise TypeError(
                f"{name_of(function)} is given {_counted(most_values)} and `ctx`, but wants "
                + ", ".join(each.name for each in required)
            )
        self._takes = min(self._takes, most_values)

    def given(self, call: Call, *values: Any) -> Any:
        """Call it with values, as many of them as it takes, and return what it returns."""
        return self._called(call, values, {})

    def named(self, call: Call, arguments: Mapping[str, Any]) -> Any:
        """Call it with values by name, and return what it returns."""
        return self._called(call, (), arguments)

    def streamed(self, call: Call, on_piece: OnPiece, *values: Any) -> Any:
        """Call a generator with values, hand on what it yields, and return what it returns."""
        call.raise_if_cancelled()
        generator = self.begun(call, values, {})
        if self.signature.is_async:
            return call.loop.run(_exhausted(generator, on_piece), call)
        while True:
            call.raise_if_cancelled()
            try:
                piece = next(generator)
            except StopIteration as end:
                return end.value
            on_piece(piece)

    def begun(self, call: Call, values: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
        """Call it, and return what comes back at once: of what is `async`, something to await."""
        name = self.signature.context_name
        own = {} if name is None else {name: context_of(call, is_async=self.signature.is_async)}
        return self.function(*values[: self._takes], **{**named, **own})

    def _called(self, call: Call, values: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
        call.raise_if_cancelled()
        returned = self.begun(call, values, named)
        # Not as the signature has it: what a decorator put around it may have waited already.
        if hasattr(returned, "__await__"):
            return call.loop.run(_awaited(returned), call)
        return returned


def context_of(call: Call, *, is_async: bool) -> Any:
    """Return the context that a function of that kind is given."""
    if not is_async:
        return Context(call)
    from papercup_plugin.async_context import AsyncContext  # noqa: PLC0415 - few need it

    return AsyncContext(call)


def _counted(values: int) -> str:
    return {0: "no value", 1: "one value"}.get(values, f"{values} values")


async def _awaited(awaitable: Any) -> Any:
    return await awaitable


async def _exhausted(generator: Any, on_piece: OnPiece) -> None:
    async for piece in generator:
        on_piece(piece)
