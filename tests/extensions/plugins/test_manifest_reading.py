import pytest

from extensions.plugins.manifest import Capabilities, Dialect, Manifest, McpServerSpec, Tier
from extensions.plugins.manifest_reading import (
    MANIFEST_NAMES,
    MCP_JSON,
    MCP_TOML,
    PACKAGE_JSON,
    PLUGIN_TOML,
    HostFacts,
    read_manifest,
    read_sidecar,
    with_servers,
)
from extensions.plugins.manifest_values import ManifestError

HOST = HostFacts(version="0.1.0")


def _reason(name: str, content: bytes, folder_name: str = "folder") -> str:
    with pytest.raises(ManifestError) as caught:
        read_manifest(name, content, folder_name=folder_name, host=HOST)
    return caught.value.reason


@pytest.mark.parametrize("name", MANIFEST_NAMES)
@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"\xff\xfe", b"\0\0\0", b"x = [", b"{}", b"[]", b"null", b"\xef\xbb\xbf[plugin]"),
        *(b"plugin = 3", b"[plugin]\nid = []", b"a = " + b"[" * 50_000, b"[" * 50_000, b"1e999"),
        *(b'{"smooth": ' + b"[" * 50_000, b"servers = 3", b"[[servers]]", b'{"a": NaN}'),
    ],
)
def test_whatever_a_manifest_holds_it_is_refused_with_a_reason(name: str, content: bytes) -> None:
    reason = _reason(name, content)
    assert reason
    assert "\n" not in reason


def test_a_mark_at_the_beginning_of_a_file_is_no_part_of_it() -> None:
    text = '\ufeffname = "jq"\ncommand = "jq"\n'
    assert read_manifest(PLUGIN_TOML, text.encode(), folder_name="x", host=HOST).id == "jq"


def test_servers_alone_make_a_plugin_that_is_called_as_its_folder() -> None:
    text = """\
[[servers]]
name = "github"
command = "docker"
args = ["run", "-i"]
[servers.env]
GITHUB_TOKEN = "${env:GITHUB_TOKEN}"

[[servers]]
name = "off"
command = "x"
disabled = true
"""
    assert read_manifest(MCP_TOML, text.encode(), folder_name="My Tools", host=HOST) == Manifest(
        id="my-tools",
        dialect=Dialect.STDIO,
        tier=Tier.BRIDGE,
        version="0.0.0",
        name="My Tools",
        mcp_servers={
            "github": McpServerSpec(
                command="docker",
                args=("run", "-i"),
                env={"GITHUB_TOKEN": "${env:GITHUB_TOKEN}"},
            )
        },
        capabilities=Capabilities(),
    )


@pytest.mark.parametrize(
    ("text", "folder_name", "reason"),
    [
        ("servers = []", "x", "it names no mcp server"),
        ("servers = [3]", "x", "`servers` must be tables"),
        ("[[servers]]\nname = 'a'\ncommand = 'b'\n" * 2, "x", "duplicate mcp server name `a`"),
        ("[[servers]]\nname = 'a'\ncommand = 'b'\n", "..", "the folder's name `..` can be no"),
        ("[[servers]]\nname = 'a'\ncommand = 'b'\nx = 1", "y", "unknown field `servers.x`"),
    ],
)
def test_wrong_servers_are_refused(text: str, folder_name: str, reason: str) -> None:
    assert reason in _reason(MCP_TOML, text.encode(), folder_name)


@pytest.mark.parametrize("key", ["mcpServers", "mcp_servers"])
def test_servers_beside_a_manifest_become_its_own(key: str) -> None:
    text = (
        f'{{"{key}": {{"fs": {{"command": "npx", "args": ["fs"], "cwd": "/"}},'
        ' "api": {"type": "http", "url": "https://box/mcp"}}}'
    )
    manifest = read_manifest(
        PLUGIN_TOML, b'name = "jq"\ncommand = "jq"\n', folder_name="x", host=HOST
    )

    found = with_servers(manifest, read_sidecar(MCP_JSON, text.encode()))

    assert found.mcp_servers == {
        "fs": McpServerSpec(command="npx", args=("fs",)),
        "api": McpServerSpec(url="https://box/mcp", transport="streamable_http"),
    }
    assert found.unserved == ("mcp server `fs`: `cwd` has no effect here",)


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff", b"[" * 50_000])
def test_a_file_of_servers_that_cannot_be_read_says_why(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_sidecar(MCP_JSON, content)


def test_a_package_without_the_key_is_no_manifest() -> None:
    assert _reason(PACKAGE_JSON, b'{"name": "x"}') == "it has no key `smooth`"
