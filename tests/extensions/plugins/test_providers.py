import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from extensions.errors import PluginCallError, PluginNotFoundError
from extensions.plugins.completions import Completion, CompletionRequest, ToolUse
from extensions.plugins.credentials import CredentialFiles, Credentials
from extensions.plugins.providers import Providers
from extensions.plugins.registrations import ProviderRegistration, Registrations
from tests.fakes.clock import FakeClock
from tests.fakes.served_plugin import FakeProviderPlugin

ASKED = CompletionRequest(model="m1", messages=[{"role": "user", "content": "hi"}])
OAUTH = Registrations(providers=(ProviderRegistration(name="llm", oauth=True),))
PLAIN = Registrations(providers=(ProviderRegistration(name="llm"),))


class Corp:
    """Answers as a company's provider would."""

    def __init__(self) -> None:
        self.completion: Any = {"content": "hello"}
        self.granted: Any = {"access_token": "a1", "refresh_token": "r1", "expires_at": 5000}

    async def __call__(self, method: str, _params: Mapping[str, Any]) -> Any:
        return self.completion if method == "provider/complete" else self.granted


class Office:
    """Providers over plugins that a test gives."""

    def __init__(self, folder: Path, *plugins: FakeProviderPlugin) -> None:
        self.files = CredentialFiles(folder)
        self.clock = FakeClock(1000.0)
        self.providers = Providers(lambda: plugins, self.files, self.clock)


def plugin_of(corp: Corp, registrations: Registrations = PLAIN) -> FakeProviderPlugin:
    return FakeProviderPlugin(corp, registrations=registrations)


async def test_a_model_is_asked_and_answers(tmp_path: Path) -> None:
    corp = Corp()
    corp.completion = {
        "content": "hello",
        "tool_calls": [{"id": "1", "name": "say", "arguments": {"a": 1}}],
        "finish_reason": "tool_calls",
        "usage": {"prompt_tokens": 3, "odd": "x", "flag": True},
        "reasoning_content": "hm",
        "resolved_model": "m1-large",
    }
    plugin = plugin_of(corp)

    done = await Office(tmp_path, plugin).providers.complete("corp/llm", ASKED)

    assert done == Completion(
        text="hello",
        tool_uses=(ToolUse(id="1", name="say", arguments={"a": 1}),),
        finish_reason="tool_calls",
        usage={"prompt_tokens": 3},
        reasoning="hm",
        model="m1-large",
    )
    params = {"provider": "llm", "model": "m1", "messages": ASKED.messages, "stream": False}
    assert plugin.asked == [("provider/complete", params)]


async def test_pieces_are_told_to_whoever_wants_them(tmp_path: Path) -> None:
    plugin = plugin_of(Corp())
    pieces: list[Mapping[str, Any]] = []
    request = CompletionRequest(
        model="m1",
        messages=[],
        tools=[{"name": "say"}],
        response_format={"type": "json_object"},
        thinking="high",
    )

    await Office(tmp_path, plugin).providers.complete("llm", request, on_delta=pieces.append)

    assert pieces == [{"type": "Delta", "content": "par"}]
    assert plugin.asked[0][1] == {
        "provider": "llm",
        "model": "m1",
        "messages": [],
        "stream": True,
        "tools": [{"name": "say"}],
        "response_format": {"type": "json_object"},
        "thinking": "high",
    }


@pytest.mark.parametrize(
    "completion",
    [None, [], {"content": 5}, {"tool_calls": 5}, {"tool_calls": [5]}, {"tool_calls": [{}]}],
)
async def test_an_answer_that_means_nothing_is_the_plugins_failure(
    tmp_path: Path, completion: object
) -> None:
    corp = Corp()
    corp.completion = completion

    with pytest.raises(PluginCallError, match="plugin corp: it answers: "):
        await Office(tmp_path, plugin_of(corp)).providers.complete("llm", ASKED)


