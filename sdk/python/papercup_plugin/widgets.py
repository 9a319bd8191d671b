"""Widgets: what a plugin draws, and keys that people press under it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast, overload

from papercup_plugin import orders
from papercup_plugin.context import Context
from papercup_plugin.handlers import Handler
from papercup_plugin.names import checked_name
from papercup_plugin.render import Block
from papercup_plugin.render import widget as widget_block

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from papercup_plugin.async_context import AsyncContext
    from papercup_plugin.calls import Call
    from papercup_plugin.shapes import Draw, PressT


class Widget:
    """A widget; what `Plugin.widget` makes of the function that draws it.

        @plugin.widget("list")
        def shopping(ctx: Context) -> Block:
            return render.table(["item"], [[item] for item in ctx.kv.get("items", [])])

        @shopping.key("clear", "Clear")
        def clear(ctx: Context) -> None:
            ctx.kv.set("items", [])

        @plugin.command
        def items(ctx: Context) -> None:
            shopping.show(ctx)

    A key that is pressed has the widget drawn anew.
    """

    def __init__(self, widget_id: str, draw: Draw) -> None:
        self.widget_id = widget_id
        self._draw = Handler(draw, most_values=0)
        self._keys: dict[str, str | None] = {}
        self._pressed: dict[str, Handler] = {}
        self._any_pressed: Handler | None = None

    def key(self, key: str, description: str | None = None) -> Callable[[PressT], PressT]:
        """Have a function called when people press a key; then the widget is drawn anew.

        Args:
            key: The key.
            description: What people read on it.
        """
        checked_name(key, "key")

        def take(function: PressT) -> PressT:
            self._keys[key] = description
            self._pressed[key] = Handler(function, most_values=1)
            return function

        return take

    def on_key(self, function: PressT) -> PressT:
        """Have a function called, with the key, when people press one that no other function has.

        Such keys stand in a block of `render.widget` that the widget's function returns.
        """
        self._any_pressed = Handler(function, most_values=1)
        return function

    @overload
    def show(self, ctx: Context) -> None: ...
    @overload
    def show(self, ctx: AsyncContext) -> Awaitable[None]: ...
    def show(self, ctx: Any) -> Any:
        """Draw it, and show it to the people for whom `ctx` is; in `async` functions, await it."""
        if isinstance(ctx, Context):
            self.shown(ctx.call)
            return None
        return self._shown_async(ctx.call)

    def shown(self, call: Call) -> None:
        """Draw it, and show it to the people of a call."""
        call.ask(orders.set_widget(self._block(self._draw.given(call))))

    def pressed(self, call: Call, key: str) -> None:
        """Do what a key stands for, and draw the widget anew."""
        handler = self._pressed.get(key, self._any_pressed)
        if handler is None:
            return
        handler.given(call, key)
        self.shown(call)

    async def _shown_async(self, call: Call) -> None:
        import asyncio  # noqa: PLC0415 - whoever is here has it already; others do without

        if self._draw.signature.is_async:
            drawn = await self._draw.begun(call, (), {})
        else:
            # It may wait for the host, and then nothing else would go on.
            drawn = await asyncio.to_thread(self._draw.given, call)
        await call.ask_async(orders.set_widget(self._block(drawn)))

    def _block(self, drawn: Any) -> Block:
        if not isinstance(drawn, dict):
            raise TypeError(f"the widget {self.widget_id!r} is drawn as a block, not as {drawn!r}")
        block = cast("Block", drawn)
        if block.get("kind") == "widget":
            return block
        return widget_block(self.widget_id, block, self._keys)
