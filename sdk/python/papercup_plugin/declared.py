"""What an author declared, and what the host is told of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from papercup_plugin.docstrings import read_docstring
from papercup_plugin.errors import BadArgumentsError
from papercup_plugin.handlers import Handler
from papercup_plugin.json_values import as_object
from papercup_plugin.names import checked_name
from papercup_plugin.results import CompletionItem, completion_items
from papercup_plugin.type_forms import arguments_form

if TYPE_CHECKING:
    from papercup_plugin.calls import Call
    from papercup_plugin.forms import ObjectForm, Schema
    from papercup_plugin.providers import Provider
    from papercup_plugin.widgets import Widget

T = TypeVar("T")

WIDGET_KEY = "widget/key"
BUS_EVENT = "bus/event"

OnChange: TypeAlias = Callable[[dict[str, Any]], None]
"""Told what of the registrations is new."""


class Tool:
    """A tool."""

    def __init__(
        self,
        handler: Handler,
        *,
        name: str,
        description: str | None,
        parameters: Schema | None,
        deferred: bool,
    ) -> None:
        self.name = name
        self.deferred = deferred
        self._handler = handler
        self._parameters = parameters
        self._description = description
        self._form: ObjectForm | None = None

    def registration(self) -> dict[str, Any]:
        """Return what the host is told of it.

        Raises:
            TypeError: If the type of a parameter has no form in JSON.
        """
        description = self._description
        if description is None:
            description = read_docstring(self._handler.function.__doc__).text
        told = {"name": self.name, "description": description, "parameters": self._schema()}
        return told | ({"deferred": True} if self.deferred else {})

    def used(self, call: Call, arguments: Any) -> Any:
        """Use it, and return what its function returns.

        Raises:
            BadArgumentsError: If the arguments do not fit.
        """
        given = as_object(arguments)
        if given is None:
            raise BadArgumentsError("`arguments` has to be an object")
        if self._parameters is not None:
            return self._handler.given(call, given)
        return self._handler.named(call, self._read_form().read_members(given, ""))

    def _schema(self) -> Schema:
        return self._read_form().schema() if self._parameters is None else self._parameters

    def _read_form(self) -> ObjectForm:
        # Only now: what the types name may stand further down in the author's file.
        if self._form is None:
            try:
                self._form = arguments_form(self._handler.function, self._handler.signature)
            except TypeError as error:
                raise TypeError(f"tool {self.name!r}: {error}") from error
        return self._form


class Command:
    """A command."""

    def __init__(
        self,
        handler: Handler,
        *,
        name: str,
        description: str | None,
        complete: Handler | Iterable[Any] | None,
    ) -> None:
        self.name = name
        self.handler = handler
        self.complete = complete if isinstance(complete, Handler) else [*(complete or ())]
        self._description = description

    def registration(self) -> dict[str, Any]:
        """Return what the host is told of it."""
        description = self._description
        if description is None:
            description = read_docstring(self.handler.function.__doc__).text.partition("\n")[0]
        return {"name": self.name, "description": description}

    def completed(self, call: Call, partial: str) -> list[CompletionItem]:
        """Return what `partial` may be completed to."""
        if isinstance(self.complete, Handler):
            return completion_items(self.complete.given(call, partial))
        items = completion_items(self.complete)
        return [each for each in items if each.value.lower().startswith(partial.lower())]


class Declared:
    """All that a plugin declares."""

    def __init__(self, name: str, version: str) -> None:
        self.name = name
        self.version = version
        self.tools: dict[str, Tool] = {}
        self.commands: dict[str, Command] = {}
        self.hooks: dict[str, list[Handler]] = {}
        self.events: dict[str, list[Handler]] = {}
        self.topics: dict[str, list[Handler]] = {}
        self.widgets: dict[str, Widget] = {}
        self.providers: dict[str, Provider] = {}
        self.flags: dict[str, Any] = {}
        """With what they are if the operator does not say."""
        self.shortcuts: list[dict[str, Any]] = []
        self.renderers: list[dict[str, Any]] = []
        self.on_change: list[OnChange] = []
        """While the plugin runs: tells each host."""

    def keep(self, offered: dict[str, T], name: str, thing: T, what: str) -> None:
        """Keep what is offered under a name; one that runs already may offer it anew.

        Raises:
            TypeError: If the name is no text.
            ValueError: If it is no name, or something else has it.
        """
        if checked_name(name, what) in offered and not self.on_change:
            raise ValueError(f"there is a {what} {name!r} already; give one of them another name")
        offered[name] = thing

    def changed(self, registrations: Callable[[], Mapping[str, Any]]) -> None:
        """Take it that something was declared; a host that runs the plugin already is told."""
        for tell in tuple(self.on_change):
            tell(dict(registrations()))

    def subscriptions(self) -> list[str]:
        """Return the events of which the plugin wants to be told."""
        # Keys come to whose widget it is, without being asked for.
        events = [name for name in self.events if name != WIDGET_KEY]
        bus = [BUS_EVENT, *self.topics] if self.topics else []
        return list(dict.fromkeys([*events, *bus]))

    def registrations(self) -> dict[str, Any]:
        """Return what the host is told when the plugin starts.

        Raises:
            TypeError: If the type of a tool's parameter has no form in JSON.
        """
        told: dict[str, list[Any]] = {
            "tools": [each.registration() for each in self.tools.values()],
            "commands": [each.registration() for each in self.commands.values()],
            "flags": list(self.flags),
            "shortcuts": self.shortcuts,
            "subscriptions": self.subscriptions(),
            "providers": [each.registration() for each in self.providers.values()],
            "message_renderers": self.renderers,
        }
        # Hooks always: whoever does not say which it has is asked at every point.
        return {name: each for name, each in told.items() if each} | {"hooks": list(self.hooks)}
