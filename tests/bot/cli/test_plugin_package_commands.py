"""`papercup plugin install`, `update`, `remove`, `enable`, `disable` and `search`."""

import asyncio
import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from bot.config import Config
from bot.control.plugin_routes import PluginRouteParts, plugin_routes
from bot.control.server import serving_control
from bot.plugin_services.finding import PluginFinder, PluginPlaces
from bot.plugin_services.leftovers import Leftovers
from extensions.plugins.audit import AuditReader
from extensions.plugins.kv import KeyValues
from tests.bot.cli.test_main import REPORT, papercup
from tests.fakes.file_server import Served
from tests.fakes.git_server import serving_git
from tests.fakes.package_archives import file_entry, plugin_files, tgz, tgz_of, wheel
from tests.fakes.package_programs import with_uv
from tests.fakes.package_registries import Registries, serving_registries
from tests.fakes.plugin_folders import STDIO
from tests.fakes.trust_house import TrustHouse

ROOT = Path(__file__).parents[3]
FAKE = ROOT / "tests/fakes/plugins/stdio_plugin.py"


@dataclass(frozen=True)
class Home:
    """An operator's home folder, in which they work."""

    path: Path
    registries: Registries

    @property
    def data(self) -> Path:
        return self.path / "data"

    @property
    def plugins(self) -> Path:
        return self.path / ".papercup" / "plugins"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PAPERCUP_DATA_DIR": str(self.data),
            "PAPERCUP_ENDPOINTS__NPM": self.registries.url,
            "PAPERCUP_ENDPOINTS__PYPI": self.registries.url,
        }

    def plugin(self, *arguments: str, **more: str) -> Result:
        environment = {**self.environment, **more}
        return papercup(self.path, "plugin", *arguments, environment=environment)

    def json(self, *arguments: str) -> Any:
        result = self.plugin(*arguments, "--json")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    def write(self, name: str, files: dict[str, bytes]) -> Path:
        folder = self.path / name
        folder.mkdir(parents=True, exist_ok=True)
        for path, body in files.items():
            (folder / path).write_bytes(body)
        return folder


@pytest.fixture
def home(tmp_path: Path) -> Generator[Home]:
    with serving_registries() as registries, chdir(tmp_path):
        yield Home(tmp_path, registries)


def test_a_folder_is_installed_trusted_listed_and_removed(home: Home) -> None:
    home.write("mine", plugin_files())

    installed = home.plugin("install", "mine", "--trust", "--yes")
    listed = home.json("list")["plugins"]
    removed = home.plugin("remove", "dice", "--yes")
    log = home.plugin("log", "dice")

    lines = installed.stdout.splitlines()
    assert lines[0] == f"installed: dice 1.0.0 → {home.plugins}/dice"
    assert lines[1] == f"Plugin dice 1.0.0, of this user: {home.plugins}/dice"
    assert lines[-1] == (
        "dice is trusted, but does not run: no Papercup runs; it starts with the next one."
    )
    assert [(each["id"], each["trusted"]) for each in listed] == [("dice", True)]
    assert removed.stdout == f"removed: dice ({home.plugins}/dice)\n"
    assert [each.name for each in home.plugins.iterdir() if each.is_dir()] == []
    assert "untrusted" in log.stdout


def test_a_package_is_installed_updated_and_has_to_be_trusted_again(home: Home) -> None:
    home.registries.add_npm("@me/dice", {"1.0.0": tgz(plugin_files())})
    first = home.json("install", "npm:@me/dice", "--trust", "--yes")
    same = home.plugin("update")
    home.registries.add_npm("@me/dice", {"1.1.0": tgz(plugin_files(version="1.1.0"))})
    trial = home.plugin("update", "dice", "--dry-run")
    newer = home.plugin("update", "dice")
    (listed,) = home.json("list")["plugins"]

    assert {name: first[name] for name in ("action", "id", "version", "resolved", "trusted")} == {
        "action": "installed",
        "id": "dice",
        "version": "1.0.0",
        "resolved": "npm:@me/dice@1.0.0",
        "trusted": True,
    }
    assert same.stdout == "up to date: dice 1.0.0\n"
    assert trial.stdout.splitlines()[0] == f"would update: dice 1.0.0 → 1.1.0 → {home.plugins}/dice"
    assert newer.stdout.splitlines() == [
        f"updated: dice 1.0.0 → 1.1.0 → {home.plugins}/dice",
        "from: npm:@me/dice@1.1.0",
        "It runs once it is trusted: papercup plugin trust dice",
    ]
    assert listed["obstacle"].startswith("its files have changed since it was looked at")


