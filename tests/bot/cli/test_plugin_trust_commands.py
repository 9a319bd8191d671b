"""`papercup plugin trust`, `untrust`, `log`, `reload` and `ask`, and `papercup project`."""

import asyncio
import json
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import Result

from bot.control.plugin_routes import PluginRouteParts, plugin_routes
from bot.control.server import serving_control
from bot.data_folder import held_data_folder
from bot.plugin_services.leftovers import Leftovers
from bot.plugin_services.provider_asking import OnPiece, ProviderQuestion
from extensions.errors import PluginCallError
from extensions.plugins.audit import AuditReader
from extensions.plugins.services import AuditKind
from tests.bot.cli.test_main import REPORT, papercup
from tests.fakes.trust_house import TrustHouse
from tests.fakes.trusted_plugins import make_plugin

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Home:
    """An operator's home folder, with plugins in it."""

    path: Path

    @property
    def data(self) -> Path:
        return self.path / "data"

    @property
    def plugins(self) -> Path:
        return self.path / ".papercup" / "plugins"

    @property
    def environment(self) -> dict[str, str]:
        return {"PAPERCUP_DATA_DIR": str(self.data), "DICE_SEED": "7"}

    def papercup(self, *arguments: str) -> Result:
        return papercup(self.path, *arguments, environment=self.environment)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home folder with the plugin `dice`."""
    found = Home(tmp_path)
    make_plugin(found.plugins)
    return found


def test_what_a_plugin_asks_for_is_shown_before_it_is_trusted(home: Home) -> None:
    result = home.papercup("plugin", "trust", "dice", "--yes")
    lines = result.stdout.splitlines()

    assert result.exit_code == 0
    assert lines[0] == f"Plugin dice 1.0.0, of this user: {home.plugins}/dice"
    assert lines[1:4] == [
        "It may:",
        "  - run, with all that this user may do: python3 main.py",
        "  - offer models tools",
    ]
    assert "  - have programs run in a jail" in lines
    assert lines[-5:-3] == ["It reads these variables of your environment:", "  - DICE_SEED"]
    assert lines[-3].startswith("All of its folder is sha256:")
    assert "nobody has trusted it yet" in lines[-2]
    assert lines[-1] == (
        "dice is trusted, but does not run: no Papercup runs; it starts with the next one."
    )


def test_nobody_is_asked_without_a_terminal_and_nothing_is_trusted(home: Home) -> None:
    for more in ((), ("--json",)):
        result = home.papercup("plugin", "trust", "dice", *more)

        assert result.exit_code == 1
        assert result.stderr == (
            "papercup: nobody can be asked here: to trust it all the same, say --yes\n"
        )
    assert json.loads(home.papercup("plugin", "log", "--json").stdout)["lines"] == []


def test_a_plugin_is_trusted_with_less_and_trusted_no_more(home: Home) -> None:
    trusted = home.papercup(
        *("plugin", "trust", "dice", "--yes", "--json"),
        *("--deny-env", "DICE_SEED", "--deny-exec"),
    )
    once = home.papercup("plugin", "untrust", "dice")
    twice = home.papercup("plugin", "untrust", "dice", "--json")
    said_twice = home.papercup("plugin", "untrust", "dice")
    logged = home.papercup("plugin", "log")

    standing = json.loads(trusted.stdout)["standing"]
    assert (standing["cause"], standing["granted_env"], standing["granted_exec"]) == (
        None,
        [],
        False,
    )
    assert once.stdout == "dice is trusted no more.\n"
    assert json.loads(twice.stdout) == {"name": "dice", "changed": False}
    assert (said_twice.exit_code, said_twice.stdout) == (0, "dice was not trusted.\n")
    head, *rows = logged.stdout.splitlines()
    assert head.split() == ["When", "Plugin", "What"]
    assert [row.split()[2:4] for row in rows] == [["dice", "trusted"], ["dice", "untrusted"]]


def test_what_is_not_there_or_cannot_be_trusted_is_a_failure(home: Home) -> None:
    (home.plugins / "dice" / "sh").symlink_to("/bin/sh")
    missing = home.papercup("plugin", "trust", "gone", "--yes")
    broken = home.papercup("plugin", "trust", "dice", "--yes")

    assert (missing.exit_code, broken.exit_code) == (1, 1)
    assert missing.stderr.startswith("papercup: plugin gone: it is not found")
    assert broken.stderr == (
        "papercup: plugin dice: it cannot be trusted:"
        " sh is a link that leads out of the plugin's folder\n"
    )


def test_who_takes_trust_back_that_nobody_gave_to_what_nobody_found_is_told(home: Home) -> None:
    for more in ((), ("--json",)):
        result = home.papercup("plugin", "untrust", "dic\x1be", *more)

        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr == (
            "papercup: nobody has trusted dic\N{REPLACEMENT CHARACTER}e;"
            " `papercup plugin list` shows which plugins are found\n"
        )


def test_trust_in_a_plugin_that_is_gone_or_disabled_can_be_taken_back(home: Home) -> None:
    home.papercup("plugin", "disable", "dice")
    disabled = home.papercup("plugin", "untrust", "dice")
    home.papercup("plugin", "enable", "dice")
    home.papercup("plugin", "trust", "dice", "--yes")
    shutil.rmtree(home.plugins / "dice")
    gone = home.papercup("plugin", "untrust", "dice")

    assert (disabled.exit_code, disabled.stdout) == (0, "dice was not trusted.\n")
    assert (gone.exit_code, gone.stdout) == (0, "dice is trusted no more.\n")


def test_the_log_is_not_written_to_by_looking(home: Home) -> None:
    before = home.papercup("plugin", "log")

    assert before.stdout == "Nothing is in the log.\n"
    assert not home.data.exists()


def test_beside_a_bot_that_is_just_starting_nothing_is_changed(home: Home) -> None:
    with held_data_folder(home.data):
        result = home.papercup("plugin", "trust", "dice", "--yes")

    assert result.exit_code == 1
    assert "another" in result.stderr


def test_a_project_is_trusted_by_its_real_folder_and_its_plugins_are_named(home: Home) -> None:
    project = home.path / "shop"
    make_plugin(project / ".papercup" / "plugins", "coin")
    (home.path / "link").symlink_to(project)
    trusted = home.papercup("project", "trust", str(home.path / "link"))
    listed = home.papercup("project", "list", "--json")
    once = home.papercup("project", "untrust", str(project))
    twice = home.papercup("project", "untrust", str(project), "--json")
    none = home.papercup("project", "list")

    assert trusted.exit_code == 0
    assert f"Plugins of {project} may be loaded now" in trusted.stdout
    assert "coin" in trusted.stdout
    assert "nobody has trusted it yet" in trusted.stdout
    (kept,) = json.loads(listed.stdout)["projects"]
    assert kept["folder"] == str(project)
    assert once.stdout == f"{project} is trusted no more.\n"
    assert json.loads(twice.stdout) == {"folder": str(project), "changed": False}
    assert none.stdout == "No project is trusted.\n"


def test_a_project_that_is_not_there_is_a_wrong_usage(home: Home) -> None:
    assert home.papercup("project", "trust", str(home.path / "gone")).exit_code == 2


@pytest.mark.parametrize(
    "command", [("reload", "dice"), ("ask", "dice/local", "hello")], ids=["reload", "ask"]
)
def test_what_needs_a_running_bot_says_that_none_runs(home: Home, command: tuple[str, ...]) -> None:
    result = home.papercup("plugin", *command)

    assert result.exit_code == 3
    assert "no Papercup runs" in result.stderr


async def answers(question: ProviderQuestion, on_piece: OnPiece) -> str:
    """Say something evil, or fail."""
    on_piece(f"{question.model}: \x1b[2J")
    if question.prompt == "fail":
        raise PluginCallError("dice", "it took too long")
    on_piece("six")
    return f"{question.model}: \x1b[2Jsix"


@asynccontextmanager
async def running(home: Home) -> AsyncGenerator[TrustHouse, None]:
    """What a running bot has of plugins, on the socket in the data folder."""
    house = TrustHouse(home.path / "house")
    make_plugin(house.plugins)
    home.data.mkdir(mode=0o700)
    parts = PluginRouteParts(
        desk=house.desk,
        log=AuditReader(house.database),
        report=list,
        ask=answers,
        forget=Leftovers(house.database, house.data).forget,
    )
    async with (
        asyncio.timeout(20),
        serving_control(home.data / "control.sock", lambda: REPORT, routes=plugin_routes(parts)),
    ):
        yield house


async def test_beside_a_running_bot_it_is_the_bot_that_trusts_and_starts(home: Home) -> None:
    async with running(home) as house:
        trusted = await asyncio.to_thread(home.papercup, "plugin", "trust", "dice", "--yes")
        reloaded = await asyncio.to_thread(home.papercup, "plugin", "reload", "dice")
        house.runner.down = "handshake timed out after 10s"
        failed = await asyncio.to_thread(home.papercup, "plugin", "reload", "dice")
        untrusted = await asyncio.to_thread(home.papercup, "plugin", "untrust", "dice")
        project = await asyncio.to_thread(
            home.papercup, "project", "trust", str(house.project), "--json"
        )

    assert trusted.stdout.splitlines()[0].endswith(f"{house.plugins}/dice")
    assert trusted.stdout.splitlines()[-1] == "dice is trusted, and runs."
    assert (reloaded.exit_code, reloaded.stdout) == (0, "dice was started anew, and runs.\n")
    assert (failed.exit_code, failed.stdout) == (
        1,
        "dice was started anew, but does not run: handshake timed out after 10s.\n",
    )
    assert (untrusted.stdout, house.runner.running) == ("dice is trusted no more.\n", [])
    assert json.loads(project.stdout) == {"folder": str(house.project), "plugins": []}
    assert not (home.data / "papercup.db").exists()


async def test_a_provider_is_asked_and_its_words_do_not_command_the_terminal(home: Home) -> None:
    ask = ("plugin", "ask", "local")
    async with running(home):
        human = await asyncio.to_thread(home.papercup, *ask, "roll", "--model", "tiny")
        machine = await asyncio.to_thread(home.papercup, *ask, "roll", "--json")
        failed = await asyncio.to_thread(home.papercup, *ask, "fail")

    assert human.stdout == "tiny: \N{REPLACEMENT CHARACTER}[2Jsix\n"
    assert json.loads(machine.stdout) == {"answer": "None: \x1b[2Jsix", "error": None}
    assert (failed.exit_code, failed.stderr) == (1, "papercup: plugin dice: it took too long\n")


async def test_the_log_is_followed_line_by_line(home: Home) -> None:
    async with running(home) as house:
        house.database.connection.execute(
            "INSERT INTO plugin_audit VALUES (1, 1.0, ?, 'dice', 'one')", (AuditKind.LOADED,)
        )
        command = ["-m", "bot", "plugin", "log", "--follow", "--json"]
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *command,
            cwd=ROOT,
            env={**os.environ, "HOME": str(home.path), **home.environment},
            stdout=subprocess.PIPE,
        )
        try:
            assert process.stdout is not None
            first = json.loads(await process.stdout.readline())
            house.database.connection.execute(
                "INSERT INTO plugin_audit VALUES (2, 2.0, ?, 'dice', 'two')", (AuditKind.EXEC,)
            )
            second = json.loads(await process.stdout.readline())
        finally:
            process.kill()
            await process.communicate()

    assert (first["text"], second["text"]) == ("one", "two")


def test_on_a_terminal_the_operator_is_asked(home: Home) -> None:
    ours, theirs = pty.openpty()
    try:
        with subprocess.Popen(
            [sys.executable, "-m", "bot", "plugin", "trust", "dice"],
            cwd=ROOT,
            env={**os.environ, "HOME": str(home.path), **home.environment},
            stdin=theirs,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            os.write(ours, b"n\n")
            shown, _ = process.communicate(timeout=30)
    finally:
        os.close(ours)
        os.close(theirs)

    assert process.returncode == 1
    assert shown.endswith("Trust dice with that? [y/N]: dice is not trusted.\n")
