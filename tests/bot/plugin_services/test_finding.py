import sqlite3
from contextlib import closing
from pathlib import Path

from bot.config import Config
from bot.config_plugins import PluginsConfig, PluginWatchConfig
from bot.data_folder import DataFolder
from bot.plugin_services.finding import PluginFinder, PluginPlaces, trusted_projects
from extensions.plugins.manifest import Level, Scope
from extensions.plugins.packages.enabling import set_enabled
from extensions.plugins.packages.packages_file import Package, Packages
from extensions.plugins.packages.packages_store import write_packages
from tests.fakes.plugin_folders import sep_plugin, stdio_plugin


def _finder(folder: Path, plugins: PluginsConfig | None = None, **environment: str) -> PluginFinder:
    chosen = plugins or PluginsConfig(search_paths=(folder / "plugins",))
    (folder / "work").mkdir(exist_ok=True)
    places = PluginPlaces(
        home=folder / "home",
        working_folder=folder / "work",
        environment=environment,
        version="0.1.0",
    )
    return PluginFinder(Config(data_dir=folder / "data", plugins=chosen), places)


def _trust(folder: Path, *projects: Path) -> None:
    (folder / "data").mkdir(exist_ok=True)
    with closing(sqlite3.connect(DataFolder(folder / "data").database)) as connection, connection:
        connection.execute("CREATE TABLE trusted_projects (folder TEXT, trusted_at REAL)")
        for project in projects:
            connection.execute("INSERT INTO trusted_projects VALUES (?, 0)", (str(project),))


def test_plugins_are_looked_for_in_five_kinds_of_places(tmp_path: Path) -> None:
    project = tmp_path / "project"
    _trust(tmp_path, project)
    stdio_plugin(tmp_path / "plugins/deep/er", "searched")
    sep_plugin(project / ".papercup/plugins/x", "of-project")
    sep_plugin(tmp_path / "home/.papercup/plugins/x", "of-user")
    sep_plugin(tmp_path / "home/.smooth/extensions/x", "of-smooth")
    sep_plugin(tmp_path / "work/.papercup/plugins/x", "not-trusted")

    report = _finder(tmp_path)()

    assert [(each.id, each.scope, each.project) for each in report.candidates] == [
        ("searched", Scope.SEARCH_PATH, None),
        ("of-project", Scope.PROJECT, project),
        ("of-user", Scope.USER, None),
        ("of-smooth", Scope.SMOOTH, None),
        ("not-trusted", Scope.PROJECT, (tmp_path / "work").resolve()),
    ]
    assert report.diagnostics == ()


def test_a_trusted_project_wins_over_the_user_and_any_other_loses(tmp_path: Path) -> None:
    _trust(tmp_path, tmp_path / "project")
    sep_plugin(tmp_path / "project/.papercup/plugins/x", "todo")
    sep_plugin(tmp_path / "home/.papercup/plugins/x", "todo")
    sep_plugin(tmp_path / "home/.papercup/plugins/y", "guard")
    sep_plugin(tmp_path / "work/.papercup/plugins/y", "guard")

    found = {each.id: each.scope for each in _finder(tmp_path)().candidates}

    assert found == {"todo": Scope.PROJECT, "guard": Scope.USER}


def test_a_project_that_was_just_trusted_is_looked_at(tmp_path: Path) -> None:
    finder = _finder(tmp_path)
    sep_plugin(tmp_path / "project/.papercup/plugins/x", "todo")
    before = finder().candidates
    _trust(tmp_path, tmp_path / "project")

    assert before == ()
    assert [each.id for each in finder().candidates] == ["todo"]


def test_the_home_folder_is_looked_at_once_if_it_is_worked_in(tmp_path: Path) -> None:
    finder = _finder(tmp_path)
    (tmp_path / "home").symlink_to("work")
    sep_plugin(tmp_path / "work/.papercup/plugins/x", "todo")

    assert [each.scope for each in finder().candidates] == [Scope.USER]


def test_smooths_folder_may_be_elsewhere(tmp_path: Path) -> None:
    sep_plugin(tmp_path / "elsewhere/extensions/x", "todo")
    finder = _finder(tmp_path, SMOOTH_HOME=str(tmp_path / "elsewhere"))
    assert [each.scope for each in finder().candidates] == [Scope.SMOOTH]


def test_a_search_path_that_was_named_has_to_be_there(tmp_path: Path) -> None:
    named = PluginsConfig(search_paths=(tmp_path / "mine", tmp_path / "plugins"))
    assert _finder(tmp_path)().diagnostics == ()
    assert [each.path for each in _finder(tmp_path, named)().diagnostics] == [
        str(tmp_path / "mine"),
        str(tmp_path / "plugins"),
    ]


