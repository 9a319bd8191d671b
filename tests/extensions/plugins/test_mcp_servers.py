import pytest

from extensions.plugins.manifest import McpServerSpec
from extensions.plugins.manifest_values import ManifestError, Table
from extensions.plugins.mcp_servers import (
    MAX_SERVERS,
    is_http_url,
    servers_in_manifest,
    with_root,
)


def _server(**keys: object) -> McpServerSpec:
    return servers_in_manifest(Table({"mcp_servers": {"x": keys}})).servers["x"]


@pytest.mark.parametrize(
    ("keys", "transport"),
    [
        ({"command": "npx"}, "stdio"),
        ({"url": "https://box"}, "streamable_http"),
        ({"url": "https://box", "type": "http"}, "streamable_http"),
        ({"url": "https://box", "type": "streamable-http"}, "streamable_http"),
        ({"url": "https://box", "transport": "sse"}, "sse"),
        ({"url": "https://box", "transport": "auto"}, "auto"),
    ],
)
def test_how_a_server_is_reached_need_not_be_said(keys: dict[str, object], transport: str) -> None:
    assert _server(**keys).transport == transport


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({}, "mcp server `x`: stdio requires non-empty command"),
        ({"command": "../sh"}, "leads out of the plugin's folder"),
        ({"command": "${EXTENSION_ROOT}/../sh"}, "leads out of the plugin's folder"),
        ({"url": "https://box", "transport": "carrier-pigeon"}, "is none of auto, sse, stdio"),
        ({"url": "https://box", "headers": {"A": "b\nc"}}, "header `A` cannot be sent"),
        ({"command": "x", "env": {"A B": "c"}}, "names the variable `A B`"),
        ({"command": "x", "colour": "red"}, "unknown field `mcp_servers.x.colour`"),
    ],
)
def test_what_is_wrong_is_named(keys: dict[str, object], reason: str) -> None:
    with pytest.raises(ManifestError) as caught:
        _server(**keys)
    assert reason in caught.value.reason


def test_there_are_only_so_many() -> None:
    servers = {f"s{number}": {"command": "x"} for number in range(MAX_SERVERS + 1)}
    with pytest.raises(ManifestError, match="more than 32 mcp servers"):
        servers_in_manifest(Table({"mcp_servers": servers}))


def test_the_plugins_folder_is_put_in_where_it_is_named() -> None:
    server = _server(
        command="${EXTENSION_ROOT}/bin/geo",
        args=["--data=${EXTENSION_ROOT}/data"],
        env={"HERE": "${EXTENSION_ROOT}"},
    )
    assert with_root(server, "/plugins/x") == McpServerSpec(
        command="/plugins/x/bin/geo", args=("--data=/plugins/x/data",), env={"HERE": "/plugins/x"}
    )


@pytest.mark.parametrize("url", ["http://box", "https://box:8443/a?b=c", "http://[::1]:80/"])
def test_an_address_names_a_host(url: str) -> None:
    assert is_http_url(url)


@pytest.mark.parametrize(
    "url", ["", "box", "ftp://box", "https://", "https://box:99999", "https://a b", "http://[::1"]
)
def test_anything_else_is_no_address(url: str) -> None:
    assert not is_http_url(url)
