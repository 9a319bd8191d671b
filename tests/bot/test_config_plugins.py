from pathlib import Path

import pytest

from bot.config_plugins import PluginEntry, PluginsConfig, PluginWatchConfig
from bot.config_reading import ConfigReading, Surroundings, read_config, values_of
from bot.errors import ConfigError, ConfigProblem

HASH = "sha256:" + "0a" * 32


def _read(folder: Path, text: str, **environment: str) -> ConfigReading:
    (folder / "config.toml").write_text(text, encoding="utf-8")
    where = Surroundings(
        working_folder=folder, environment={"HOME": str(folder / "home"), **environment}
    )
    return read_config(None, where)


def _plugins(folder: Path, text: str, **environment: str) -> PluginsConfig:
    return _read(folder, text, **environment).config.plugins


def _problems(folder: Path, text: str, **environment: str) -> list[ConfigProblem]:
    with pytest.raises(ConfigError) as caught:
        _read(folder, text, **environment)
    return list(caught.value.problems)


def test_the_defaults_are_those_of_other_hosts(tmp_path: Path) -> None:
    assert _plugins(tmp_path, "") == PluginsConfig(
        enabled=True,
        search_paths=(tmp_path / "plugins",),
        disabled=(),
        allowlist=(),
        ignore_dirs=("node_modules", ".git", "target"),
        max_depth=4,
        follow_links=False,
        watch=PluginWatchConfig(enabled=False, debounce_ms=500, reload=False),
    )


def test_every_setting_can_be_set(tmp_path: Path) -> None:
    text = f"""\
[plugins]
enabled = false
search_paths = ["mine", "~/theirs", "/srv/plugins"]
disabled = ["a"]
allowlist = ["b"]
ignore_dirs = ["dist"]
max_depth = 2
follow_links = true
ui_timeout_seconds = 30
[plugins.watch]
enabled = true
debounce_ms = 100
reload = true
[plugins.env]
passthrough = true
[plugins.trusted]
todo = "{HASH}"
[plugins.entries.todo]
flags = {{ list = "shopping", most = 3, strict = true }}
jobs = ["add"]
hook_timeout_seconds = 2.5
[plugins.entries.dice]
jobs = true
"""
    reading = _read(tmp_path, text)
    plugins = reading.config.plugins

    paths = (tmp_path / "mine", tmp_path / "home/theirs", Path("/srv/plugins"))
    assert plugins.search_paths == paths
    assert plugins.watch == PluginWatchConfig(enabled=True, debounce_ms=100, reload=True)
    assert plugins.env.passthrough
    assert plugins.trusted == {"todo": HASH}
    assert plugins.entry("todo") == PluginEntry(
        flags={"list": "shopping", "most": 3, "strict": True},
        jobs=("add",),
        hook_timeout_seconds=2.5,
    )
    values = values_of(reading.config)
    assert values["plugins.watch.debounce_ms"] == 100
    assert values["plugins.entries.todo.jobs"] == ["add"]
    assert values["plugins.trusted.todo"] == HASH
    assert set(values) <= set(reading.sources)


