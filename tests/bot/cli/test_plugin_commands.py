"""`papercup plugin list`, `info`, `validate` and `doctor`."""

import asyncio
import json
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from typer.testing import Result

from bot.control.plugin_reports import PLUGINS_PATH
from bot.control.server import serving_control
from bot.data_folder import held_data_folder
from tests.bot.cli.test_main import REPORT, papercup
from tests.fakes.plugin_folders import sep_plugin, stdio_plugin

FAKE = Path(__file__).parents[2] / "fakes/plugins/stdio_plugin.py"
SERVER = Path(__file__).parents[2] / "fakes/plugin_children/mcp_server.py"


class _Home:
    """A folder with a configuration, in which plugins are put."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.plugins = path / "plugins"
        (path / "config.toml").touch()

    def run(self, *arguments: str) -> Result:
        config = ("--config", str(self.path / "config.toml"))
        more = () if arguments[0] == "validate" else config
        return papercup(self.path, "plugin", *arguments, *more)

    def json(self, *arguments: str, code: int = 0) -> Any:
        result = self.run(*arguments, "--json")
        assert result.exit_code == code, result.output
        return json.loads(result.stdout)

    def real_plugin(self, name: str) -> Path:
        """Put a plugin there that really runs, and return its program."""
        manifest = stdio_plugin(self.plugins / name, name)
        command = 'command = "python3"\nargs = ["-ISE", "main.py"]'
        text = manifest.read_text().replace(f'command = "./{name}"', command)
        manifest.write_text(text.replace("greet", "add"))
        return Path(shutil.copy(FAKE, manifest.parent / "main.py"))

    def file(self, name: str, text: str) -> None:
        """Write a file among the plugins."""
        path = self.plugins / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def trust(self, *names: str) -> None:
        for name in names:
            assert self.run("trust", name, "--yes").exit_code == 0


@pytest.fixture
def home(tmp_path: Path) -> _Home:
    return _Home(tmp_path)


def test_a_list_says_which_there_are_and_what_keeps_them_from_running(home: _Home) -> None:
    stdio_plugin(home.plugins / "a", "weather")
    sep_plugin(home.plugins / "b", "Todo", "[requires]\nenv = ['TODO_TOKEN']\n")
    stdio_plugin(home.plugins / "c", "../../escape")
    home.trust("weather")

    result = home.run("list")
    lines = result.stdout.splitlines()

    assert result.exit_code == 0
    assert lines[0].split() == ["Plugin", "Version", "Kind", "Found", "in", "State"]
    assert lines[1].split()[:5] == ["todo", "0.1.0", "sep", "search", "path"]
    assert "not loaded: it lacks variables that are not set: TODO_TOKEN" in lines[1]
    assert lines[2].split() == ["weather", "0.1.0", "stdio", "search", "path", "trusted"]
    assert lines[3] == "ERRORS (1):"
    assert "plugin.id `../../escape` must match" in lines[4]


def test_what_a_guard_that_may_not_run_any_more_forbids_is_shown(home: _Home) -> None:
    sep_plugin(home.plugins / "gate", "gate", "hooks = ['tool_call']\n")
    sep_plugin(home.plugins / "dice", "dice", "hooks = ['input']\n")
    home.trust("dice", "gate")
    for name in ("gate", "dice"):
        (home.plugins / name / "new.py").touch()
    states = {each["id"]: each["state"] for each in home.json("list")["plugins"]}

    changed = "not loaded: its files have changed since it was looked at: `papercup plugin trust"
    assert states == {
        "dice": f"{changed} dice`",
        "gate": f"{changed} gate`; as long as it is down, no tool is used",
    }


def test_of_several_with_one_id_the_one_that_is_trusted_is_listed(home: _Home) -> None:
    sep_plugin(home.plugins / "b", "gate")
    home.trust("gate")
    sep_plugin(home.plugins / "a", "gate")
    known = home.json("list")

    assert [(each["id"], each["state"]) for each in known["plugins"]] == [("gate", "trusted")]
    assert known["plugins"][0]["folder"].endswith("/b")
    (note,) = known["diagnostics"]
    assert "it is not trusted, so another is kept" in note["message"]


def test_where_there_are_none_it_is_said_where_they_were_looked_for(home: _Home) -> None:
    lines = home.run("list").stdout.splitlines()
    assert lines[0] == "No plugins are found. They are looked for in:"
    assert f"  {home.plugins} (not there)" in lines
    assert f"  {home.path / '.smooth/extensions'} (not there)" in lines


def test_a_list_as_json_has_everything(home: _Home) -> None:
    sep_plugin(home.path / ".papercup/plugins/todo", "todo", "exec = true\n")
    (home.path / "config.toml").write_text("[plugins]\nenabled = false\n")

    found = home.json("list")

    assert (found["enabled"], found["running"], found["scanned"]) == (False, False, 1)
    assert found["roots"][0] == {
        "path": str(home.plugins),
        "scope": "search path",
        "found": False,
    }
    (plugin,) = found["plugins"]
    assert plugin["id"] == "todo"
    assert plugin["scope"] == "user"
    assert plugin["capabilities"]["tools"] is True
    assert plugin["capabilities"]["exec"] is True
    assert plugin["trusted"] is False
    assert plugin["running"] is None
    assert plugin["hash"].startswith("sha256:")


def test_all_that_is_known_of_a_plugin_is_shown(home: _Home) -> None:
    stdio_plugin(home.plugins / "a", "weather", "[requires]\nbins = ['no-such-program']\n")
    shown = home.run("info", "weather")
    known = home.json("info", "weather")

    assert shown.exit_code == 0
    rows = dict(line.split(maxsplit=1) for line in shown.stdout.splitlines())
    assert rows["dialect"].strip() == "stdio"
    assert rows["hash"].strip() == known["hash"]
    assert known["missing"] == {"bins": ["no-such-program"], "env": []}


def test_what_others_wrote_cannot_draw_on_the_terminal(home: _Home) -> None:
    stdio_plugin(home.plugins / "a\x1b[2J", "x\\u001B[2J")
    sep_plugin(home.plugins / "b", "todo")
    manifest = home.plugins / "b/extension.toml"
    manifest.write_text('description = "\\u001B]0;owned\\u0007"\n' + manifest.read_text())

    for arguments in (("list",), ("info", "todo"), ("doctor",), ("validate", str(home.plugins))):
        assert "\x1b" not in home.run(*arguments).output


def test_an_unknown_plugin_ends_with_1(home: _Home) -> None:
    result = home.run("info", "nobody")
    assert result.exit_code == 1
    assert "no plugin is called 'nobody'" in result.stderr


def test_a_manifest_is_validated(home: _Home) -> None:
    good = stdio_plugin(home.plugins / "good", "weather").parent
    bad = stdio_plugin(home.plugins / "bad", "Weather")

    assert home.run("validate", str(good)).stdout == "valid: weather 0.1.0 (stdio)\n"
    wrong = home.run("validate", str(bad))
    assert wrong.exit_code == 2
    assert "plugin.id `Weather` must match" in wrong.stdout
    assert home.run("validate", str(home.path / "nowhere")).exit_code == 1
    assert home.json("validate", str(bad), code=2)["valid"] is False
    assert home.json("validate", str(good))["plugin"]["id"] == "weather"


def test_the_doctor_names_what_is_wrong_and_ends_with_2(home: _Home) -> None:
    assert home.run("doctor").stdout == (
        "scanned 0 dirs\ndiscovered 0 candidates\nno diagnostics.\n"
    )
    stdio_plugin(home.plugins / "bad", "Weather")
    result = home.run("doctor")
    assert result.exit_code == 2
    assert "ERRORS (1):" in result.stdout


def test_plugins_are_tried_that_are_trusted(home: _Home) -> None:
    home.real_plugin("good")
    home.real_plugin("bad").write_text("raise SystemExit(3)")
    home.real_plugin("unknown")
    home.trust("good", "bad")

    found = home.json("doctor", "--runtime", code=9)

    checks = {each["id"]: each for each in found["checks"]}
    assert {name: each["outcome"] for name, each in checks.items()} == {
        "bad": "fail",
        "good": "ok",
        "unknown": "skip",
    }
    assert (found["ok"], found["fail"], found["skip"]) == (1, 1, 1)
    assert checks["good"]["elapsed_ms"] > 0
    assert checks["good"]["tools"] == ["ext_good_add"]
    assert "child exited before handshake completed" in checks["bad"]["error"]
    assert "nobody has trusted it yet" in checks["unknown"]["error"]


def test_mcp_servers_and_programs_of_plugins_are_tried_too(
    home: _Home, caplog: pytest.LogCaptureFixture
) -> None:
    for name, program in (("shell", "sh"), ("gone", "no-such-program")):
        home.file(f"{name}/plugin.toml", f"name = '{name}'\ncommand = '{program} -c true'\n")
    for name, script in (("notes", SERVER.read_text()), ("broken", "raise SystemExit(3)")):
        home.file(f"{name}/mcp.toml", _server("files"))
        home.file(f"{name}/server.py", script)
    home.real_plugin("both")
    servers = {"up": ("-ISE", "up.py"), "down": ("-ISE", "down.py")}
    entries = {each: {"command": "python3", "args": args} for each, args in servers.items()}
    home.file("both/.mcp.json", json.dumps({"mcpServers": entries}))
    home.file("both/up.py", SERVER.read_text())
    home.file("both/down.py", "raise SystemExit(3)")
    home.trust("shell", "gone", "notes", "broken", "both")

    checks = {each["id"]: each for each in home.json("doctor", "--runtime", code=9)["checks"]}

    assert {name: (each["transport"], each["outcome"]) for name, each in checks.items()} == {
        "both": ("stdio", "fail"),
        "broken": ("bridge", "fail"),
        "gone": ("wrapper", "fail"),
        "notes": ("bridge", "ok"),
        "shell": ("wrapper", "ok"),
    }
    assert "ext_notes_say" in checks["notes"]["tools"]
    assert {"ext_both_add", "ext_both_up_say"} <= set(checks["both"]["tools"])
    assert checks["both"]["error"].startswith("MCP server `down`: ")
    assert checks["broken"]["error"].startswith("MCP server `files`: ")
    assert checks["gone"]["error"] == "its program 'no-such-program' is not found on PATH"
    assert "not served here" not in caplog.text


def _server(name: str) -> str:
    return f'[[servers]]\nname = "{name}"\ncommand = "python3"\nargs = ["-ISE", "server.py"]\n'


def test_a_trial_is_shown_as_a_table(home: _Home) -> None:
    home.real_plugin("good")
    home.trust("good")

    result = home.run("doctor", "--runtime")
    head, row, sums = result.stdout.splitlines()

    assert result.exit_code == 0
    assert head.split() == ["ID", "TRANSPORT", "OUTCOME", "ELAPSED", "ERROR"]
    assert row.split()[:3] == ["good", "stdio", "ok"]
    assert sums == "1 ok, 0 fail, 0 skip"


@asynccontextmanager
async def _bot(home: _Home, reports: list[dict[str, Any]]) -> AsyncGenerator[None, None]:
    async def answer(_request: web.Request) -> web.Response:
        return web.json_response(reports)

    with held_data_folder(home.path / "data") as folder:
        routes = [web.get(PLUGINS_PATH, answer)]
        async with serving_control(folder.control_socket, lambda: REPORT, routes=routes):
            yield


async def test_beside_a_running_bot_it_is_asked_how_its_plugins_do(home: _Home) -> None:
    for name in ("up", "down", "new"):
        home.real_plugin(name)
    await asyncio.to_thread(home.trust, "up", "down", "new")
    reports: list[dict[str, Any]] = [
        {"id": "up", "state": "ready", "reason": None, "tools": ["ext_up_x"], "commands": []},
        {"id": "down", "state": "failed", "reason": "it fell over", "tools": [], "commands": []},
    ]
    async with _bot(home, reports):
        listed = await asyncio.to_thread(home.run, "list")
        tried = await asyncio.to_thread(home.json, "doctor", "--runtime", code=9)

    assert "failed: it fell over" in listed.stdout
    assert "not found any more" not in listed.stdout
    assert {each["id"]: (each["outcome"], each["error"]) for each in tried["checks"]} == {
        "up": ("ok", None),
        "down": ("fail", "it fell over"),
        "new": ("skip", "the running bot has not loaded it"),
    }


async def test_what_runs_but_is_not_what_is_found_is_shown(home: _Home) -> None:
    program = home.real_plugin("changed")
    await asyncio.to_thread(home.trust, "changed")
    program.write_text(program.read_text() + "# Changed.\n")
    reports: list[dict[str, Any]] = [
        {"id": each, "state": "ready", "reason": None} for each in ("changed", "gone")
    ]
    async with _bot(home, reports):
        listed = await asyncio.to_thread(home.run, "list")
        known = await asyncio.to_thread(home.json, "list")

    assert "ready, but cannot be started again: its files have changed" in listed.stdout
    assert "gone runs, but is not found any more: `papercup plugin reload gone`" in listed.stdout
    assert known["not_found"] == ["gone"]
