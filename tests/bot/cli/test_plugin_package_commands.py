"""`papercup plugin install`, `update`, `remove`, `enable` and `disable`."""

import importlib.metadata
import json
import shutil
from collections.abc import Generator
from contextlib import chdir
from pathlib import Path

import pytest

from tests.fakes.example_plugins import search_path
from tests.fakes.file_server import Served
from tests.fakes.git_server import serving_git
from tests.fakes.package_archives import plugin_files, tgz, wheel
from tests.fakes.package_home import PackageHome
from tests.fakes.package_programs import with_uv
from tests.fakes.package_registries import serving_registries
from tests.fakes.plugin_folders import STDIO

ROOT = Path(__file__).parents[3]
FAKE = ROOT / "tests/fakes/plugins/stdio_plugin.py"


@pytest.fixture
def home(tmp_path: Path) -> Generator[PackageHome]:
    with serving_registries() as registries, chdir(tmp_path):
        yield PackageHome(tmp_path, registries)


def test_a_folder_is_installed_trusted_listed_and_removed(home: PackageHome) -> None:
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


def test_a_package_is_installed_updated_and_has_to_be_trusted_again(home: PackageHome) -> None:
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


def test_all_are_updated_also_if_one_cannot_be(home: PackageHome) -> None:
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
    (why,) = answer["errors"].values()
    assert (answer["failed"], [*answer["errors"]]) == (1, ["dice"])
    assert result.stderr == f"papercup: dice: {why}\n"


def test_of_all_it_is_said_once_which_was_changed(home: PackageHome) -> None:
    home.write("mine", plugin_files())
    home.plugin("install", "mine")
    (home.plugins / "dice/main.py").write_text("changed here")
    home.write("mine", plugin_files(version="2.0.0"))

    result = home.plugin("update")

    assert result.exit_code == 7
    assert result.stderr == (
        f"papercup: dice: {home.plugins}/dice was changed since it was installed;"
        " with --yes that is lost\n"
    )


def test_a_repository_is_installed_over_https(home: PackageHome) -> None:
    with serving_git(home.path) as server:
        commit = server.commit("dice", plugin_files())
        result = home.plugin("install", f"git:{server.host}/dice", **server.environment)

    assert result.exit_code == 0, result.output
    assert f"from: git:{server.host}/dice@{commit}" in result.stdout


def test_what_a_plugin_depends_on_is_there_when_it_runs(home: PackageHome) -> None:
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


def test_packages_that_were_changed_keep_a_plugin_from_running_until_they_are_repaired(
    home: PackageHome,
) -> None:
    chance = wheel("chance", "1.0", {"chance.py": b"SIDES = 6\n"})
    home.registries.add_pypi("chance", {"chance-1.0-py3-none-any.whl": chance})
    home.write("mine", {**plugin_files(), "requirements.txt": b"chance\n"})
    home.plugin("install", "mine", "--trust", "--yes", PATH=with_uv())
    (module,) = home.plugins.glob(".environments/*/lib/*/site-packages/chance.py")
    module.write_text("SIDES = 60")

    (changed,) = home.json("list")["plugins"]
    repaired = home.plugin("update", "dice", PATH=with_uv())
    (mended,) = home.json("list")["plugins"]
    shutil.rmtree(home.plugins / ".environments")
    (gone,) = home.json("list")["plugins"]

    assert changed["obstacle"] == (
        "its Python packages have changed: `papercup plugin update dice`"
    )
    assert repaired.stdout.splitlines() == [
        f"repaired: dice 1.0.0 → {home.plugins}/dice",
        "with: chance",
        "dice is trusted as it is.",
    ]
    assert (mended["trusted"], mended["obstacle"]) == (True, None)
    assert gone["obstacle"] == "its Python packages are gone: `papercup plugin update dice`"


