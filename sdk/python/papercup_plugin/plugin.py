"""A plugin, in one file: what it offers is declared with decorators."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, overload

from papercup_plugin.bus import PluginBus
from papercup_plugin.declared import Command, Declared, Tool
from papercup_plugin.handlers import Handler
from papercup_plugin.hooks import HOOKS
from papercup_plugin.names import checked_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from papercup_plugin.forms import Schema
    from papercup_plugin.models import Model
    from papercup_plugin.providers import Provider
    from papercup_plugin.render import Block
    from papercup_plugin.shapes import (
        CommandT,
        CompleteFunction,
        Draw,
        EventT,
        Function,
        FunctionT,
        HookName,
        HookT,
    )
    from papercup_plugin.widgets import Widget


class Plugin:
    """A plugin.

        plugin = Plugin("dice", version="1.0.0")

        @plugin.tool
        def roll(sides: int = 6) -> str:
            \"\"\"Roll a die.\"\"\"
            return str(random.randint(1, sides))

        plugin.run()

    Functions may be plain or `async`. Plain ones run in threads, several at once, and are given a
    `Context`; `async` ones share an event loop, and are given an `AsyncContext`. Either has a
    parameter called `ctx` if it wants one.
    """

    def __init__(self, name: str, *, version: str) -> None:
        """Make it.

        Args:
            name: As in the manifest.
            version: Of the plugin.
        """
        self.declared = Declared(name, version)
        """For this package alone."""
        self.bus = PluginBus(self.declared)
        """The other plugins."""

    @property
    def name(self) -> str:
        """Its name."""
        return self.declared.name

    @overload
    def tool(self, function: FunctionT, /) -> FunctionT: ...
    @overload
    def tool(
        self, /, *, name: str | None = None, description: str | None = None, deferred: bool = False
    ) -> Callable[[FunctionT], FunctionT]: ...
    def tool(
        self,
        function: Any = None,
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        deferred: bool = False,
    ) -> Any:
        """Offer a function to models as a tool.

        Its parameters are those of the tool: their types become the schema, and its docstring
        says what it does. It returns a text, a `ToolResult`, or any JSON. What it raises is what
        the model is told.

        Args:
            function: The function.
            name: Of the tool; that of the function, if not given.
            description: For the model; the docstring, if not given.
            deferred: Whether models need not see it before they look for it.
        """

        def take(function: FunctionT) -> FunctionT:
            handler = Handler(function)
            called = function.__name__ if name is None else name
            self._offer(handler, called, description, None, deferred)
            return function

        return take if function is None else take(function)

    def register_tool(
        self,
        name: str,
        *,
        description: str,
        parameters: Schema,
        execute: Function,
        deferred: bool = False,
    ) -> None:
        """Offer a tool whose schema is written by hand.

        Args:
            name: Of the tool.
            description: For the model.
            parameters: JSON Schema of its arguments.
            execute: Is given the arguments, as they came, and returns as the function of `tool`.
            deferred: Whether models need not see it before they look for it.
        """
        self._offer(Handler(execute, most_values=1), name, description, parameters, deferred)

    @overload
    def command(self, function: CommandT, /) -> CommandT: ...
    @overload
    def command(
        self,
        name: str | None = None,
        /,
        *,
        description: str | None = None,
        complete: CompleteFunction | Iterable[Any] | None = None,
    ) -> Callable[[CommandT], CommandT]: ...
    def command(
        self, name: Any = None, /, *, description: str | None = None, complete: Any = None
    ) -> Any:
        """Offer a function to people as a command.

        It is given what stands after the command, and returns what people are told, or nothing.

        Args:
            name: Of the command, without the slash; that of the function, if not given.
            description: For people; the docstring's first line, if not given.
            complete: What the argument may be completed to: texts, or a function that is given
                what is typed so far and returns them. Each is a text, or a text and what people
                read beside it.
        """

        def take(function: CommandT) -> CommandT:
            handler = Handler(function, most_values=1)
            called = name if isinstance(name, str) else function.__name__
            completing = Handler(complete, most_values=1) if callable(complete) else complete
            command = Command(
                handler, name=called.removeprefix("/"), description=description, complete=completing
            )
            self.declared.keep(self.declared.commands, command.name, command, "command")
            self.declared.changed(lambda: {"commands": [command.registration()]})
            return function

        return take(name) if callable(name) else take

    def hook(self, name: HookName, /) -> Callable[[HookT], HookT]:
        """Have a function asked at a point, before something happens.

        It is given what it is about, and returns nothing to let it pass, `block("why")` to forbid
        it, or the members that shall be otherwise.

        Raises:
            ValueError: If there is no such point.
        """
        if name not in HOOKS:
            raise ValueError(f"there is no hook {name!r}, but {', '.join(HOOKS)}")

        def take(function: HookT) -> HookT:
            self.declared.hooks.setdefault(name, []).append(Handler(function, most_values=1))
            return function

        return take

    def on(self, *events: str) -> Callable[[EventT], EventT]:
        """Have a function told when something happens, one event after the other."""
        for name in events or (None,):
            checked_name(name, "event")

        def take(function: EventT) -> EventT:
            for name in events:
                handlers = self.declared.events.setdefault(name, [])
                handlers.append(Handler(function, most_values=1))
            self.declared.changed(lambda: {"subscriptions": self.declared.subscriptions()})
            return function

        return take

    def widget(self, widget_id: str, /) -> Callable[[Draw], Widget]:
        """Make of a function that returns a render block a widget, which may have keys."""
        from papercup_plugin.widgets import Widget  # noqa: PLC0415 - few need it

        checked_name(widget_id, "widget")

        def take(function: Draw) -> Widget:
            widget = Widget(widget_id, function)
            self.declared.keep(self.declared.widgets, widget_id, widget, "widget")
            return widget

        return take

    def provider(
        self,
        name: str,
        /,
        *,
        models: Iterable[str | Model] = (),
        base_url: str | None = None,
        api_key_env: str | None = None,
    ) -> Provider:
        """Give access to models; who answers for them, decorators of what is returned say.

        Args:
            name: Of the provider.
            models: Those that there are.
            base_url: Where they are, for people to know.
            api_key_env: The variable in which the plugin looks for its key, for people to know.
        """
        from papercup_plugin.providers import Provider  # noqa: PLC0415 - few need it

        def changed(provider: Provider) -> None:
            self.declared.changed(lambda: {"providers": [provider.registration()]})

        made = Provider(name, models, base_url=base_url, api_key_env=api_key_env, changed=changed)
        self.declared.keep(self.declared.providers, name, made, "provider")
        changed(made)
        return made

    def flag(self, name: str, default: Any = None) -> None:
        """Have the operator set something; `ctx.flags` says what it is."""
        self.declared.flags[name] = default
        self.declared.changed(lambda: {"flags": list(self.declared.flags)})

    def shortcut(self, key: str, command: str, *, description: str | None = None) -> None:
        """Have a key stand for a command, where people have keys."""
        described = {} if description is None else {"description": description}
        self.declared.shortcuts.append({"key": key, "command": command, **described})

    def message_renderer(self, tag: str, template: Block) -> None:
        """Say how messages with a tag are drawn; `{{path}}` stands for what they say."""
        self.declared.renderers.append({"tag": tag, "template": template})

    def registrations(self) -> Mapping[str, Any]:
        """Return what the host is told of all this.

        Raises:
            TypeError: If the type of a tool's parameter has no form in JSON.
        """
        return self.declared.registrations()

    def run(self) -> None:
        """Serve the host over the standard streams, until it says farewell or is gone."""
        if sys.stdin.isatty():
            sys.stderr.write(f"{self.name} is a plugin: Papercup starts it.\n")
            raise SystemExit(2)
        # What cannot be described shall end the program at once, and say why.
        self.registrations()
        from papercup_plugin.streams import serve, taken_over  # noqa: PLC0415 - not in tests

        try:
            serve(self.declared, taken_over())
        except KeyboardInterrupt:
            raise SystemExit(130) from None

    def _offer(
        self,
        handler: Handler,
        name: str,
        description: str | None,
        parameters: Schema | None,
        deferred: bool,  # noqa: FBT001 - as the decorators have it
    ) -> None:
        tool = Tool(
            handler, name=name, description=description, parameters=parameters, deferred=deferred
        )
        self.declared.keep(self.declared.tools, name, tool, "tool")
        self.declared.changed(lambda: {"tools": [tool.registration()]})