def test_the_configuration_decides_what_counts(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        stdio_plugin(tmp_path / "plugins" / name, name)
    stdio_plugin(tmp_path / "plugins/dist/d", "d")
    plugins = PluginsConfig(
        search_paths=(tmp_path / "plugins",),
        disabled=("a",),
        allowlist=("b", "d"),
        ignore_dirs=("dist",),
    )
    report = _finder(tmp_path, plugins)()

    assert [each.id for each in report.candidates] == ["b"]
    assert report.disabled_count == 1


def test_what_jobs_write_is_never_a_plugin(tmp_path: Path) -> None:
    stdio_plugin(tmp_path / "data/extensions/job", "made")
    stdio_plugin(tmp_path / "data/sessions/one", "made-too")
    plugins = PluginsConfig(search_paths=(tmp_path,), max_depth=9)

    assert _finder(tmp_path, plugins)().candidates == ()


def test_a_sandbox_can_be_required(tmp_path: Path) -> None:
    sep_plugin(tmp_path / "plugins/x", "x", "[sandbox]\nmemory = '1g'\n")
    assert len(_finder(tmp_path)().candidates) == 1
    assert _finder(tmp_path, SMOOTH_EXTENSION_SANDBOX="on")().candidates == ()


def test_a_database_without_projects_or_that_cannot_be_read_trusts_none(tmp_path: Path) -> None:
    (tmp_path / "damaged.db").write_text("this is not a database, though it is long enough" * 9)
    sqlite3.connect(tmp_path / "empty.db").close()
    for name in ("missing.db", "empty.db", "damaged.db"):
        assert trusted_projects(tmp_path / name) == ()


def test_changes_are_watched_as_the_configuration_says(tmp_path: Path) -> None:
    plugins = PluginsConfig(ignore_dirs=("dist",), watch=PluginWatchConfig(debounce_ms=50))
    options = _finder(tmp_path, plugins).watch_options()
    assert options.debounce_seconds == 0.05
    assert options.search.ignored_names == {"dist"}


def _linked(name: str, folder: Path) -> Package:
    source = f"path:{folder}"
    return Package(id=name, version="1", source=source, resolved=source, at="2026-01-01T00:00:00Z")


def test_what_was_linked_is_found_where_it_stands_and_nothing_in_it(tmp_path: Path) -> None:
    sep_plugin(tmp_path / "mine/todo", "todo")
    sep_plugin(tmp_path / "mine/todo/examples/inner", "inner")
    sep_plugin(tmp_path / "mine/half/inner", "inner")
    packages = Packages()
    for name in ("todo", "half", "gone"):
        packages = packages.with_package(_linked(name, tmp_path / "mine" / name))
    write_packages(tmp_path / "home/.papercup/plugins", packages)

    report = _finder(tmp_path)()

    assert [(each.id, each.scope, each.folder) for each in report.candidates] == [
        ("todo", Scope.USER, tmp_path / "mine/todo")
    ]
    assert [each.path for each in report.diagnostics] == [str(tmp_path / "mine/gone")]


def test_what_was_disabled_by_a_command_counts_with_what_the_configuration_disables(
    tmp_path: Path,
) -> None:
    for name in ("one", "two", "three"):
        stdio_plugin(tmp_path / "plugins" / name, name)
    set_enabled("one", tmp_path / "home/.papercup/plugins", is_enabled=False)
    chosen = PluginsConfig(search_paths=(tmp_path / "plugins",), disabled=("two",))

    report = _finder(tmp_path, chosen)()

    assert [each.id for each in report.candidates] == ["three"]
    assert report.disabled_count == 2


def test_what_a_project_says_of_links_and_of_disabling_plays_no_part(tmp_path: Path) -> None:
    _trust(tmp_path, tmp_path / "project")
    sep_plugin(tmp_path / "mine", "mine")
    sep_plugin(tmp_path / "home/.papercup/plugins/guard", "guard")
    theirs = Packages(disabled=frozenset({"guard"})).with_package(
        _linked("mine", tmp_path / "mine")
    )
    write_packages(tmp_path / "project/.papercup/plugins", theirs)

    assert [each.id for each in _finder(tmp_path)().candidates] == ["guard"]


def test_what_cannot_be_read_of_installed_plugins_keeps_none_from_being_found_and_is_said(
    tmp_path: Path,
) -> None:
    _trust(tmp_path, tmp_path / "project")
    files: list[str] = []
    for place in ("home", "project", "work"):
        manifest = sep_plugin(tmp_path / place / ".papercup/plugins/x", f"of-{place}")
        files.append(str(manifest.parents[1] / "packages.lock.toml"))
        Path(files[-1]).write_text("nonsense")

    report = _finder(tmp_path)()

    assert {each.id for each in report.candidates} == {"of-home", "of-project", "of-work"}
    assert [(each.path, each.level) for each in report.diagnostics] == [
        (file, Level.ERROR) for file in files
    ]
    own, theirs, _ = (each.message for each in report.diagnostics)
    why = "it is not as `papercup plugin` writes it: Expected '=' after a key"
    mend = "mend it, or take it away: what stands beside it is then as if put there by hand"
    assert own.startswith(why)
    assert own.endswith(f"what it links or disables does not count; {mend}")
    assert theirs.startswith(why)
    assert theirs.endswith(f"; {mend}")
    assert "disables" not in theirs