def test_a_plugin_that_imports_the_sdk_runs_wherever_it_comes_from(home: PackageHome) -> None:
    example = ROOT / "examples/plugins/protected_paths"
    by_hand = home.path / "plugins/poll"
    shutil.copytree(ROOT / "examples/plugins/poll", by_hand)

    trial = home.plugin("install", str(example), "--dry-run")
    installed = home.plugin("install", str(example), "--trust", "--yes")
    (same,) = home.json("update")["plugins"]
    diagnosed = home.plugin("doctor")
    home.plugin("trust", "poll", "--yes")
    tried = home.plugin("doctor", "--runtime", "--json", PATH=search_path())

    version = importlib.metadata.version("papercup-plugin")
    said = [each.stdout.splitlines()[1] for each in (trial, installed)]
    assert said == [f"with: papercup_plugin {version}"] * 2
    assert (same["action"], same["sdk"], same["trusted"]) == ("unchanged", version, True)
    mend = f"`papercup plugin vendor {by_hand}` puts it there"
    assert mend in diagnosed.stdout
    assert "protected_paths" not in diagnosed.stdout
    poll, protected = json.loads(tried.stdout)["checks"]
    assert (poll["outcome"], protected["outcome"]) == ("fail", "ok")
    assert poll["error"].endswith(mend)


def test_it_is_shown_where_a_plugin_came_from_and_who_says_so(home: PackageHome) -> None:
    home.registries.add_npm("@me/dice", {"1.0.0": tgz(plugin_files())})
    home.plugin("install", "npm:@me/dice")
    shown = home.plugin("trust", "dice", "--yes")
    (home.plugins / "dice/main.py").write_text("changed")
    changed = home.plugin("info", "dice")
    plain = home.json("info", "dice")["origin"]
    (listed,) = home.json("list")["plugins"]
    home.plugin("remove", "dice", "--yes")
    project = home.path / "garden"
    project.mkdir()
    with chdir(project):
        home.plugin("install", "npm:@me/dice", "--project")
        home.plugin("project", "trust", ".")
        theirs = home.plugin("trust", "dice", "--yes")

    assert "It comes from: npm:@me/dice@1.0.0" in shown.stdout.splitlines()
    assert "npm:@me/dice@1.0.0, and was changed since" in " ".join(changed.stdout.split())
    assert plain == {"resolved": "npm:@me/dice@1.0.0", "is_unchanged": False, "is_known": True}
    assert listed["origin"] == plain
    assert "It comes from: npm:@me/dice@1.0.0 (so the project says)" in theirs.stdout.splitlines()


def test_what_the_configuration_trusts_needs_no_other_trust(home: PackageHome) -> None:
    home.write("mine", plugin_files())
    hash_ = home.json("install", "mine", "--dry-run")["hash"]
    (home.path / "config.toml").write_text(f'[plugins.trusted]\ndice = "{hash_}"\n')

    installed = home.plugin("install", "mine")
    (same,) = home.json("update")["plugins"]

    assert installed.stdout.splitlines()[1:] == ["dice is trusted as it is."]
    assert same["trusted"]


def test_what_is_linked_is_found_where_it_stands(home: PackageHome) -> None:
    source = home.write("mine/deep", plugin_files())
    home.write("mine/deep/inner", plugin_files("inner"))

    with chdir(home.path / "mine"):
        linked = home.plugin("install", "deep", "--link")
    (found,) = home.json("list")["plugins"]
    removed = home.plugin("remove", "dice", "--yes")

    assert linked.stdout.splitlines()[0] == f"linked: dice 1.0.0 → {source}"
    assert (found["id"], found["folder"], found["scope"]) == ("dice", str(source), "user")
    assert removed.stdout == f"unlinked: dice ({source})\n"
    assert (source / "main.py").exists()
    assert home.json("list")["plugins"] == []


def test_a_project_has_plugins_of_its_own(home: PackageHome) -> None:
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


