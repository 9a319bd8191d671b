"""Packages beside a running bot, on a terminal, and where something is amiss."""

import asyncio
import json
import os
import pty
import select
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, chdir
from pathlib import Path

import pytest

from bot.config import Config
from bot.control.plugin_routes import PluginRouteParts, plugin_routes
from bot.control.server import serving_control
from bot.plugin_services.finding import PluginFinder, PluginPlaces
from bot.plugin_services.leftovers import Leftovers
from extensions.plugins.audit import AuditReader
from extensions.plugins.kv import KeyValues
from tests.bot.cli.test_main import REPORT
from tests.fakes.package_archives import file_entry, plugin_files, tgz_of
from tests.fakes.package_home import PackageHome
from tests.fakes.package_registries import serving_registries
from tests.fakes.trust_house import TrustHouse

ROOT = Path(__file__).parents[3]


@pytest.fixture
def home(tmp_path: Path) -> Generator[PackageHome]:
    with serving_registries() as registries, chdir(tmp_path):
        yield PackageHome(tmp_path, registries)


def test_the_doctor_says_if_others_may_write_to_plugins(home: PackageHome) -> None:
    home.write("mine", plugin_files())
    home.plugin("install", "mine")
    home.plugins.chmod(0o777)
    (home.plugins / "dice").chmod(0o777)

    diagnosed = home.plugin("doctor")

    for folder in (home.plugins, home.plugins / "dice"):
        mend = f"`chmod go-w {folder}` keeps them from it"
        assert f"  {folder}: others may write to {folder}: {mend}" in diagnosed.stdout
    assert "WARNINGS (2):" in diagnosed.stdout


def test_the_doctor_says_once_which_list_of_what_was_installed_is_damaged(
    home: PackageHome,
) -> None:
    home.write("mine", plugin_files())
    home.plugin("install", "mine")
    theirs = home.write("garden/.papercup/plugins", {}) / "packages.lock.toml"
    for damaged in (home.plugins / "packages.lock.toml", theirs):
        damaged.write_text("nonsense")

    with chdir(home.path / "garden"):
        diagnosed = home.plugin("doctor")
        plain = home.plugin("doctor", "--json")

    assert (diagnosed.exit_code, diagnosed.stderr) == (2, "")
    assert "ERRORS (2):" in diagnosed.stdout.splitlines()
    assert "no diagnostics." not in diagnosed.stdout
    assert (plain.exit_code, plain.stderr) == (2, "")
    said = {each["path"]: each["message"] for each in json.loads(plain.stdout)["diagnostics"]}
    for path in (home.plugins / "packages.lock.toml", theirs):
        why = said[str(path)]
        assert why.startswith("it is not as `papercup plugin` writes it: ")
        assert diagnosed.stdout.count(f"  {path}: {why}\n") == 1


def test_what_cannot_be_written_has_its_code(home: PackageHome) -> None:
    home.furnish()
    (home.plugins / "packages.lock.toml").write_text("nonsense")
    broken = home.plugin("update")
    (home.plugins / "packages.lock.toml").unlink()
    (home.plugins / ".packages.lock").unlink()
    (home.plugins / ".packages.lock").mkdir()
    unplaced = home.plugin("install", "other")

    assert broken.exit_code == 3
    assert "is not as `papercup plugin` writes it" in broken.stderr
    assert (unplaced.exit_code, unplaced.stderr) == (
        8,
        f"papercup: {home.plugins} cannot be written: Is a directory\n",
    )


def test_what_others_wrote_cannot_draw_on_the_terminal(home: PackageHome) -> None:
    home.registries.add_npm("x", {"1.0.0": tgz_of([file_entry("package/\x1b[2J")])})

    assert "\x1b" not in home.plugin("install", "npm:x").output


def test_a_search_shows_what_can_be_installed_and_what_was_not_searched(home: PackageHome) -> None:
    found = home.plugin("search", "dice", PAPERCUP_ENDPOINTS__NPM="http://127.0.0.1:1")
    every = home.json("search")
    none = home.plugin("search", "no-such-thing")
    plain = home.json("search", "dice")

    assert found.stdout.splitlines() == [
        "dice \N{EM DASH} Rolls dice, for people and for models.",
        f"    papercup plugin install {ROOT}/examples/plugins/dice",
    ]
    assert found.stderr.count("papercup: not searched: npm, as http://127.0.0.1:1/") == 1
    assert {"dice", "todo"} < {each["name"] for each in every["plugins"]}
    assert none.stdout == "Nothing was found.\n"
    assert [each["name"] for each in plain["plugins"]] == ["dice"]


def test_the_help_of_install_says_how_a_version_is_named(home: PackageHome) -> None:
    shown = " ".join(home.plugin("install", "--help").stdout.replace("│", " ").split())

    assert "with @VERSION (of git a branch, tag or commit) behind it, just that one" in shown


def test_what_it_has_kept_is_thrown_away_only_if_that_is_asked(home: PackageHome) -> None:
    home.write("mine", plugin_files())
    state = home.data / "plugins/dice/state"
    said: list[str] = []
    for arguments, is_left in ((("--yes",), True), (("--yes", "--purge"), False)):
        home.plugin("install", "mine", "--trust", "--yes")
        state.mkdir(parents=True, exist_ok=True)
        said += home.plugin("remove", "dice", *arguments).stdout.splitlines()
        assert state.exists() == is_left

    removed = f"removed: dice ({home.plugins}/dice)"
    assert said == [removed, removed, "What it had kept is gone."]


