"""Asking the models of plugins' providers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot.plugin_services.provider_asking import ProviderAsking, ProviderQuestion
from extensions.errors import PluginCallError, PluginNotFoundError
from extensions.hooks import Occasion
from extensions.plugins.credentials import CredentialFiles
from extensions.plugins.providers import Providers
from extensions.plugins.registrations import ModelRegistration, ProviderRegistration, Registrations
from extensions.plugins.served import OnDelta

PIECES = (
    {"type": "Reasoning", "content": "hm"},
    {"type": "Delta", "content": "s"},
    {"type": "Delta", "content": 6},
    {"type": "Delta", "content": "ix"},
    {"type": "Done", "finish_reason": "stop"},
)


@dataclass
class FakePlugin:
    """A plugin with the provider `local`."""

    models: tuple[ModelRegistration, ...] = (ModelRegistration(id="tiny"),)
    id: str = "dice"
    epoch: int = 1
    asked: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def registrations(self) -> Registrations:
        return Registrations(providers=(ProviderRegistration(name="local", models=self.models),))

    async def request(
        self, method: str, params: Mapping[str, Any], *, timeout_seconds: float
    ) -> Any:
        raise NotImplementedError

    async def complete_with(
        self, request: Mapping[str, Any], occasion: Occasion, *, on_delta: OnDelta | None = None
    ) -> Mapping[str, Any]:
        del occasion
        self.asked.append(request)
        for piece in PIECES if on_delta is not None else ():
            assert on_delta is not None
            on_delta(piece)
        return {"content": "six"}


def asking(folder: Path, plugin: FakePlugin) -> ProviderAsking:
    credentials = CredentialFiles(folder)
    return ProviderAsking(Providers(lambda: [plugin], credentials, clock=lambda: 1.0))


async def test_a_model_is_asked_and_its_pieces_are_heard(tmp_path: Path) -> None:
    plugin, pieces = FakePlugin(), list[str]()
    question = ProviderQuestion(provider="dice/local", prompt="Roll.", model="large")
    answer = await asking(tmp_path, plugin)(question, pieces.append)

    assert (answer, pieces) == ("six", ["s", "ix"])
    (asked,) = plugin.asked
    assert asked["model"] == "large"
    assert asked["messages"] == [{"role": "user", "content": "Roll."}]


async def test_without_a_model_it_is_the_first_that_the_provider_names(tmp_path: Path) -> None:
    plugin = FakePlugin()
    await asking(tmp_path, plugin)(ProviderQuestion(provider="local", prompt="?"), print)
    nameless = asking(tmp_path, FakePlugin(models=()))
    with pytest.raises(PluginCallError, match="local names no model: say which"):
        await nameless(ProviderQuestion(provider="local", prompt="?"), print)

    assert plugin.asked[0]["model"] == "tiny"


async def test_a_provider_that_nobody_offers_is_named(tmp_path: Path) -> None:
    with pytest.raises(PluginNotFoundError, match="no plugin offers a provider of that name"):
        await asking(tmp_path, FakePlugin())(ProviderQuestion(provider="far", prompt="?"), print)
