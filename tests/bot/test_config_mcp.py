"""MCP servers in the configuration."""

import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from bot.config_mcp import McpServerConfig
from bot.config_reading import ConfigReading, Surroundings, read_config, values_of
from bot.errors import ConfigError, ConfigProblem

EXAMPLE = Path(__file__).parents[2] / "config.example.toml"


def read(folder: Path, text: str, **environment: str) -> ConfigReading:
    (folder / "config.toml").write_text(text, encoding="utf-8")
    where = Surroundings(working_folder=folder, environment={"HOME": str(folder)} | environment)
    return read_config(None, where)


def problem(folder: Path, text: str, **environment: str) -> ConfigProblem:
    with pytest.raises(ConfigError) as caught:
        read(folder, text, **environment)
    (only,) = caught.value.problems
    return only


def test_without_any_there_are_none(tmp_path: Path) -> None:
    assert read(tmp_path, "").config.mcp == {}


def test_a_server_that_is_called_and_one_that_is_run_are_read(tmp_path: Path) -> None:
    text = """
        [mcp.tickets]
        url = "https://tickets.example/mcp"
        headers = { Authorization = "Bearer ${TICKETS_TOKEN}", X-Team = "blue" }
        tools = ["search"]
        [mcp.notes-2]
        command = "notes"
        args = ["--folder", "/srv"]
        env = { NOTES = "${NOTES_KEY}/${USER}" }
    """
    reading = read(tmp_path, text)

    assert reading.config.mcp == {
        "tickets": McpServerConfig(
            url="https://tickets.example/mcp",
            headers={"Authorization": "Bearer ${TICKETS_TOKEN}", "X-Team": "blue"},
            tools=("search",),
        ),
        "notes-2": McpServerConfig(
            command="notes", args=("--folder", "/srv"), env={"NOTES": "${NOTES_KEY}/${USER}"}
        ),
    }
    assert reading.config.mcp["notes-2"].variables == {"NOTES_KEY", "USER"}
    assert reading.sources["mcp.tickets.url"] == str(tmp_path / "config.toml")


def test_what_is_shown_of_a_server_is_nothing_that_may_be_a_secret(tmp_path: Path) -> None:
    text = """
        [mcp.tickets]
        url = "https://tickets.example/mcp"
        headers = { Authorization = "Bearer ${TICKETS_TOKEN}", X-Team = "blue" }
    """
    reading = read(tmp_path, text)

    shown = {path: v for path, v in values_of(reading.config).items() if path.startswith("mcp.")}

    assert shown == {
        "mcp.tickets.url": "https://tickets.example/mcp",
        "mcp.tickets.headers": {"Authorization": "Bearer ${TICKETS_TOKEN}", "X-Team": "…"},
    }
    assert set(shown) <= set(reading.sources)


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        ("mcp = 3", "mcp", "write [mcp.NAME]"),
        ('mcp.Big = {url = "https://a"}', "mcp.Big", "must be called by a name of at most 32"),
        ('mcp.papercup = {url = "https://a"}', "mcp.papercup", "not papercup"),
        ('mcp.a__b = {url = "https://a"}', "mcp.a__b", "must be called by"),
        ("mcp.a = 3", "mcp.a", "write [mcp.a]"),
        ("[mcp.a]", "mcp.a", "must have either url or command"),
        ('mcp.a = {url = "https://a", command = "b"}', "mcp.a", "either url or command"),
        ('mcp.a = {url = "https://a", args = ["b"]}', "mcp.a", "neither args nor env"),
        ('mcp.a = {command = "a", headers = {B = "c"}}', "mcp.a", "no headers"),
        ('mcp.a = {url = "ftp://a"}', "mcp.a.url", "http:// or https://"),
        ('mcp.a = {url = "https://me:word@a"}', "mcp.a.url", "http:// or https://"),
        ('mcp.a = {url = "https://a/${PAPERCUP_TOKEN}"}', "mcp.a.url", "http:// or https://"),
        ('mcp.a = {command = "${SHELL}"}', "mcp.a.command", "without ${…}"),
        ('mcp.a = {command = "a", args = ["${B}"]}', "mcp.a.args", "without ${…}"),
        ('mcp.a = {command = "a", env = {"B C" = "d"}}', "mcp.a.env", "a table of variables"),
        ('mcp.a = {command = "a", env = {B = "${C:-d}"}}', "mcp.a.env", "a table of variables"),
        ('mcp.a = {url = "https://a", headers = {B = "c\\nd"}}', "mcp.a.headers", "of headers"),
        ('mcp.a = {url = "https://a", tools = ["b c"]}', "mcp.a.tools", "the name of a tool"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, text: str, key: str, reason: str) -> None:
    found = problem(tmp_path, text)
    assert (found.key, reason in found.reason) == (key, True)


def test_an_unknown_key_is_refused_with_the_nearest(tmp_path: Path) -> None:
    found = problem(tmp_path, 'mcp.a = {url = "https://a", header = {}}')
    assert (found.key, found.suggestion) == ("mcp.a.header", "mcp.a.headers")
    assert "[mcp.a] has url, headers, command, args, env, tools" in found.reason


@pytest.mark.parametrize(
    "server",
    [
        'url = "https://a", headers = {Authorization = "Bearer abc"}',
        'url = "https://a", headers = {X-Api-Key = "abc"}',
        'url = "https://a", headers = {X = "ghp_abcabcabcabcabcabcabcabcabcabcabcabc"}',
        'url = "https://a?api_key=abc"',
        'url = "https://a", token = "abc"',
        'command = "a", env = {A_TOKEN = "abc"}',
        'command = "a", args = ["--api-key=abc"]',
    ],
)
def test_a_secret_is_refused_and_not_repeated(tmp_path: Path, server: str) -> None:
    found = problem(tmp_path, f"mcp.x = {{{server}}}")
    assert "looks like a secret" in found.reason
    assert "${NAME}" in found.reason
    assert "abc" not in str(found).replace(str(tmp_path), "")


@pytest.mark.parametrize("name", ["DISCORD_TOKEN", "ANTHROPIC_API_KEY"])
def test_the_bots_own_secrets_go_to_no_server(tmp_path: Path, name: str) -> None:
    found = problem(tmp_path, f'mcp.a = {{command = "a", env = {{B = "${{{name}}}"}}}}')
    assert found.reason == f"must not name {name}: that is the bot's"


def test_servers_cannot_be_set_by_environment(tmp_path: Path) -> None:
    found = problem(tmp_path, "", PAPERCUP_MCP__A__URL="https://a")
    assert "MCP servers stand in the file alone" in found.reason


def test_the_servers_of_the_example_are_allowed_and_show_every_key(tmp_path: Path) -> None:
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    begin = next(at for at, line in enumerate(lines) if line.startswith("# [mcp."))
    bare = [line.removeprefix("# ") for line in lines[begin:]]
    text = "\n".join(line for line in bare if line.startswith("[") or " = " in line)

    servers = read(tmp_path, text).config.mcp

    assert set(servers) == {"tickets", "notes"}
    written = {leaf for server in tomllib.loads(text)["mcp"].values() for leaf in server}
    assert written == {one.name for one in fields(McpServerConfig)}
