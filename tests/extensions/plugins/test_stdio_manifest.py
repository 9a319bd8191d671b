import pytest

from extensions.plugins.manifest import (
    Capabilities,
    Dialect,
    Manifest,
    McpServerSpec,
    Requires,
    RunSpec,
    Tier,
)
from extensions.plugins.manifest_reading import PLUGIN_TOML, HostFacts, read_manifest
from extensions.plugins.manifest_values import ManifestError

MINIMAL = """\
[plugin]
id = "my-weather"
version = "0.1.0"
[capabilities]
tools = ["get_weather"]
[transport]
kind = "stdio"
command = "./my-weather"
"""


def _read(text: str, *, version: str = "0.1.0") -> Manifest:
    host = HostFacts(version=version)
    return read_manifest(PLUGIN_TOML, text.encode(), folder_name="x", host=host)


def _reason(text: str, *, version: str = "0.1.0") -> str:
    with pytest.raises(ManifestError) as caught:
        _read(text, version=version)
    return caught.value.reason


def test_the_least_that_is_needed() -> None:
    assert _read(MINIMAL) == Manifest(
        id="my-weather",
        dialect=Dialect.STDIO,
        tier=Tier.PROCESS,
        version="0.1.0",
        name="my-weather",
        run=RunSpec(command="./my-weather"),
        capabilities=Capabilities(tools=frozenset({"get_weather"})),
    )


def test_every_key_is_read() -> None:
    text = """\
[plugin]
id = "my_plugin"
version = "1.2.3"
name = "My Plugin"
description = "Does things"
min_agent_version = "0.1.0"
priority = -10
[capabilities]
tools = ["t1", "t2"]
hooks = ["before_message"]
channels = ["my_channel"]
providers = ["my_provider"]
pollers = ["feed"]
[transport]
type = "stdio"
command = "/usr/local/bin/my-plugin"
args = ["--json", "--quiet"]
[requires]
bins = ["jq"]
env = ["WEATHER_TOKEN"]
[context]
passthrough = true
[mcp_servers.local]
transport = "stdio"
command = "${EXTENSION_ROOT}/bin/geo"
env = { LEVEL = "debug" }
[mcp_servers.api]
url = "https://api.example.com/mcp"
headers = { Authorization = "Bearer x" }
[outbound_bindings]
telegram = ["main"]
[meta]
author = "Cristian García"
license = "MIT"
"""
    assert _read(text) == Manifest(
        id="my_plugin",
        dialect=Dialect.STDIO,
        version="1.2.3",
        name="My Plugin",
        description="Does things",
        run=RunSpec(command="/usr/local/bin/my-plugin", args=("--json", "--quiet")),
        mcp_servers={
            "local": McpServerSpec(command="${EXTENSION_ROOT}/bin/geo", env={"LEVEL": "debug"}),
            "api": McpServerSpec(
                url="https://api.example.com/mcp",
                transport="streamable_http",
                headers={"Authorization": "Bearer x"},
            ),
        },
        capabilities=Capabilities(
            tools=frozenset({"t1", "t2"}),
            hooks=frozenset({"before_message"}),
            providers=frozenset({"my_provider"}),
        ),
        requires=Requires(bins=("jq",), env=("WEATHER_TOKEN",)),
        passes_context=True,
        priority=-10,
        unserved=(
            "channels `my_channel`: not served, never called",
            "pollers `feed`: not served, never called",
            "outbound_bindings `telegram`: no channel of a plugin is served",
        ),
    )


