"""Which variables plugins get."""

from dataclasses import replace
from pathlib import Path

import pytest

from extensions.plugins.environment import (
    EnvironmentTerms,
    Home,
    environment_names,
    looks_secret,
    plugin_environment,
    server_environment,
    server_values,
)
from extensions.plugins.manifest import Dialect, Manifest, McpServerSpec, Requires, RunSpec
from extensions.process.child import running_child

HOME = Home(version="0.1.0", state_folder=Path("/d/state"), cache_folder=Path("/d/cache"))
OWN = {
    "PYTHONPYCACHEPREFIX": "/d/cache",
    "AGENT_VERSION": "0.1.0",
    "AGENT_EXTENSION_ID": "dice",
    "NEXO_EXTENSION_STATE_ROOT": "/d/state",
}
SECRET_LIKE = [
    *("TOKEN", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "DATABASE_URL", "REDIS_URL"),
    *("SENTRY_DSN", "MYSQL_PWD", "APIKEY", "COOKIE", "KUBECONFIG", "PGPASSFILE", "PGPASSWORD"),
    *("SSH_AUTH_SOCK", "LD_PRELOAD", "NODE_OPTIONS", "PYTHONPATH", "HTTPS_PROXY", "GH_TOKEN"),
    *("GITHUB_TOKEN", "GH_PASS", "NPM_TOKEN", "OPENAI_API_KEY", "GEMINI_API_KEY", "SLACK_BEARER"),
    *("STRIPE_SECRET", "SMTP_PASSWORD", "SMTP_PASSWD", "FTP_CREDENTIAL", "GCP_CREDENTIALS"),
    *("AZURE_PAT", "BASIC_AUTH", "MAPS_APIKEY", "WEB_SESSION", "MY_PRIVATE_KEY_PEM", "VAULT_ADDR"),
    *("DISCORD_TOKEN", "DISCORD_BOT", "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "XAUTHORITY"),
]


def manifest(*env: str, **own: str) -> Manifest:
    return Manifest(
        id="dice",
        dialect=Dialect.STDIO,
        version="1.0.0",
        name="Dice",
        run=RunSpec(command="dice", env=own),
        requires=Requires(env=env),
    )


def test_of_the_bots_variables_only_harmless_ones_pass() -> None:
    parent = {
        **dict.fromkeys(SECRET_LIKE, "hush"),
        "PATH": "/bin",
        "HOME": "/h",
        "LANG": "C",
        "LC_ALL": "C",
        "LC_CTYPE": "C",
        "TMPDIR": "/t",
        "TERM": "dumb",
        "SystemRoot": "x",
        "EDITOR": "vi",
    }
    given = plugin_environment(manifest(), parent, EnvironmentTerms(), HOME)

    assert given == {
        "PATH": "/bin",
        "HOME": "/h",
        "LANG": "C",
        "LC_ALL": "C",
        "LC_CTYPE": "C",
        "TMPDIR": "/t",
        "TERM": "dumb",
        "SystemRoot": "x",
        **OWN,
    }


def test_what_is_declared_passes_only_once_it_is_granted() -> None:
    parent = {"OPENAI_API_KEY": "sk", "EDITOR": "vi", "GH_TOKEN": "gh"}
    asking = manifest("OPENAI_API_KEY", "EDITOR", KEY="${env:GH_TOKEN}!", PLAIN="x")
    nothing = plugin_environment(asking, parent, EnvironmentTerms(), HOME)
    terms = EnvironmentTerms(granted=frozenset(environment_names(asking)))
    everything = plugin_environment(asking, parent, terms, HOME)

    assert environment_names(asking) == ("EDITOR", "GH_TOKEN", "OPENAI_API_KEY")
    assert nothing == {"KEY": "!", "PLAIN": "x", **OWN}
    assert everything == {**parent, "KEY": "gh!", "PLAIN": "x", **OWN}


def test_the_bots_own_secrets_never_pass_under_whatever_name() -> None:
    parent = {"DISCORD_TOKEN": "tok-123", "BOT": "Bearer tok-123", "ANTHROPIC_API_KEY": "sk-ant"}
    asking = manifest(*parent, A="${env:DISCORD_TOKEN}", B="${env:BOT}")
    terms = EnvironmentTerms(
        granted=frozenset(parent),
        passes_all=True,
        own_names=frozenset({"DISCORD_TOKEN", "ANTHROPIC_API_KEY"}),
        own_values=frozenset({"tok-123", ""}),
    )

    assert plugin_environment(asking, parent, terms, HOME) == {"A": "", "B": "", **OWN}


def test_passing_all_leaves_out_what_looks_like_a_secret_unless_it_is_granted() -> None:
    parent = {"EDITOR": "vi", "DATABASE_URL": "u", "GH_TOKEN": "gh", "my_api_key": "k", "N_PAT": ""}
    terms = EnvironmentTerms(passes_all=True, granted=frozenset({"GH_TOKEN"}))
    given = plugin_environment(manifest("GH_TOKEN"), parent, terms, HOME)

    assert given == {"EDITOR": "vi", "DATABASE_URL": "u", "GH_TOKEN": "gh", **OWN}


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        *[(f"X{ending}", True) for ending in ("_TOKEN", "_KEY", "_SECRET", "_PASSWORD", "_PASSWD")],
        *[(f"X{ending}", True) for ending in ("_PWD", "_CREDENTIAL", "_CREDENTIALS", "_PAT")],
        *[(f"x{ending}", True) for ending in ("_auth", "_apikey", "_bearer", "_session")],
        ("MY_PASSWORD_FILE", True),
        ("SECRETS_DIR", True),
        ("CREDENTIALS_PATH", True),
        ("PRIVATE_KEYS", True),
        ("TOKENIZER", False),
        ("TOKEN", False),
        ("KEYBOARD", False),
        ("PATH", False),
    ],
)
def test_names_look_secret_by_their_endings_and_by_words_in_them(
    name: str, *, is_secret: bool
) -> None:
    assert looks_secret(name) is is_secret


