"""Plugins whose tools come from elsewhere than from a program that speaks a dialect."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from extensions.errors import PluginCallError, PluginError
from extensions.hooks import HookPoint, Occasion
from extensions.plugins.lifecycle import Failed, Ready, Shutdown
from extensions.plugins.manifest import Candidate, McpServerSpec, Tier
from extensions.plugins.parts import Offer, OfferedTool
from extensions.plugins.registrations import PluginAnswer, ToolRegistration
from extensions.tools import ToolAnswer
from tests.fakes.plugin_host import HERE, SPEAKER, HostKit, sep
from tests.fakes.plugin_peer import FakePrograms


@dataclass
class FakeTier:
    """Implements `TierOpener`: offers one tool, which says in which folder it was opened."""

    open: list[str] = field(default_factory=list)
    offers: list[Offer] = field(default_factory=list)
    error: Exception | None = None

    @asynccontextmanager
    async def __call__(self, candidate: Candidate, offer: Offer) -> AsyncGenerator[None, None]:
        if self.error is not None:
            raise self.error
        self.open.append(candidate.id)
        self.offers.append(offer)
        offer((self.tool("list"),))
        try:
            yield
        finally:
            self.open.remove(candidate.id)

    def tool(self, name: str) -> OfferedTool:
        async def call(arguments: Mapping[str, Any], occasion: Occasion) -> PluginAnswer:
            return PluginAnswer(text=f"{name} {dict(arguments)} {occasion.session_id}")

        schema = {"type": "object", "properties": {"path": {"type": "string"}}}
        return OfferedTool(registration=ToolRegistration(name=name, schema=schema), call=call)


def wrapper(name: str) -> Candidate:
    candidate = sep(name)
    return replace(candidate, manifest=replace(candidate.manifest, tier=Tier.WRAPPER, run=None))


def names(kit: HostKit) -> list[str]:
    return [tool.name for tool in kit.registry.visible_to(SPEAKER)]


async def test_its_tools_are_offered_like_those_of_any_plugin() -> None:
    kit, tier = HostKit(), FakeTier()
    async with kit.host(wrapper("files"), tiers={Tier.WRAPPER: tier}) as host:
        plugin = host.find("files")
        assert (plugin.state, names(kit)) == (Ready(), ["ext_files_list"])
        assert await kit.use("ext_files_list", path="x") == ToolAnswer("list {'path': 'x'} chat")
        wrong = await kit.use("ext_files_list", path=1)
        assert wrong.is_error
        assert not host.is_hooked(HookPoint.TOOL_CALL)
        assert host.report()[0]["tier"] == "wrapper"

    assert (plugin.state, tier.open, names(kit)) == (Shutdown(), [], [])


async def test_what_it_offers_may_change() -> None:
    kit, tier = HostKit(), FakeTier()
    async with kit.host(wrapper("files"), tiers={Tier.WRAPPER: tier}):
        tier.offers[0]((tier.tool("find"), tier.tool("list")))
        assert names(kit) == ["ext_files_list", "ext_files_find"]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (PluginError("files", "no such command"), "no such command"),
        (ZeroDivisionError(), "an error inside Papercup, which is in its log"),
    ],
)
async def test_one_that_cannot_be_opened_has_failed_until_it_is_reloaded(
    error: Exception, reason: str
) -> None:
    kit, tier = HostKit(), FakeTier(error=error)
    async with kit.host(wrapper("files"), tiers={Tier.WRAPPER: tier}) as host:
        assert host.find("files").state == Failed(reason)
        with pytest.raises(PluginCallError, match=reason):
            await host.reload(wrapper("files"))
        tier.error = None
        await host.reload(wrapper("files"))
        assert names(kit) == ["ext_files_list"]


async def test_a_tier_that_nobody_serves_is_named() -> None:
    async with HostKit().host(wrapper("files")) as host:
        reason = "plugins of the tier wrapper are not served here"
        assert host.find("files").state == Failed(reason)


async def test_one_that_is_refused_is_not_opened() -> None:
    async def refuse(_candidate: Candidate) -> str | None:
        return "untrusted"

    tier = FakeTier()
    parts = {"tiers": {Tier.WRAPPER: tier}, "refusal_of": refuse}
    async with HostKit().host(wrapper("files"), **parts) as host:
        assert (host.find("files").state, tier.open) == (Failed("untrusted"), [])


async def test_the_servers_that_a_program_brings_along_come_and_go_with_it() -> None:
    kit, tier, programs = HostKit(), FakeTier(), FakePrograms()
    candidate = sep("echo", mcp_servers={"files": McpServerSpec(command="x")})
    others = {"tiers": {Tier.BRIDGE: tier}, "open_peer": programs}
    async with kit.host(candidate, **others) as host:
        assert names(kit) == ["ext_echo_list", "ext_echo_say"] or names(kit) == [
            "ext_echo_say",
            "ext_echo_list",
        ]
        assert sorted(host.report()[0]["tools"]) == ["ext_echo_list", "ext_echo_say"]
        await host.unload("echo")
        assert (tier.open, names(kit)) == ([], [])


async def test_a_plugin_of_another_tier_than_before_is_loaded_anew() -> None:
    kit, tier, programs = HostKit(), FakeTier(), FakePrograms()
    async with kit.host(wrapper("echo"), tiers={Tier.WRAPPER: tier}, open_peer=programs) as host:
        first = host.find("echo")
        second = await host.reload(sep("echo"))
        assert first is not second
        assert (first.state, tier.open, names(kit)) == (Shutdown(), [], ["ext_echo_say"])
        await asyncio.sleep(0)
        assert host.find("echo").offered[0].name == "say"
        with pytest.raises(PluginCallError):
            await first.call_tool("list", {}, HERE)
