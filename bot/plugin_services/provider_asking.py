"""Asks the models of plugins' providers on behalf of the operator."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from extensions.errors import PluginCallError
from extensions.plugins.completions import CompletionRequest
from extensions.plugins.providers import Providers

OnPiece = Callable[[str], None]
"""Told each piece of an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderQuestion:
    """What a model is asked."""

    provider: str
    """As `plugin/provider`, or its own name alone where no other has it."""
    model: str | None = None
    """`None`: the first that the provider names."""
    prompt: str


class Ask(Protocol):
    """Asks a model of a plugin's provider."""

    async def __call__(self, question: ProviderQuestion, on_piece: OnPiece, /) -> str:
        """Ask it, and return its whole answer; `on_piece` is called with each piece.

        Raises:
            PluginError: If it came to nothing.
        """
        ...


class ProviderAsking:
    """Asks the providers that plugins offer; implements `Ask`."""

    def __init__(self, providers: Providers) -> None:
        self._providers = providers

    async def __call__(self, question: ProviderQuestion, on_piece: OnPiece, /) -> str:
        """Ask it, and return its whole answer.

        Raises:
            PluginNotFoundError: If there is no such provider.
            PluginCallError: If there is no answer.
        """

        def hear(event: Mapping[str, Any]) -> None:
            content = event.get("content")
            if event.get("type") == "Delta" and isinstance(content, str):
                on_piece(content)

        request = CompletionRequest(
            model=question.model or self._first_model(question.provider),
            messages=[{"role": "user", "content": question.prompt}],
        )
        done = await self._providers.complete(question.provider, request, on_delta=hear)
        return done.text

    def _first_model(self, name: str) -> str:
        offered = self._providers.find(name)
        if not offered.registration.models:
            raise PluginCallError(offered.plugin.id, f"{name} names no model: say which")
        return offered.registration.models[0].id