def test_a_manifest_says_nothing_of_where_the_plugin_is() -> None:
    lying = manifest(AGENT_EXTENSION_ID="other", NEXO_EXTENSION_STATE_ROOT="/etc", PATH="./bin")

    assert plugin_environment(lying, {"PATH": "/bin"}, EnvironmentTerms(), HOME) == {
        "PATH": "/bin",
        **OWN,
    }


def test_mcp_servers_are_granted_what_their_variables_and_headers_refer_to() -> None:
    server = McpServerSpec(
        url="https://mcp.example",
        env={"KEY": "${MAPS_KEY}"},
        headers={"Authorization": "Bearer ${env:MCP_TOKEN}"},
    )
    asking = replace(manifest(), mcp_servers={"maps": server})
    parent = {"MAPS_KEY": "m", "MCP_TOKEN": "t", "OTHER": "o", "PATH": "/bin"}
    terms = EnvironmentTerms(granted=frozenset({"MCP_TOKEN"}))

    assert environment_names(asking) == ("MAPS_KEY", "MCP_TOKEN")
    assert server_values(server.headers, parent, terms) == {"Authorization": "Bearer t"}
    assert server_environment(server.env, parent, terms) == {
        "PATH": "/bin",
        "MCP_TOKEN": "t",
        "KEY": "",
    }


async def test_a_real_child_sees_no_secret_but_the_one_that_was_granted(tmp_path: Path) -> None:
    assert len(set(SECRET_LIKE)) == 40
    parent = {"PATH": "/usr/bin:/bin", **{name: f"hush-{name}" for name in SECRET_LIKE}}
    asking = manifest("OPENAI_API_KEY", "DISCORD_TOKEN")
    terms = EnvironmentTerms(
        granted=frozenset(environment_names(asking)), own_names=frozenset({"DISCORD_TOKEN"})
    )
    environment = plugin_environment(asking, parent, terms, HOME)
    async with running_child(["env"], cwd=tmp_path, env=environment) as child:
        assert child.stdout is not None
        seen = (await child.stdout.read()).decode()

    assert [line for line in seen.splitlines() if "hush" in line] == [
        "OPENAI_API_KEY=hush-OPENAI_API_KEY"
    ]
