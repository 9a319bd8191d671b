"""What a plain function is given: each method waits for the host, in the function's own thread.

All of them may raise HostError, NoAnswerError and CallCancelled.
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


class Ui:
    """Reaches the people for whom the plugin works. Where there are none, nobody answers."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def has_ui(self, kind: str | None = None) -> bool:
        """Say whether people can be reached, or shown and asked what is of that kind."""
        return self._call.facts.has_ui(kind)

    def select(
        self, prompt: str, options: Sequence[str], *, timeout_seconds: float | None = None
    ) -> str | None:
        """Have people choose one of several, and return it; `None` if nobody did."""
        return self._call.ask(orders.select(prompt, options), timeout_seconds)

    def confirm(self, prompt: str, *, timeout_seconds: float | None = None) -> bool:
        """Return whether people said yes; `False` if nobody answered."""
        return self._call.ask(orders.confirm(prompt), timeout_seconds)

    def input(
        self, prompt: str, default: str | None = None, *, timeout_seconds: float | None = None
    ) -> str | None:
        """Return what people wrote; `None` if nobody did.

        Args:
            prompt: What is asked.
            default: What stands there before they write.
            timeout_seconds: How long they may take.
        """
        return self._call.ask(orders.input_text(prompt, default), timeout_seconds)

    def notify(self, message: str, level: Level = "info") -> None:
        """Tell people something."""
        self._call.ask(orders.notify(message, level))

    def set_status(self, status: str) -> None:
        """Show a line of status; an empty one takes it away."""
        self._call.ask(orders.set_status(status))

    def set_widget(self, block: Block | None) -> None:
        """Show a render block in place of what was shown before; `None` takes that away."""
        self._call.ask(orders.set_widget(block))

    def set_title(self, title: str) -> None:
        """Change the title of the place."""
        self._call.ask(orders.set_title(title))


class Kv:
    """Keeps values for the plugin, which outlive it."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def get(self, key: str, default: Any = None) -> Any:
        """Return a value; `default` if none, or `None`, is kept."""
        return self._call.ask(orders.kv_get(key, default))

    def set(self, key: str, value: Any) -> None:
        """Keep a value: any JSON."""
        self._call.ask(orders.kv_set(key, value))

    def delete(self, key: str) -> None:
        """Keep it no longer."""
        self._call.ask(orders.kv_delete(key))

    def list(self, prefix: str = "") -> Names:
        """Return the keys that begin like that."""
        return self._call.ask(orders.kv_list(prefix))


class Session:
    """Acts in the session for which the plugin works: in commands and hooks alone."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def send_message(self, text: str, role: Role = "assistant") -> None:
        """Post a message into the session."""
        self._call.ask(orders.send_message(text, role))

    def send_user_message(self, text: str, deliver_as: Delivery = "follow_up") -> None:
        """Say something in the person's stead."""
        self._call.ask(orders.send_user_message(text, deliver_as))

    def append_entry(self, entry: Mapping[str, Any]) -> None:
        """Keep an entry with the session, which no model is shown."""
        self._call.ask(orders.append_entry(entry))

    def set_model(
        self, model: str, *, provider: str | None = None, thinking: str | None = None
    ) -> None:
        """Have another model answer from the next turn on."""
        self._call.ask(orders.set_model(model, provider, thinking))

    def state(self) -> dict[str, Any]:
        """Return how the session stands, as the host tells it."""
        return self._call.ask(orders.state())


class Context(BaseContext):
    """What a plain function is given as `ctx`."""

    def __init__(self, call: Call) -> None:
        super().__init__(call)
        self.ui = Ui(call)
        """The people for whom the plugin works."""
        self.kv = Kv(call)
        """What the host keeps for the plugin."""
        self.session = Session(call)
        """The session: in commands and hooks alone."""

    def exec(
        self,
        command: str,
        args: Sequence[str] = (),
        *,
        cwd: str | None = None,
        timeout_seconds: float | None = None,
    ) -> ExecResult:
        """Have the host run a program, which it may refuse, and return what it printed."""
        return self.call.ask(orders.run(command, args, cwd), timeout_seconds)

    def set_active_tools(self, names: Sequence[str]) -> Names:
        """Offer of the plugin's tools these alone, and return which are offered now."""
        return self.call.ask(orders.set_active_tools(names))
