"""The models that plugins give access to: asking them, and logging in to their providers."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from extensions.errors import PluginCallError, PluginNotFoundError
from extensions.hooks import NOWHERE, Occasion
from extensions.plugins.completions import Completion, CompletionRequest, read_completion
from extensions.plugins.credentials import CredentialFiles, Credentials, read_credentials
from extensions.plugins.fields import BadFieldError
from extensions.plugins.registrations import ProviderRegistration
from extensions.plugins.served import OnDelta, ProviderPlugin

logger = logging.getLogger(__name__)

LOGIN_SECONDS = 300.0
REFRESH_SECONDS = 60.0

_EARLY_SECONDS = 60.0
"""How long before they expire credentials are renewed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedProvider:
    """A provider that a plugin offers at present."""

    plugin: ProviderPlugin
    registration: ProviderRegistration

    @property
    def name(self) -> str:
        """What it is called everywhere: the plugin's id, a slash, and its own name."""
        return f"{self.plugin.id}/{self.registration.name}"


class Providers:
    """All providers that plugins offer."""

    def __init__(
        self,
        plugins: Callable[[], Sequence[ProviderPlugin]],
        credentials: CredentialFiles,
        clock: Callable[[], float],
    ) -> None:
        """Make it.

        Args:
            plugins: Returns the plugins that are ready at present.
            credentials: What providers were granted.
            clock: Gives Unix time, in seconds.
        """
        self._plugins = plugins
        self._credentials = credentials
        self._clock = clock
        self._renewed: dict[str, int] = {}
        """By the provider, to which of its plugin's programs its credentials were told."""
        # Two that ask at once must not use up one refresh token twice.
        self._renewing = asyncio.Lock()

    def offered(self) -> list[OfferedProvider]:
        """Return the providers that are offered at present."""
        return [
            OfferedProvider(plugin=plugin, registration=registration)
            for plugin in self._plugins()
            for registration in plugin.registrations.providers
        ]

    def find(self, name: str) -> OfferedProvider:
        """Return the provider of that name; its own name will do where no other has it.

        Raises:
            PluginNotFoundError: If there is none, or several have that name.
        """
        offered = self.offered()
        for each in offered:
            if each.name == name:
                return each
        called_so = [each for each in offered if each.registration.name == name]
        if len(called_so) == 1:
            return called_so[0]
        if called_so:
            names = ", ".join(each.name for each in called_so)
            raise PluginNotFoundError(name, f"several providers are called that: {names}")
        raise PluginNotFoundError(name, "no plugin offers a provider of that name")

    async def complete(
        self,
        name: str,
        request: CompletionRequest,
        *,
        occasion: Occasion = NOWHERE,
        on_delta: OnDelta | None = None,
    ) -> Completion:
        """Ask a model, and return what it answers.

        Args:
            name: The provider's.
            request: What is asked.
            occasion: On whose behalf.
            on_delta: Told each piece of the answer as it comes; without it, there are none.

        Raises:
            PluginNotFoundError: If there is no such provider.
            PluginCallError: If there is no answer.
        """
        provider = self.find(name)
        await self._renew_if_due(provider)
        params = request.params(provider.registration.name, is_streamed=on_delta is not None)
        result = await provider.plugin.complete_with(params, occasion, on_delta=on_delta)
        try:
            return read_completion(result)
        except BadFieldError as error:
            raise PluginCallError(provider.plugin.id, f"it answers: {error.reason}") from error

    async def log_in(self, name: str) -> None:
        """Have somebody log in to a provider, whom the plugin asks, and keep what was granted.

        Raises:
            PluginNotFoundError: If there is no such provider.
            PluginCallError: If nothing was granted.
            OSError: If it cannot be kept.
        """
        provider = self.find(name)
        async with self._renewing:
            granted = await self._granted(provider, "provider/oauth_login", None, LOGIN_SECONDS)
            await self._keep(provider, granted)

    async def log_out(self, name: str) -> bool:
        """Forget what a provider was granted; `False` if nothing was kept.

        Raises:
            PluginNotFoundError: If there is no such provider.
            OSError: If the file cannot be changed.
        """
        provider = self.find(name)
        forget = self._credentials.forget
        return await asyncio.to_thread(forget, provider.plugin.id, provider.registration.name)

    async def _renew_if_due(self, provider: OfferedProvider) -> None:
        """Have credentials renewed that expire, or of which the plugin's program knows nothing."""
        if not provider.registration.oauth:
            return
        plugin = provider.plugin
        async with self._renewing:
            load = self._credentials.load
            kept = await asyncio.to_thread(load, plugin.id, provider.registration.name)
            if kept is None or kept.refresh_token is None or not self._is_due(provider, kept):
                return
            token = kept.refresh_token
            granted = await self._granted(
                provider, "provider/oauth_refresh", token, REFRESH_SECONDS
            )
            await self._keep(provider, kept.renewed(granted))

    def _is_due(self, provider: OfferedProvider, kept: Credentials) -> bool:
        if self._renewed.get(provider.name) != provider.plugin.epoch:
            return True
        return kept.expires_at is not None and kept.expires_at - _EARLY_SECONDS <= self._clock()

    async def _granted(
        self, provider: OfferedProvider, method: str, refresh_token: str | None, seconds: float
    ) -> Credentials:
        params: dict[str, Any] = {"provider": provider.registration.name}
        if refresh_token is not None:
            params["refresh_token"] = refresh_token
        result = await provider.plugin.request(method, params, timeout_seconds=seconds)
        try:
            return read_credentials(result)
        except BadFieldError as error:
            raise PluginCallError(provider.plugin.id, f"it answers: {error.reason}") from error

    async def _keep(self, provider: OfferedProvider, credentials: Credentials) -> None:
        plugin_id, name = provider.plugin.id, provider.registration.name
        await asyncio.to_thread(self._credentials.save, plugin_id, name, credentials)
        self._renewed[provider.name] = provider.plugin.epoch
        logger.info("plugin %s: the credentials of a provider are kept", plugin_id)