def test_all_are_updated_also_if_one_cannot_be(home: Home) -> None:
    for name in ("dice", "todo"):
        home.registries.add_npm(name, {"1.0.0": tgz(plugin_files(name))})
        home.plugin("install", f"npm:{name}")
        home.registries.add_npm(name, {"2.0.0": tgz(plugin_files(name, "2.0.0"))})
    home.registries.files["/dice/-/2.0.0.tgz"] = Served(body=b"another")

    result = home.plugin("update", "--json")

    assert result.exit_code == 2
    assert result.stderr.startswith("papercup: dice: ")
    answer = json.loads(result.stdout)
    assert [each["id"] for each in answer["plugins"]] == ["todo"]
    assert answer["failed"] == 1


def test_a_repository_is_installed_over_https(home: Home) -> None:
    with serving_git(home.path) as server:
        commit = server.commit("dice", plugin_files())
        result = home.plugin("install", f"git:{server.host}/dice", **server.environment)

    assert result.exit_code == 0, result.output
    assert f"from: git:{server.host}/dice@{commit}" in result.stdout


def test_what_a_plugin_depends_on_is_there_when_it_runs(home: Home) -> None:
    chance = wheel("chance", "1.0", {"chance.py": b"SIDES = 6\n"})
    home.registries.add_pypi("chance", {"chance-1.0-py3-none-any.whl": chance})
    manifest = STDIO.format(name="dice").replace('"./dice"', '"python3"\nargs = ["main.py"]')
    files = {
        "plugin.toml": manifest.replace("greet", "add").encode(),
        "main.py": b"import chance\n" + FAKE.read_bytes(),
        "requirements.txt": b"chance\n",
    }
    home.write("mine", files)

    installed = home.plugin("install", "mine", "--trust", "--yes", PATH=with_uv())
    tried = home.plugin("doctor", "--runtime", "--json")

    assert "with: chance" in installed.stdout.splitlines()
    (check,) = json.loads(tried.stdout)["checks"]
    assert (check["outcome"], check["error"], check["tools"]) == ("ok", None, ["ext_dice_add"])


def test_what_is_linked_is_found_where_it_stands(home: Home) -> None:
    source = home.write("mine/deep", plugin_files())
    home.write("mine/deep/inner", plugin_files("inner"))

    linked = home.plugin("install", str(source), "--link")
    (found,) = home.json("list")["plugins"]
    removed = home.plugin("remove", "dice", "--yes")

    assert linked.stdout.splitlines()[0] == f"linked: dice 1.0.0 → {source}"
    assert (found["id"], found["folder"], found["scope"]) == ("dice", str(source), "user")
    assert removed.stdout == f"unlinked: dice ({source})\n"
    assert (source / "main.py").exists()
    assert home.json("list")["plugins"] == []


def test_a_project_has_plugins_of_its_own(home: Home) -> None:
    project = home.path / "garden"
    home.write("mine", plugin_files())
    project.mkdir()
    with chdir(project):
        installed = home.plugin("install", "../mine", "--project")
        (found,) = home.json("list")["plugins"]
        removed = home.plugin("remove", "dice", "--project", "--yes", "--dry-run")

    assert f"{project}/.papercup/plugins/dice" in installed.stdout
    assert (found["scope"], found["project"]) == ("project", str(project))
    assert removed.stdout.startswith("would remove: dice")
    assert (project / ".papercup/plugins/packages.lock.toml").is_file()


def test_a_project_that_leads_elsewhere_gets_none(home: Home) -> None:
    home.write("mine", plugin_files())
    (home.path / ".papercup").mkdir()
    home.plugins.symlink_to("/tmp")

    result = home.plugin("install", "mine", "--project")

    assert result.exit_code == 8
    assert "/.papercup/plugins leads out of the project" in result.stderr


def test_a_folder_that_is_called_as_a_source_is_not_meant_by_it(home: Home) -> None:
    home.write("npm:dice", plugin_files())

    assert home.plugin("install", "npm:dice").exit_code == 1
    assert home.plugin("install", "./npm:dice", "--dry-run").exit_code == 0


def test_a_plugin_is_disabled_and_enabled(home: Home) -> None:
    home.write("plugins/dice", plugin_files())
    said = [home.plugin(each, "dice").stdout for each in ("disable", "disable", "enable", "enable")]
    home.plugin("disable", "dice")

    assert said == [
        "disabled: dice\n",
        "already disabled: dice\n",
        "enabled: dice\n",
        "already enabled: dice\n",
    ]
    listed = home.json("list")
    assert (listed["plugins"], listed["disabled"]) == ([], 1)