@asynccontextmanager
async def running(home: PackageHome) -> AsyncGenerator[TrustHouse, None]:
    """What a running bot has of plugins, on the socket in the data folder."""
    house = TrustHouse(home.path / "house")
    home.data.mkdir(mode=0o700)
    places = PluginPlaces(home=home.path, working_folder=home.path, environment={})
    parts = PluginRouteParts(
        desk=house.desk_with(house.runner, PluginFinder(Config(data_dir=home.data), places)),
        log=AuditReader(house.database),
        report=lambda: [{"id": each} for each in house.runner.running],
        ask=_nobody,
        forget=Leftovers(house.database, home.data / "plugins").forget,
    )
    async with (
        asyncio.timeout(20),
        serving_control(home.data / "control.sock", lambda: REPORT, routes=plugin_routes(parts)),
    ):
        yield house


async def _nobody(*_arguments: object) -> str:
    return ""


async def test_beside_a_running_bot_nothing_has_to_be_started_anew(home: PackageHome) -> None:
    home.write("mine", plugin_files())
    ran: list[list[str]] = []
    async with running(home) as house:
        kv = KeyValues(house.database)
        await kv.set("dice", "luck", 6)

        async def call(*arguments: str, code: int = 0) -> str:
            result = await asyncio.to_thread(home.plugin, *arguments)
            assert result.exit_code == code, result.output
            ran.append(list(house.runner.running))
            return result.stdout

        await call("install", "mine", "--trust", "--yes")
        await call("disable", "dice")
        await call("enable", "dice")
        home.write("mine", plugin_files(version="2.0.0"))
        updated = await call("update", "dice")
        await call("update", "dice", "--trust", "--yes")
        await call("trust", "dice", "--yes")
        house.runner.down = "handshake timed out after 10s"
        home.write("mine", plugin_files(version="3.0.0"))
        await call("update", "dice", "--trust", "--yes", code=9)
        removed = await call("remove", "dice", "--purge", "--yes")
        kept = await kv.get("dice", "luck")

    assert ran == [["dice"], [], ["dice"], [], [], ["dice"], ["dice"], []]
    assert updated.splitlines()[-1] == "It runs once it is trusted: papercup plugin trust dice"
    assert removed.splitlines()[-1] == "What it had kept is gone."
    assert kept is None


def _on_a_terminal(home: PackageHome, answer: bytes, *arguments: str) -> tuple[int, str]:
    ours, theirs = pty.openpty()
    try:
        with subprocess.Popen(
            [sys.executable, "-m", "bot", "plugin", *arguments],
            cwd=ROOT,
            env={**os.environ, "HOME": str(home.path), **home.environment},
            stdin=theirs,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            os.write(ours, answer)
            shown, _ = process.communicate(timeout=30)
    finally:
        os.close(ours)
        os.close(theirs)
    return process.returncode, shown


def test_on_a_terminal_the_operator_is_asked_before_it_is_removed(home: PackageHome) -> None:
    home.furnish()

    code, shown = _on_a_terminal(home, b"n\n", "remove", "dice")

    assert (code, shown) == (7, "Remove dice? [y/N]: ")
    assert (home.plugins / "dice").is_dir()


def test_one_that_is_ended_midway_leaves_nothing(home: PackageHome) -> None:
    script = f"#!/bin/sh\necho started > {home.path}/started\nexec sleep 60\n"
    never = home.write("bin", {"git": script.encode()}) / "git"
    never.chmod(0o755)
    os.mkfifo(home.path / "started")
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "plugin", "install", "git:127.0.0.1:1/dice"],
        cwd=ROOT,
        env={
            **os.environ,
            "HOME": str(home.path),
            **home.environment,
            "PATH": f"{never.parent}:{os.environ['PATH']}",
        },
        stderr=subprocess.PIPE,
    ) as process:
        assert (home.path / "started").read_text() == "started\n"
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)

    assert process.returncode != 0
    assert [each.name for each in home.plugins.iterdir()] == [".packages.lock"]


def test_a_search_says_whom_it_asks_and_ctrl_c_ends_it_though_nobody_answers(
    home: PackageHome,
) -> None:
    ours, theirs = pty.openpty()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        registry = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with subprocess.Popen(
            [sys.executable, "-m", "bot", "plugin", "search", "dice"],
            cwd=ROOT,
            env={
                **os.environ,
                **home.environment,
                "HOME": str(home.path),
                "TERM": "xterm",
                "PAPERCUP_ENDPOINTS__NPM": registry,
                "PAPERCUP_ENDPOINTS__PYPI": registry,
            },
            stdout=subprocess.PIPE,
            stderr=theirs,
        ) as process:
            os.close(theirs)
            silent.settimeout(30)
            asked, _ = silent.accept()
            shown = _shown_until(ours, b"npm and PyPI")
            process.send_signal(signal.SIGINT)
            # Sooner than the registries would be given up.
            process.communicate(timeout=4)
    asked.close()
    os.close(ours)

    assert process.returncode == 130
    assert b"Searching npm and PyPI" in shown


def _shown_until(terminal: int, end: bytes) -> bytes:
    shown = b""
    while end not in shown:
        ready, _, _ = select.select([terminal], [], [], 30)
        assert ready, shown
        shown += os.read(terminal, 4096)
    return shown