def test_who_looks_for_a_plugin_in_the_wrong_place_is_told_where_it_is(home: PackageHome) -> None:
    home.write("mine", plugin_files())
    home.write("plugins/todo", plugin_files("todo"))
    project = home.path / "work"
    project.mkdir()

    by_hand = home.plugin("remove", "todo", "--yes")
    with chdir(project):
        home.plugin("install", "../mine", "--project")
        theirs = home.plugin("update", "dice")

    assert (by_hand.exit_code, theirs.exit_code) == (1, 1)
    assert home.plugin("uninstall", "todo", "--yes").stderr == by_hand.stderr
    assert by_hand.stderr.endswith(
        f"; there is one in {home.path}/plugins/todo, which was put there by hand,"
        " and has to be taken away by hand\n"
    )
    assert theirs.stderr.endswith(
        f"; there is one in {project}/.papercup/plugins/dice: say it with --project\n"
    )


def test_a_project_that_leads_elsewhere_gets_none(home: PackageHome) -> None:
    home.write("mine", plugin_files())
    (home.path / ".papercup").mkdir()
    home.plugins.symlink_to("/tmp")

    result = home.plugin("install", "mine", "--project")

    assert result.exit_code == 8
    assert "/.papercup/plugins leads out of the project" in result.stderr


def test_a_folder_that_is_called_as_a_source_is_not_meant_by_it(home: PackageHome) -> None:
    home.write("npm:dice", plugin_files())

    assert home.plugin("install", "npm:dice").exit_code == 1
    assert home.plugin("install", "./npm:dice", "--dry-run").exit_code == 0


def test_a_plugin_is_disabled_and_enabled(home: PackageHome) -> None:
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
    (dice,) = listed["plugins"]
    assert (dice["state"], listed["disabled"]) == (
        "not loaded: it is disabled: `papercup plugin enable dice`",
        1,
    )


def test_what_the_configuration_disables_is_not_enabled_by_a_command(home: PackageHome) -> None:
    home.write("plugins/dice", plugin_files())

    (disabled, listed) = (
        home.plugin("enable", "dice", **more)
        for more in ({"PAPERCUP_PLUGINS__DISABLED": "dice"}, {"PAPERCUP_PLUGINS__ALLOWLIST": "x"})
    )

    assert (disabled.exit_code, listed.exit_code) == (3, 3)
    assert "the configuration disables it: take it out of plugins.disabled" in disabled.stderr
    assert "plugins.allowlist does not name it" in listed.stderr


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Generator[PackageHome]:
    """A home folder that no command of a test changes, as each of them fails."""
    folder = tmp_path_factory.mktemp("settled")
    with serving_registries() as registries:
        home = PackageHome(folder, registries)
        with chdir(folder):
            home.furnish()
        yield home


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (("install", "npm:gone"), 1, "has no package gone"),
        (("update", "gone"), 1, "no plugin called gone was installed"),
        (("enable", "gone"), 1, "no plugin is called gone"),
        (("install", "dice"), 2, "'dice' is neither a folder nor a source"),
        (("install", ""), 2, "is neither a folder nor a source"),
        (("install", "a" * 300), 2, "is neither a folder nor a source"),
        (("install", "/" + "a" * 300, "--link"), 2, "is neither a folder nor a source"),
        (("install", "path:/" + "a" * 300), 1, "is not a folder any more"),
        (("install", "npm:dice@^1"), 2, "one version is needed, or a tag, as in npm:dice@1.2.3"),
        (("install", "empty"), 2, "no manifest"),
        (("install", "npm:hostile"), 2, "package/../../evil leads out of the plugin's folder"),
        (("install", "/etc"), 2, "papercup: /etc holds no manifest: `extension.toml`, "),
        (("install", "empty", "--link"), 2, "/empty holds no manifest: "),
        (("install", "npm:plain"), 2, "papercup: npm:plain@1.0.0 holds no manifest: "),
        (("install", "mine", "--link"), 5, "is there already"),
        (("install", "path:/gone", "--link"), 2, "/gone is no folder, so there is no link"),
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
    settled: PackageHome, arguments: tuple[str, ...], code: int, why: str
) -> None:
    with chdir(settled.path):
        result = settled.plugin(*arguments)

    assert (result.exit_code, result.stdout) == (code, "")
    assert why in result.stderr
    assert not [*settled.path.rglob("evil")]
    assert [each.name for each in settled.plugins.iterdir() if each.is_dir()] == ["dice"]
