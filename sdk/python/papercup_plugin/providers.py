"""Models that a plugin gives access to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from papercup_plugin.errors import BadArgumentsError
from papercup_plugin.handlers import Handler
from papercup_plugin.json_values import named
from papercup_plugin.models import (
    Completion,
    CompletionRequest,
    Credentials,
    Delta,
    Model,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from papercup_plugin.calls import Call
    from papercup_plugin.shapes import CompleteT, LoginT, RefreshT


class Provider:
    """A provider of models; what `Plugin.provider` returns.

        acme = plugin.provider("acme", models=["grey"])

        @acme.complete
        def answer(request: CompletionRequest) -> Iterator[str]:
            yield from ask_acme(request.messages)

    What is yielded is sent on as it comes.
    """

    def __init__(
        self,
        name: str,
        models: Iterable[str | Model],
        *,
        base_url: str | None,
        api_key_env: str | None,
        changed: Callable[[Provider], None],
    ) -> None:
        self.name = name
        self._models = [Model(each) if isinstance(each, str) else each for each in models]
        self._base_url = base_url
        self._api_key_env = api_key_env
        self._changed = changed
        self._complete: Handler | None = None
        self._login: Handler | None = None
        self._refresh: Handler | None = None

    def complete(self, function: CompleteT) -> CompleteT:
        """Have a function answer: given a `CompletionRequest`, it returns or yields the answer."""
        self._complete = Handler(function, most_values=1, may_yield=True)
        self._changed(self)
        return function

    def oauth_login(self, function: LoginT) -> LoginT:
        """Have a function log somebody in, whom it asks by `ctx.ui`; it returns `Credentials`."""
        self._login = Handler(function, most_values=0)
        self._changed(self)
        return function

    def oauth_refresh(self, function: RefreshT) -> RefreshT:
        """Have a function renew credentials: given the refresh token, it returns new ones."""
        self._refresh = Handler(function, most_values=1)
        return function

    def registration(self) -> dict[str, Any]:
        """Return what the host is told of it."""
        return named(
            name=self.name,
            base_url=self._base_url,
            api_key_env=self._api_key_env,
            oauth=True if self._login is not None else None,
            models=[named(**each.parts()) for each in self._models],
        )

    def completed(
        self, call: Call, request: CompletionRequest, on_delta: Callable[[Delta], None]
    ) -> Completion:
        """Return the answer to a request, and hand on its pieces if they are wanted."""
        handler = _there(self._complete, f"the provider {self.name!r} cannot answer yet")
        if not handler.signature.is_generator:
            return _completion(handler.given(call, request))
        gathered = _Gathered(on_delta if request.stream else None)
        returned = handler.streamed(call, gathered.take, request)
        return gathered.completion(returned)

    def logged_in(self, call: Call) -> dict[str, Any]:
        """Return what somebody was granted who logged in."""
        handler = _there(self._login, f"nobody can log in to {self.name!r}")
        return _granted(handler.given(call))

    def refreshed(self, call: Call, refresh_token: str) -> dict[str, Any]:
        """Return what was granted for a refresh token."""
        handler = _there(self._refresh, f"the credentials of {self.name!r} cannot be renewed")
        return _granted(handler.given(call, refresh_token))


def _there(handler: Handler | None, otherwise: str) -> Handler:
    if handler is None:
        raise BadArgumentsError(otherwise)
    return handler


class _Gathered:
    """What a function yields."""

    def __init__(self, on_delta: Callable[[Delta], None] | None) -> None:
        self._on_delta = on_delta
        self._texts: list[str] = []
        self._said = Completion()

    def take(self, piece: Any) -> None:
        if isinstance(piece, Completion):
            self._said = piece
            return
        if not isinstance(piece, str | Mapping):
            raise TypeError(f"a provider yields texts, deltas and a Completion, not {piece!r}")
        delta = text(piece) if isinstance(piece, str) else dict(cast("Delta", piece))
        if delta.get("type") == "Delta":
            self._texts.append(str(delta.get("content", "")))
        if self._on_delta is not None:
            self._on_delta(delta)

    def completion(self, returned: Any) -> Completion:
        """Return the answer, put together from what was yielded and returned."""
        said = self._said if returned is None else _completion(returned)
        return said if said.content else said.replaced(content="".join(self._texts))


def _completion(returned: Any) -> Completion:
    if isinstance(returned, str):
        return Completion(returned)
    if not isinstance(returned, Completion):
        raise TypeError(f"a provider answers a text or a Completion, not {returned!r}")
    return returned


def _granted(returned: Any) -> dict[str, Any]:
    granted = returned.parts() if isinstance(returned, Credentials) else dict(returned)
    return named(**granted)