def test_what_the_configuration_disables_is_not_enabled_by_a_command(home: Home) -> None:
    home.write("plugins/dice", plugin_files())

    (disabled, listed) = (
        home.plugin("enable", "dice", **more)
        for more in ({"PAPERCUP_PLUGINS__DISABLED": "dice"}, {"PAPERCUP_PLUGINS__ALLOWLIST": "x"})
    )

    assert (disabled.exit_code, listed.exit_code) == (3, 3)
    assert "the configuration disables it: take it out of plugins.disabled" in disabled.stderr
    assert "plugins.allowlist does not name it" in listed.stderr


def _prepared(home: Home) -> None:
    home.write("mine", plugin_files())
    home.write("plugins/taken", plugin_files("taken"))
    home.write("other", plugin_files("taken"))
    home.write("empty", {})
    hostile = tgz_of([file_entry("package/../../evil")])
    home.registries.add_npm("hostile", {"1.0.0": hostile})
    assert home.plugin("install", "mine").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (("install", "npm:gone"), 1, "has no package gone"),
        (("update", "gone"), 1, "no plugin called gone was installed"),
        (("enable", "gone"), 1, "no plugin is called gone"),
        (("install", "dice"), 2, "'dice' is neither a folder nor a source"),
        (("install", ""), 2, "is neither a folder nor a source"),
        (("install", "empty"), 2, "no manifest"),
        (("install", "npm:hostile"), 2, "package/../../evil leads out of the plugin's folder"),
        (("install", "mine", "--link"), 2, "mine is not an absolute path of a folder"),
        (("install", "npm:dice", "--link"), 2, "only a folder can be linked"),
        (("install", "/", "--link", "--project"), 2, "for this user alone"),
        (("remove", "../x", "--yes"), 4, "'../x' is no plugin's id"),
        (("disable", "Dice"), 4, "'Dice' is no plugin's id"),
        (("install", "mine"), 5, "is there already: `papercup plugin update dice`"),
        (("install", "other"), 6, "there is another plugin called taken: "),
        (("remove", "dice"), 7, "nobody can be asked here"),
        (("install", "mine", "--trust"), 7, "nobody can be asked here"),
    ],
)
def test_each_failure_has_its_code(
    home: Home, arguments: tuple[str, ...], code: int, why: str
) -> None:
    _prepared(home)

    result = home.plugin(*arguments)

    assert (result.exit_code, result.stdout) == (code, "")
    assert why in result.stderr
    assert not [*home.path.rglob("evil")]
    assert [each.name for each in home.plugins.iterdir() if each.is_dir()] == ["dice"]


def test_what_cannot_be_written_has_its_code(home: Home) -> None:
    _prepared(home)
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


def test_what_others_wrote_cannot_draw_on_the_terminal(home: Home) -> None:
    home.registries.add_npm("x", {"1.0.0": tgz_of([file_entry("package/\x1b[2J")])})

    assert "\x1b" not in home.plugin("install", "npm:x").output


def test_a_search_shows_what_can_be_installed_and_what_was_not_searched(home: Home) -> None:
    found = home.plugin("search", "dice", PAPERCUP_ENDPOINTS__NPM="http://127.0.0.1:1")
    none = home.plugin("search", "no-such-thing")
    plain = home.json("search", "dice")

    head, row = found.stdout.splitlines()
    assert " ".join(head.split()) == "Plugin Version To install it What it says of itself"
    assert row.split()[:3] == ["dice", "-", str(ROOT / "examples/plugins/dice")]
    assert found.stderr.count("papercup: not searched: http://127.0.0.1:1/") == 2
    assert none.stdout == "Nothing was found.\n"
    assert [each["name"] for each in plain["plugins"]] == ["dice"]


def test_what_it_has_kept_is_thrown_away_only_if_that_is_asked(home: Home) -> None:
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
async def running(home: Home) -> AsyncGenerator[TrustHouse, None]:
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


async def test_beside_a_running_bot_nothing_has_to_be_started_anew(home: Home) -> None:
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


def _on_a_terminal(home: Home, answer: bytes, *arguments: str) -> tuple[int, str]:
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


def test_on_a_terminal_the_operator_is_asked_before_it_is_removed(home: Home) -> None:
    _prepared(home)

    code, shown = _on_a_terminal(home, b"n\n", "remove", "dice")

    assert (code, shown) == (7, "Remove dice? [y/N]: ")
    assert (home.plugins / "dice").is_dir()


def test_one_that_is_ended_midway_leaves_nothing(home: Home) -> None:
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