def test_jobs_get_no_tools_unless_they_are_named(tmp_path: Path) -> None:
    text = "[plugins.entries]\na = { jobs = true }\nb = { jobs = ['x', 'y'] }\nc = {}\n"
    plugins = _plugins(tmp_path, text)

    assert plugins.entry("a").tools_for_jobs is None
    assert plugins.entry("b").tools_for_jobs == frozenset({"x", "y"})
    assert plugins.entry("c").tools_for_jobs == frozenset()
    assert plugins.entry("unheard-of") == PluginEntry()


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        ("[plugins]\nmax_depht = 3", "plugins.max_depht", "is not a key"),
        ("[plugins]\nmax_depth = 0", "plugins.max_depth", "a whole number from 1 to 64"),
        ("[plugins]\ndisabled = ['A B']", "plugins.disabled", "the id of a plugin"),
        ("[plugins]\nignore_dirs = ['a/b']", "plugins.ignore_dirs", "the name of a folder"),
        ("[plugins.watch]\nreloads = true", "plugins.watch.reloads", "is not a key"),
        ("[plugins]\nwatch = true", "plugins.watch", "is a table: write [plugins.watch]"),
        ("[plugins]\nwach = { enabled = true }", "plugins.wach", "is not a key"),
        ("plugins = 3", "plugins", "is a table: write [plugins]"),
        ("[plugins]\ntrusted = 3", "plugins.trusted", "is a table"),
        ("[plugins.trusted]\ntodo = 'sha256:abc'", "plugins.trusted.todo", "64 digits"),
        ("[plugins.trusted]\n'A B' = 'x'", "plugins.trusted.A B", "must be called by the id"),
        ("[plugins.entries]\ntodo = 3", "plugins.entries.todo", "is a table"),
        ("[plugins.entries.todo]\njob = true", "plugins.entries.todo.job", "is not a key"),
        ("[plugins.entries.todo]\njobs = 'x'", "plugins.entries.todo.jobs", "true, false, or"),
        ("[plugins.entries.todo]\nflags = {a=[]}", "plugins.entries.todo.flags", "a table of"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, key: str, reason: str) -> None:
    (problem,) = _problems(tmp_path, text)
    assert problem.key == key
    assert reason in problem.reason


def test_a_misspelt_key_is_told_with_the_one_that_was_meant(tmp_path: Path) -> None:
    text = "[plugins]\nmax_depht = 3\n[plugins.watch]\ndebounce = 3\n[plugins.entries.x]\njob = 1"
    assert [problem.suggestion for problem in _problems(tmp_path, text)] == [
        "plugins.max_depth",
        "plugins.watch.debounce_ms",
        "plugins.entries.x.jobs",
    ]


def test_a_secret_among_the_flags_is_refused_and_not_repeated(tmp_path: Path) -> None:
    key = "sk-ant-api03-" + "a" * 40
    (problem,) = _problems(tmp_path, f"[plugins.entries.x]\nflags = {{ key = '{key}' }}")
    assert "looks like a secret" in problem.reason
    assert key not in str(problem)


def test_variables_set_what_is_not_about_single_plugins(tmp_path: Path) -> None:
    reading = _read(
        tmp_path,
        "[plugins]\nmax_depth = 2",
        PAPERCUP_PLUGINS__MAX_DEPTH="3",
        PAPERCUP_PLUGINS__WATCH__ENABLED="true",
        PAPERCUP_PLUGINS__SEARCH_PATHS="here, /there",
    )
    plugins = reading.config.plugins

    assert plugins.max_depth == 3
    assert plugins.watch.enabled
    assert plugins.search_paths == (tmp_path / "here", Path("/there"))
    assert reading.sources["plugins.watch.enabled"] == "PAPERCUP_PLUGINS__WATCH__ENABLED"


@pytest.mark.parametrize(
    ("variable", "reason"),
    [
        ("PAPERCUP_PLUGINS__ENTRIES__X__JOBS", "stands in the file alone"),
        ("PAPERCUP_PLUGINS__TRUSTED__X", "stands in the file alone"),
        ("PAPERCUP_PLUGINS__WATCH__ON", "[plugins.watch] has enabled, debounce_ms, reload"),
    ],
)
def test_other_variables_are_refused(tmp_path: Path, variable: str, reason: str) -> None:
    (problem,) = _problems(tmp_path, "", **{variable: "x"})
    assert problem.key == variable
    assert reason in problem.reason


def test_the_time_for_answers_may_be_set_as_other_hosts_have_it(tmp_path: Path) -> None:
    theirs = _read(tmp_path, "", SMOOTH_UI_TIMEOUT_SECS="7")
    both = _read(tmp_path, "", SMOOTH_UI_TIMEOUT_SECS="7", PAPERCUP_PLUGINS__UI_TIMEOUT_SECONDS="9")

    assert theirs.config.plugins.ui_timeout_seconds == 7
    assert theirs.sources["plugins.ui_timeout_seconds"] == "SMOOTH_UI_TIMEOUT_SECS"
    assert both.config.plugins.ui_timeout_seconds == 9
    (problem,) = _problems(tmp_path, "", SMOOTH_UI_TIMEOUT_SECS="soon")
    assert problem.key == "SMOOTH_UI_TIMEOUT_SECS"
