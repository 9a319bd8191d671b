"""What a plugin does when it is asked or told something, whatever the words on the wire."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from papercup_plugin.declared import BUS_EVENT, WIDGET_KEY, Command, Declared
from papercup_plugin.errors import BadArgumentsError, CallCancelled, RefusedError
from papercup_plugin.hooks import Outcome, merged, modify, proceed, read_outcome
from papercup_plugin.results import CompletionItem, ToolResult, command_text, tool_result
from papercup_plugin.workers import report, run_guarded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from papercup_plugin.calls import Call
    from papercup_plugin.models import Completion, CompletionRequest, Delta
    from papercup_plugin.providers import Provider


MOST_CHARACTERS = 10_000
"""Of what is said of an error."""


class Functions:
    """The author's functions, found and called. Its methods wait."""

    def __init__(self, declared: Declared) -> None:
        self._declared = declared

    def use_tool(self, name: str, arguments: Any, call: Call) -> ToolResult:
        """Use a tool, and return what it gives back; what goes wrong in it is an answer, too.

        Raises:
            BadArgumentsError: If there is no such tool.
            CallCancelled: If nobody waits for it any more.
        """
        tool = self._declared.tools.get(name)
        if tool is None:
            raise BadArgumentsError(f"there is no tool {name!r}")
        try:
            return tool_result(tool.used(call, arguments))
        except BadArgumentsError as error:
            return ToolResult(error.reason, is_error=True)
        except RefusedError as error:
            return ToolResult(error.message, is_error=True, details=error.details)
        except CallCancelled:
            raise
        # An author's function, or a library that it uses: even one that wants to exit.
        except BaseException as error:  # noqa: BLE001 - the host is told
            report()
            return ToolResult(in_words(error), is_error=True)

    def run_command(self, name: str, raw: str, call: Call) -> str | None:
        """Run a command, and return what it says; raises what its function raises."""
        return command_text(self._command(name).handler.given(call, raw))

    def complete_command(self, name: str, partial: str, call: Call) -> list[CompletionItem]:
        """Return what a command's arguments may be completed to; raises what the function does."""
        return self._command(name).completed(call, partial)

    def ask_hooks(self, name: str, event: Mapping[str, Any], call: Call) -> Outcome:
        """Ask the hooks of a point, one after the other; raises what they raise."""
        patch: dict[str, Any] = {}
        for handler in self._declared.hooks.get(name, ()):
            try:
                outcome = read_outcome(handler.given(call, {**event}))
            except RefusedError as error:
                return Outcome("block", error.message)
            if outcome.action == "block":
                return outcome
            event = merged(event, outcome)
            patch.update(outcome.patch)
        return modify(patch) if patch else proceed()

    def tell(self, name: str, payload: Mapping[str, Any], call: Call) -> None:
        """Tell whoever wants to know; what goes wrong is written to the standard error."""
        for handler in self._declared.events.get(name, ()):
            run_guarded(partial(handler.given, call, {**payload}))
        if name == BUS_EVENT:
            said = payload.get("payload")
            for handler in self._declared.topics.get(str(payload.get("topic")), ()):
                run_guarded(partial(handler.given, call, said))
        elif name == WIDGET_KEY:
            run_guarded(partial(self._press, payload, call))

    def complete(
        self,
        request: CompletionRequest,
        call: Call,
        on_delta: Callable[[Delta], None],
    ) -> Completion:
        """Return a model's answer; raises what its function raises."""
        return self._provider(request.provider).completed(call, request, on_delta)

    def log_in(self, provider: str, call: Call) -> dict[str, Any]:
        """Return what somebody was granted; raises what the function raises."""
        return self._provider(provider).logged_in(call)

    def refresh(self, provider: str, refresh_token: str, call: Call) -> dict[str, Any]:
        """Return what was granted anew; raises what the function raises."""
        return self._provider(provider).refreshed(call, refresh_token)

    def _press(self, payload: Mapping[str, Any], call: Call) -> None:
        widgets = self._declared.widgets
        widget_id = payload.get("widget_id")
        # Some hosts do not say of which widget a key is.
        pressed = list(widgets.values()) if widget_id is None else [widgets.get(str(widget_id))]
        for widget in pressed:
            if widget is not None:
                widget.pressed(call, str(payload.get("key")))

    def _command(self, name: str) -> Command:
        found = self._declared.commands.get(name)
        if found is None:
            raise BadArgumentsError(f"there is no command {name!r}")
        return found

    def _provider(self, name: str) -> Provider:
        found = self._declared.providers.get(name)
        if found is None:
            raise BadArgumentsError(f"there is no provider {name!r}")
        return found


def in_words(error: BaseException) -> str:
    """Return what went wrong, for the model or people."""
    name = type(error).__name__
    try:
        said = str(error)
    except Exception:  # noqa: BLE001 - an author's own kind of error; what happened counts
        said = ""
    return f"{name}: {said}"[:MOST_CHARACTERS] if said else name