def test_a_name_that_two_providers_have_has_to_be_said_whole(tmp_path: Path) -> None:
    one = plugin_of(Corp())
    other = FakeProviderPlugin(Corp(), id="club", registrations=PLAIN)
    providers = Office(tmp_path, one, other).providers

    assert [each.name for each in providers.offered()] == ["corp/llm", "club/llm"]
    assert providers.find("club/llm").plugin is other
    with pytest.raises(PluginNotFoundError, match="several providers are called that"):
        providers.find("llm")
    with pytest.raises(PluginNotFoundError, match="no plugin offers a provider of that name"):
        providers.find("gpt")


async def test_what_a_login_grants_is_kept_for_the_bots_own_user_alone(tmp_path: Path) -> None:
    plugin = plugin_of(Corp(), OAUTH)
    office = Office(tmp_path, plugin)

    await office.providers.log_in("llm")

    path = tmp_path / "corp" / "credentials.json"
    assert plugin.asked == [("provider/oauth_login", {"provider": "llm"})]
    assert json.loads(path.read_text())["llm"]["refresh_token"] == "r1"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o077 == 0
    assert [each.name for each in path.parent.iterdir()] == ["credentials.json"]


async def test_a_login_that_grants_nothing_has_failed(tmp_path: Path) -> None:
    corp = Corp()
    corp.granted = {"extra": {}}

    with pytest.raises(PluginCallError, match="neither a key nor a token"):
        await Office(tmp_path, plugin_of(corp, OAUTH)).providers.log_in("llm")


def methods_of(plugin: FakeProviderPlugin) -> list[str]:
    return [method for method, _ in plugin.asked]


async def test_credentials_are_renewed_before_they_expire(tmp_path: Path) -> None:
    corp = Corp()
    plugin = plugin_of(corp, OAUTH)
    office = Office(tmp_path, plugin)
    await office.providers.log_in("llm")
    corp.granted = {"access_token": "a2", "expires_at": 9000}

    await office.providers.complete("llm", ASKED)
    assert methods_of(plugin) == ["provider/oauth_login", "provider/complete"]
    office.clock.advance(3950)
    await office.providers.complete("llm", ASKED)

    assert methods_of(plugin)[2:] == ["provider/oauth_refresh", "provider/complete"]
    assert plugin.asked[2][1] == {"provider": "llm", "refresh_token": "r1"}
    # No other refresh token was granted, so the old one still holds.
    kept = office.files.load("corp", "llm")
    assert kept == Credentials(access_token="a2", refresh_token="r1", expires_at=9000)


async def test_a_plugin_that_was_started_anew_is_granted_anew(tmp_path: Path) -> None:
    plugin = plugin_of(Corp(), OAUTH)
    office = Office(tmp_path, plugin)
    await office.providers.log_in("llm")

    plugin.epoch = 2
    await office.providers.complete("llm", ASKED)
    await office.providers.complete("llm", ASKED)

    assert methods_of(plugin)[1:] == [
        "provider/oauth_refresh",
        "provider/complete",
        "provider/complete",
    ]


async def test_nothing_is_renewed_where_nobody_has_logged_in(tmp_path: Path) -> None:
    plugin = plugin_of(Corp(), OAUTH)

    await Office(tmp_path, plugin).providers.complete("llm", ASKED)

    assert methods_of(plugin) == ["provider/complete"]


async def test_whoever_logs_out_is_forgotten(tmp_path: Path) -> None:
    office = Office(tmp_path, plugin_of(Corp(), OAUTH))
    await office.providers.log_in("llm")

    assert await office.providers.log_out("llm")
    assert not await office.providers.log_out("llm")

    assert office.files.load("corp", "llm") is None


@pytest.mark.parametrize("content", ["", "[]", "nonsense", '{"llm": 5}', '{"llm": {}}'])
def test_a_file_that_cannot_be_read_holds_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / "corp").mkdir()
    (tmp_path / "corp" / "credentials.json").write_text(content)

    assert CredentialFiles(tmp_path).load("corp", "llm") is None


def test_credentials_do_not_show_in_a_traceback() -> None:
    kept = Credentials(api_key="k-1", access_token="a-1", refresh_token="r-1", extra={"s": "x-1"})

    assert not any(secret in repr(kept) for secret in ("k-1", "a-1", "r-1", "x-1"))
