from pathlib import Path

from bot.plugin_services.workspaces import PluginWorkspaces
from extensions.hooks import NOWHERE, Occasion
from extensions.plugins.environment import Home
from tests.fakes.plugin_host import sep


def test_what_runs_in_the_jail_reaches_nothing_that_the_plugin_itself_relies_on(
    tmp_path: Path,
) -> None:
    spaces = PluginWorkspaces(plugins_folder=tmp_path / "plugins", sessions_folder=tmp_path / "s")
    data = tmp_path / "plugins/dice"
    home = Home(version="1", state_folder=data / "state", cache_folder=data / "pycache")
    folder = spaces.of_call("dice", NOWHERE)

    assert folder.is_dir()
    for path in (home.cache_folder, home.state_folder, data / "credentials.json", data / "exec"):
        assert not path.is_relative_to(folder)
    assert spaces.of(sep("dice")).root == folder


def test_what_is_run_in_a_session_works_in_its_folder(tmp_path: Path) -> None:
    spaces = PluginWorkspaces(plugins_folder=tmp_path / "plugins", sessions_folder=tmp_path / "s")
    assert spaces.of_call("dice", Occasion(session_id="chat")) == tmp_path / "s/chat"


def test_what_runs_in_the_jail_may_read_the_folder_that_the_plugin_was_started_from(
    tmp_path: Path,
) -> None:
    spaces = PluginWorkspaces(plugins_folder=tmp_path / "plugins", sessions_folder=tmp_path / "s")
    dice = sep("dice")
    assert spaces.found_in("dice") is None
    spaces.of(dice)
    assert spaces.found_in("dice") == dice.folder
