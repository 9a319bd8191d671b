"""What an `async` function is given: as `context`, but each method is awaited.

All of them may raise HostError and NoAnswerError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from papercup_plugin import orders
from papercup_plugin.context_base import BaseContext

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from papercup_plugin.calls import Call
    from papercup_plugin.orders import ExecResult
    from papercup_plugin.render import Block
    from papercup_plugin.shapes import Delivery, Level, Role

    Names: TypeAlias = list[str]


class AsyncUi:
    """Reaches the people for whom the plugin works. Where there are none, nobody answers."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def has_ui(self, kind: str | None = None) -> bool:
        """Say whether people can be reached, or shown and asked what is of that kind."""
        return self._call.facts.has_ui(kind)

    async def select(
        self, prompt: str, options: Sequence[str], *, timeout_seconds: float | None = None
    ) -> str | None:
        """Have people choose one of several, and return it; `None` if nobody did."""
        return await self._call.ask_async(orders.select(prompt, options), timeout_seconds)

    async def confirm(self, prompt: str, *, timeout_seconds: float | None = None) -> bool:
        """Return whether people said yes; `False` if nobody answered."""
        return await self._call.ask_async(orders.confirm(prompt), timeout_seconds)

    async def input(
        self, prompt: str, default: str | None = None, *, timeout_seconds: float | None = None
    ) -> str | None:
        """Return what people wrote; `None` if nobody did.

        Args:
            prompt: What is asked.
            default: What stands there before they write.
            timeout_seconds: How long they may take.
        """
        return await self._call.ask_async(orders.input_text(prompt, default), timeout_seconds)

    async def notify(self, message: str, level: Level = "info") -> None:
        """Tell people something."""
        await self._call.ask_async(orders.notify(message, level))

    async def set_status(self, status: str) -> None:
        """Show a line of status; an empty one takes it away."""
        await self._call.ask_async(orders.set_status(status))

    async def set_widget(self, block: Block | None) -> None:
        """Show a render block in place of what was shown before; `None` takes that away."""
        await self._call.ask_async(orders.set_widget(block))

    async def set_title(self, title: str) -> None:
        """Change the title of the place."""
        await self._call.ask_async(orders.set_title(title))


class AsyncKv:
    """Keeps values for the plugin, which outlive it."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def get(self, key: str, default: Any = None) -> Any:
        """Return a value; `default` if none, or `None`, is kept."""
        return await self._call.ask_async(orders.kv_get(key, default))

    async def set(self, key: str, value: Any) -> None:
        """Keep a value: any JSON."""
        await self._call.ask_async(orders.kv_set(key, value))

    async def delete(self, key: str) -> None:
        """Keep it no longer."""
        await self._call.ask_async(orders.kv_delete(key))

    async def list(self, prefix: str = "") -> Names:
        """Return the keys that begin like that."""
        return await self._call.ask_async(orders.kv_list(prefix))


class AsyncSession:
    """Acts in the session for which the plugin works: in commands and hooks alone."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def send_message(self, text: str, role: Role = "assistant") -> None:
        """Post a message into the session."""
        await self._call.ask_async(orders.send_message(text, role))

    async def send_user_message(self, text: str, deliver_as: Delivery = "follow_up") -> None:
        """Say something in the person's stead."""
        await self._call.ask_async(orders.send_user_message(text, deliver_as))

    async def append_entry(self, entry: Mapping[str, Any]) -> None:
        """Keep an entry with the session, which no model is shown."""
        await self._call.ask_async(orders.append_entry(entry))

    async def set_model(
        self, model: str, *, provider: str | None = None, thinking: str | None = None
    ) -> None:
        """Have another model answer from the next turn on."""
        await self._call.ask_async(orders.set_model(model, provider, thinking))

    async def state(self) -> dict[str, Any]:
        """Return how the session stands, as the host tells it."""
        return await self._call.ask_async(orders.state())


class AsyncContext(BaseContext):
    """What an `async` function is given as `ctx`."""

    def __init__(self, call: Call) -> None:
        super().__init__(call)
        self.ui = AsyncUi(call)
        """The people for whom the plugin works."""
        self.kv = AsyncKv(call)
        """What the host keeps for the plugin."""
        self.session = AsyncSession(call)
        """The session: in commands and hooks alone."""

    async def exec(
        self,
        command: str,
        args: Sequence[str] = (),
        *,
        cwd: str | None = None,
        timeout_seconds: float | None = None,
    ) -> ExecResult:
        """Have the host run a program, which it may refuse, and return what it printed."""
        return await self.call.ask_async(orders.run(command, args, cwd), timeout_seconds)

    async def set_active_tools(self, names: Sequence[str]) -> Names:
        """Offer of the plugin's tools these alone, and return which are offered now."""
        return await self.call.ask_async(orders.set_active_tools(names))