@pytest.mark.parametrize(
    ("line", "instead", "reason"),
    [
        ('id = "my-weather"', 'id = ""', "plugin.id is empty"),
        (
            'id = "my-weather"',
            'id = "My Plugin"',
            "plugin.id `My Plugin` must match `^[a-z][a-z0-9_-]*$` (max 64 chars)",
        ),
        ('id = "my-weather"', 'id = "memory"', "plugin.id `memory` is reserved for native plugins"),
        (
            'id = "my-weather"',
            'id = "papercup"',
            "plugin.id `papercup` is reserved for native plugins",
        ),
        ('id = "my-weather"', "", "failed to parse TOML: missing field `plugin.id`"),
        ('id = "my-weather"', "id = 3", "failed to parse TOML: `plugin.id` must be text"),
        ('"0.1.0"', '"one"', "plugin.version `one` is not valid semver"),
        (
            '"0.1.0"',
            '"0.1.0"\nmin_agent_version = "x"',
            "plugin.min_agent_version `x` is not valid semver",
        ),
        (
            '"0.1.0"',
            '"0.1.0"\nmin_agent_version = "999.0.0"',
            "plugin requires agent >= 999.0.0, current is 0.1.0",
        ),
        ('"0.1.0"', f'"0.1.0"\ndescription = "{"x" * 513}"', "description exceeds 512 characters"),
        ('"0.1.0"', '"0.1.0"\npriority = 1.5', "`plugin.priority` must be a whole number"),
        ('"0.1.0"', '"0.1.0"\ncolour = "red"', "unknown field `plugin.colour`, expected one of"),
        (
            'tools = ["get_weather"]',
            "",
            "plugin must declare at least one tool, hook, channel, or provider",
        ),
        (
            '"get_weather"',
            '"Get-Weather"',
            "tools name `Get-Weather` is invalid (expected `^[a-z][a-z0-9_]*$`, max 64 chars)",
        ),
        ('"get_weather"', '"a", "a"', "duplicate tools name `a`"),
        ('"get_weather"', "3", "`capabilities.tools` must be text"),
        ('["get_weather"]', '"a"', "`capabilities.tools` must be a list of texts"),
        ('"./my-weather"', '" "', "transport.stdio requires non-empty `command`"),
        (
            '"./my-weather"',
            '"../../bin/sh"',
            "transport.stdio command `../../bin/sh` leads out of the plugin's folder",
        ),
        ('"./my-weather"', '"a\\u0000"', "holds a NUL"),
        ('kind = "stdio"', "", "missing field `transport.kind`"),
        ('kind = "stdio"', 'kind = "websocket"', "unknown transport `websocket`"),
        (
            'kind = "stdio"',
            'kind = "nats"\nsubject_prefix = " "',
            "transport.nats requires non-empty `subject_prefix`",
        ),
        (
            'kind = "stdio"',
            'kind = "nats"\nsubject_prefix = "ext.x"',
            "transport `nats` is not served: only `stdio` is",
        ),
        (
            'kind = "stdio"',
            'kind = "http"\nurl = "ftp://x"',
            "transport.http url `ftp://x` is invalid: expected http(s)://host[:port][/path]",
        ),
        (
            'kind = "stdio"',
            'kind = "http"\nurl = ""',
            "transport.http url `` is invalid: empty url",
        ),
        (
            'kind = "stdio"',
            'kind = "http"\nurl = "https://box:8443/rpc"',
            "transport `http` is not served: only `stdio` is",
        ),
    ],
)
def test_what_is_wrong_is_named(line: str, instead: str, reason: str) -> None:
    assert reason in _reason(MINIMAL.replace(line, instead))


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ("[wat]\nfoo = 1", "failed to parse TOML: unknown field `wat`"),
        ("[requires]\nbins = ['a/b']", "requires.bins name `a/b` is no name of a program"),
        ("[requires]\nenv = ['A-B']", "requires.env name `A-B` is no name of a variable"),
        ("[context]\npassthrough = 1", "`context.passthrough` must be true or false"),
        ("[outbound_bindings]\nx = []", "outbound_bindings `x` names no account"),
        (
            "[mcp_servers.BadName]\ncommand = 'x'",
            "mcp server name `BadName` is invalid (expected `^[a-z][a-z0-9_-]*$`, max 32 chars)",
        ),
        (
            "[mcp_servers.local]\ntransport = 'stdio'\ncommand = ''",
            "mcp server `local`: stdio requires non-empty command",
        ),
        (
            "[mcp_servers.api]\ntransport = 'sse'\nurl = 'ftp://x'",
            "mcp server `api`: url `ftp://x` is not valid http(s)",
        ),
    ],
)
def test_what_is_wrong_further_down_is_named(more: str, reason: str) -> None:
    assert reason in _reason(f"{MINIMAL}{more}\n")


def test_a_host_without_a_proper_version_takes_any_plugin() -> None:
    text = MINIMAL.replace('"0.1.0"', '"0.1.0"\nmin_agent_version = "9.0.0"')
    assert _read(text, version="unknown").id == "my-weather"


def test_a_description_is_counted_in_characters() -> None:
    text = MINIMAL.replace('"0.1.0"', f'"0.1.0"\ndescription = "{"ä" * 512}"')
    assert len(_read(text).description) == 512


def test_tables_of_servers_of_its_own_are_named_as_not_served() -> None:
    text = MINIMAL + "[capabilities.admin]\nread = true\n"
    assert _read(text).unserved == ("capabilities.admin is not served",)
