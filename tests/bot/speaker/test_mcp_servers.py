from bot.config_mcp import McpServerConfig
from bot.speaker.mcp_servers import GivenServers, given_servers

SERVERS = {
    "called": McpServerConfig(url="https://a.example", tools=("b", "c")),
    "run": McpServerConfig(command="run", args=("x",), env={"ONE": "1"}),
    "secret": McpServerConfig(command="run", env={"KEY": "${KEY}-${KEY}"}),
}


def test_nothing_is_given_that_was_not_enabled() -> None:
    given = given_servers(frozenset(), SERVERS, {"KEY": "hush"}, is_jailed=False)
    assert given == GivenServers()


def test_servers_are_given_as_claude_configures_them_without_a_secret() -> None:
    given = given_servers(SERVERS, SERVERS, {"KEY": "hush", "HOME": "/root"}, is_jailed=False)

    assert given == GivenServers(
        entries={
            "called": {"type": "http", "url": "https://a.example", "headers": {}},
            "run": {"type": "stdio", "command": "run", "args": ["x"], "env": {"ONE": "1"}},
            "secret": {
                "type": "stdio",
                "command": "run",
                "args": [],
                "env": {"KEY": "${MCP_GIVEN_KEY}-${MCP_GIVEN_KEY}"},
            },
        },
        tools=("mcp__called__b", "mcp__called__c", "mcp__run", "mcp__secret"),
        environment={"MCP_GIVEN_KEY": "hush"},
    )
    assert "hush" not in repr(given)


def test_into_a_jail_goes_nothing_that_needs_a_network_or_a_secret() -> None:
    given = given_servers(SERVERS, SERVERS, {"KEY": "hush"}, is_jailed=True)

    assert (list(given.entries), given.environment) == (["run"], {})
    works = "this permission mode works in a jail, which has"
    assert given.remarks == (
        f"I go on without the MCP server `called`: {works} no network.",
        f"I go on without the MCP server `secret`: it needs a secret, and {works} none.",
    )
