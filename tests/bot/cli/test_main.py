import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bot.cli.main import app
from bot.cli.platforms import require_linux
from bot.config_keys import known_keys
from bot.control.server import serving_control
from bot.control.status import StatusReport
from bot.errors import UnsupportedPlatformError

ROOT = Path(__file__).parents[3]
REPORT = StatusReport(
    pid=4711,
    started_at=1_750_000_000.0,
    version="0.1.0",
    discord="connected",
    bot_user="papercup#0001",
    jail="none",
    jail_reason="no user namespaces",
    claude_version="2.1.0",
    jobs={"running": 2, "queued": 0, "completed": 5},
    conversations=1,
    mcp_url="http://127.0.0.1:4001/mcp",
)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """An empty home folder that is the working folder, too."""
    before = Path.cwd()
    os.chdir(tmp_path)
    yield tmp_path
    os.chdir(before)


def papercup(home: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> Result:
    """Run a command with nothing in its environment but what is named."""
    unset = dict.fromkeys(
        [name for name in os.environ if name.startswith(("PAPERCUP_", "XDG_"))]
        + ["DISCORD_TOKEN", "ANTHROPIC_API_KEY"]
    )
    env = {**unset, "HOME": str(home), "COLUMNS": "200", **(environment or {})}
    return CliRunner().invoke(app, arguments, env=env)


def _papercup(home: Path, *arguments: str, **environment: str) -> Result:
    return papercup(home, *arguments, environment=environment)


def test_the_help_names_every_command(home: Path) -> None:
    result = _papercup(home, "--help")
    assert result.exit_code == 0
    assert [
        name
        for name in (
            "run",
            "demo",
            "config",
            "doctor",
            "jobs",
            "plugin",
            "project",
            "status",
            "version",
            "voice",
        )
        if f" {name} " not in result.stdout
    ] == []


@pytest.mark.parametrize(
    "command",
    [
        *(["run"], ["demo"], ["config", "check"], ["config", "show"], ["status"], ["version"]),
        *(["jobs", "list"], ["jobs", "show"], ["jobs", "cancel"], ["jobs", "prune"], ["doctor"]),
        *(["voice", "models"], ["voice", "install"], ["voice", "test"]),
        *(["plugin", "list"], ["plugin", "info"], ["plugin", "validate"], ["plugin", "doctor"]),
        *(["plugin", "trust"], ["plugin", "untrust"], ["plugin", "log"], ["plugin", "reload"]),
        *(["plugin", "ask"], ["project", "trust"], ["project", "untrust"], ["project", "list"]),
    ],
)
def test_every_command_has_a_help_text(home: Path, command: Sequence[str]) -> None:
    result = _papercup(home, *command, "--help")
    assert result.exit_code == 0
    assert "Usage: " in result.stdout


@pytest.mark.parametrize("arguments", [["dance"], ["run", "--fast"], ["config"]])
def test_wrong_usage_ends_with_2(home: Path, arguments: Sequence[str]) -> None:
    assert _papercup(home, *arguments).exit_code == 2


def test_a_right_configuration_is_said_to_be_right(home: Path) -> None:
    (home / "config.toml").write_text("jobs.limit = 2")

    result = _papercup(home, "config", "check", DISCORD_TOKEN="d")

    assert result.exit_code == 0
    assert f"The configuration is right ({home / 'config.toml'})." in result.stdout
    assert "Still to be set before `papercup run`: ANTHROPIC_API_KEY" in result.stdout
    assert "DISCORD_TOKEN" not in result.stdout


def test_all_problems_are_told_on_stderr_and_nothing_else(home: Path) -> None:
    (home / "config.toml").write_text("[jobs]\nlimmit = 2\nmax_turns = 'x'")

    for command in (["config", "check"], ["config", "show"], ["run"], ["status"]):
        result = _papercup(home, *command)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.startswith("papercup: 2 problems in the configuration:\n")
        assert "Did you mean `jobs.limit`?" in result.stderr
        assert "Traceback" not in result.stderr


def test_problems_are_told_as_json(home: Path) -> None:
    (home / "config.toml").write_text("[jobs]\nlimmit = 2")

    result = _papercup(home, "config", "check", "--json")

    assert result.exit_code == 2
    (problem,) = json.loads(result.stdout)["problems"]
    assert problem["key"] == "jobs.limmit"
    assert problem["suggestion"] == "jobs.limit"
    assert problem["source"] == str(home / "config.toml")


def test_the_check_as_json_says_which_secrets_are_set(home: Path) -> None:
    result = _papercup(home, "config", "check", "--json", DISCORD_TOKEN="hush")
    assert json.loads(result.stdout) == {
        "ok": True,
        "problems": [],
        "notes": [],
        "file": None,
        "secrets": {"DISCORD_TOKEN": "environment", "ANTHROPIC_API_KEY": None},
    }


def test_an_open_secrets_file_is_refused_as_json_too(home: Path) -> None:
    (home / "secrets.toml").write_text('DISCORD_TOKEN = "hush"')
    (home / "secrets.toml").chmod(0o644)

    result = _papercup(home, "config", "check", "--json")

    assert result.exit_code == 2
    assert "chmod 600" in json.loads(result.stdout)["problems"][0]["reason"]


def test_the_values_in_force_are_shown_with_their_sources_and_no_secret(home: Path) -> None:
    (home / "config.toml").write_text("[jobs]\nlimit = 2")
    (home / "secrets.toml").write_text('DISCORD_TOKEN = "hush-file"')
    (home / "secrets.toml").chmod(0o600)
    environment = {"ANTHROPIC_API_KEY": "hush-environment", "PAPERCUP_LOG__LEVEL": "debug"}

    human = _papercup(home, "config", "show", **environment)
    machine = _papercup(home, "config", "show", "--json", **environment)

    shown = json.loads(machine.stdout)
    assert set(shown["values"]) == set(known_keys())
    assert shown["values"]["jobs.limit"] == {"value": 2, "source": str(home / "config.toml")}
    assert shown["values"]["log.level"] == {"value": "debug", "source": "PAPERCUP_LOG__LEVEL"}
    assert shown["values"]["speaker.model"] == {"value": None, "source": "default"}
    assert shown["secrets"] == {
        "DISCORD_TOKEN": str(home / "secrets.toml"),
        "ANTHROPIC_API_KEY": "environment",
    }
    assert [key for key in known_keys() if key not in human.stdout] == []
    assert "PAPERCUP_LOG__LEVEL" in human.stdout
    assert "hush" not in human.stdout + machine.stdout


def test_run_without_secrets_says_which_and_how(home: Path) -> None:
    result = _papercup(home, "run")
    assert result.exit_code == 2
    assert "papercup: DISCORD_TOKEN and ANTHROPIC_API_KEY are not set" in result.stderr
    assert f"{home / 'secrets.toml'} (chmod 600)" in result.stderr


def test_a_named_configuration_is_used(home: Path) -> None:
    (home / "other.toml").write_text("jobs.limit = 9")
    result = _papercup(home, "config", "show", "--json", "--config", "other.toml")
    assert json.loads(result.stdout)["values"]["jobs.limit"]["value"] == 9


def test_the_status_without_a_bot_ends_with_3(home: Path) -> None:
    human = _papercup(home, "status")
    machine = _papercup(home, "status", "--json")

    assert (human.exit_code, machine.exit_code) == (3, 3)
    assert "No Papercup runs on the data folder" in human.stdout
    assert json.loads(machine.stdout) == {"running": False}


async def test_the_status_of_a_running_bot_is_shown(home: Path) -> None:
    environment = {"PAPERCUP_DATA_DIR": str(home)}
    async with asyncio.timeout(10), serving_control(home / "control.sock", lambda: REPORT):
        human = await asyncio.to_thread(_papercup, home, "status", **environment)
        machine = await asyncio.to_thread(_papercup, home, "status", "--json", **environment)

    assert (human.exit_code, machine.exit_code) == (0, 0)
    for text in ("4711", "connected as papercup#0001", "2 running, 5 completed", "1 open"):
        assert text in human.stdout
    assert "none (no user namespaces)" in human.stdout
    assert json.loads(machine.stdout) == {
        "running": True,
        "pid": 4711,
        "started_at": 1_750_000_000.0,
        "version": "0.1.0",
        "discord": "connected",
        "bot_user": "papercup#0001",
        "jail": "none",
        "jail_reason": "no user namespaces",
        "claude_version": "2.1.0",
        "jobs": {"running": 2, "queued": 0, "completed": 5},
        "conversations": 1,
        "lost_notices": 0,
        "mcp_url": "http://127.0.0.1:4001/mcp",
    }


async def test_a_bot_that_cannot_say_how_it_is_is_a_failure(home: Path) -> None:
    def fail() -> StatusReport:
        raise RuntimeError("lost its head")

    async with asyncio.timeout(10), serving_control(home / "control.sock", fail):
        result = await asyncio.to_thread(_papercup, home, "status", PAPERCUP_DATA_DIR=str(home))

    assert result.exit_code == 1
    assert "it answered 500" in result.stderr
    assert "Traceback" not in result.stderr


def test_the_versions_are_printed_with_the_claude_that_would_be_used(home: Path) -> None:
    human = _papercup(home, "version")
    machine = _papercup(home, "version", "--json")

    versions = json.loads(machine.stdout)
    assert versions["papercup"] == metadata.version("papercup")
    assert versions["discord.py"] == "2.7.1"
    assert set(versions["claude"]) == {"version", "source", "path"}
    assert versions["claude"]["version"] in human.stdout


def test_a_missing_claude_stands_in_the_versions_and_is_no_failure(home: Path) -> None:
    result = _papercup(home, "version", "--json", PAPERCUP_SPEAKER__CLAUDE="/nowhere/claude")
    assert result.exit_code == 0
    assert "/nowhere/claude" in json.loads(result.stdout)["claude"]["problem"]


def test_a_broken_configuration_does_not_hide_the_versions(home: Path) -> None:
    result = _papercup(home, "version", "--json", PAPERCUP_JOBS__LIMIT="x")
    assert result.exit_code == 0
    assert "papercup config check" in json.loads(result.stdout)["claude"]["problem"]


def test_it_runs_on_linux_alone() -> None:
    require_linux("linux")
    for platform in ("win32", "darwin"):
        with pytest.raises(UnsupportedPlatformError, match="WSL2"):
            require_linux(platform)


@pytest.mark.parametrize("command", ["run", "demo"])
def test_elsewhere_the_command_is_refused_even_without_unix_modules(
    home: Path, command: str
) -> None:
    script = (
        "import sys; sys.modules['fcntl'] = sys.modules['resource'] = None\n"
        "import asyncio; from bot.cli.main import main\n"
        f"sys.platform = 'win32'; sys.argv = ['papercup', '{command}']; main()"
    )
    result = subprocess.run(
        [sys.executable, "-c", script],
        cwd=home,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert result.returncode == 2
    assert result.stderr.startswith("papercup: Papercup runs on Linux, not on win32")
    assert "WSL2" in result.stderr


def test_python_m_bot_is_papercup(home: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "bot", "status", "--json"],
        cwd=home,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (result.returncode, json.loads(result.stdout)) == (3, {"running": False})
