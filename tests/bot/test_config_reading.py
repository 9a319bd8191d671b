from pathlib import Path

import pytest

from bot.config import Config
from bot.config_plugins import PluginsConfig
from bot.config_reading import ConfigReading, Surroundings, read_config
from bot.errors import ConfigError, ConfigProblem


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "here").mkdir()
    return tmp_path


def _read(folder: Path, text: str | None = None, **environment: str) -> ConfigReading:
    """Read the configuration with `text` as the working folder's file."""
    if text is not None:
        (folder / "here/config.toml").write_text(text, encoding="utf-8")
    return _read_named(None, folder, **environment)


def _read_named(named: Path | None, folder: Path, **environment: str) -> ConfigReading:
    environment = {"HOME": str(folder / "home")} | environment
    where = Surroundings(working_folder=folder / "here", environment=environment)
    return read_config(named, where)


def _problems(folder: Path, text: str = "", **environment: str) -> tuple[ConfigProblem, ...]:
    with pytest.raises(ConfigError) as caught:
        _read(folder, text, **environment)
    return caught.value.problems


def test_without_a_file_everything_has_its_default_and_the_data_is_in_xdgs_folder(
    folder: Path,
) -> None:
    reading = _read(folder)

    plugins = PluginsConfig(search_paths=(folder / "here/plugins",))
    data_dir = folder / "home/.local/state/papercup"
    assert reading.config == Config(data_dir=data_dir, plugins=plugins)
    assert reading.file is None
    assert set(reading.sources.values()) == {"default"}


def test_xdgs_state_folder_may_be_elsewhere(folder: Path) -> None:
    state = folder / "state"
    assert _read(folder, XDG_STATE_HOME=str(state)).config.data_dir == state / "papercup"


def test_a_relative_xdg_folder_is_ignored(folder: Path) -> None:
    data_dir = _read(folder, XDG_STATE_HOME="state").config.data_dir
    assert data_dir == folder / "home/.local/state/papercup"


def test_the_file_in_the_working_folder_goes_before_xdgs(folder: Path) -> None:
    xdg = folder / "home/.config/papercup"
    xdg.mkdir(parents=True)
    (xdg / "config.toml").write_text("jobs.limit = 2")
    first = _read(folder)
    second = _read(folder, "jobs.limit = 3")

    assert (first.config.jobs.limit, first.file) == (2, xdg / "config.toml")
    assert (second.config.jobs.limit, second.file) == (3, folder / "here/config.toml")


def test_a_named_file_goes_before_all_others(folder: Path) -> None:
    (folder / "other.toml").write_text("jobs.limit = 5")

    (folder / "here/config.toml").write_text("jobs.limit = 3")

    reading = _read_named(Path("../other.toml"), folder)

    assert reading.config.jobs.limit == 5
    assert reading.file == folder / "other.toml"
    assert reading.config.data_dir == folder / "data"


def test_a_named_file_that_is_missing_is_a_problem(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.toml: cannot be read: No such file"):
        _read_named(Path("nowhere.toml"), folder)


def test_the_data_folder_is_beside_the_file_by_default(folder: Path) -> None:
    assert _read(folder, "").config.data_dir == folder / "here/data"


@pytest.mark.parametrize(
    ("written", "path"),
    [("kept", "here/kept"), ("../kept", "kept"), ("~/kept", "home/kept"), ("~", "home")],
)
def test_a_path_in_the_file_starts_beside_it(folder: Path, written: str, path: str) -> None:
    assert _read(folder, f'data_dir = "{written}"').config.data_dir == folder / path


def test_a_path_in_the_environment_starts_in_the_working_folder(folder: Path) -> None:
    (folder / "other.toml").touch()
    reading = _read_named(folder / "other.toml", folder, PAPERCUP_SPEAKER__CLAUDE="bin/claude")
    assert reading.config.speaker.claude == folder / "here/bin/claude"


def test_the_environment_goes_before_the_file_and_the_sources_say_so(folder: Path) -> None:
    text = "[jobs]\nlimit = 3\nqueue_limit = 7"
    reading = _read(folder, text, PAPERCUP_JOBS__LIMIT="2", PAPERCUP_DATA_DIR="/kept")

    assert (reading.config.jobs.limit, reading.config.jobs.queue_limit) == (2, 7)
    assert reading.config.data_dir == Path("/kept")
    assert reading.sources["jobs.limit"] == "PAPERCUP_JOBS__LIMIT"
    assert reading.sources["jobs.queue_limit"] == str(folder / "here/config.toml")
    assert reading.sources["jobs.max_turns"] == "default"


@pytest.mark.parametrize("text", ["1, 2", "1,2", "[1, 2]", "[ 1, 2, ]"])
def test_a_list_in_the_environment_is_toml_or_parted_by_commas(folder: Path, text: str) -> None:
    reading = _read(folder, PAPERCUP_DISCORD__OWNER_IDS=text)
    assert reading.config.discord.owner_ids == (1, 2)


def test_a_list_in_the_environment_may_be_made_empty(folder: Path) -> None:
    assert _read(folder, "", PAPERCUP_JOBS__TOOLS="[]").config.jobs.tools == ()


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("PAPERCUP_SPEAKER__EFFORT", "high"),
        ("PAPERCUP_JOBS__RUN_MINUTES", "0.5"),
        ("PAPERCUP_ENDPOINTS__MESSAGES_API", "http://127.0.0.1:9"),
    ],
)
def test_text_and_fractions_may_be_in_the_environment(
    folder: Path, variable: str, text: str
) -> None:
    section, _, name = variable.removeprefix("PAPERCUP_").lower().partition("__")
    config = _read(folder, **{variable: text}).config
    assert str(getattr(getattr(config, section), name)) == text


def test_an_empty_variable_counts_as_none(folder: Path) -> None:
    assert _read(folder, "jobs.limit = 3", PAPERCUP_JOBS__LIMIT="").config.jobs.limit == 3


def test_a_misspelt_key_is_refused_with_the_key_that_was_meant(folder: Path) -> None:
    (problem,) = _problems(folder, "[jobs]\nlimmit = 3")

    assert (problem.key, problem.suggestion) == ("jobs.limmit", "jobs.limit")
    assert problem.source == str(folder / "here/config.toml")
    assert "is not a key. [jobs] has limit, limit_per_person, " in problem.reason
    assert str(problem).endswith("Did you mean `jobs.limit`?")


@pytest.mark.parametrize(
    ("text", "key", "suggestion"),
    [
        ("[job]\nlimit = 3", "job.limit", "jobs.limit"),
        ("[jbos]", "jbos", "jobs"),
        ("[colours]\nink = 3", "colours.ink", None),
        ("data_folder = 3", "data_folder", "data_dir"),
        ("datadir = 3", "datadir", "data_dir"),
        ("jobs = 3", "jobs", None),
    ],
)
def test_what_is_no_key_is_refused(
    folder: Path, text: str, key: str, suggestion: str | None
) -> None:
    (problem,) = _problems(folder, text)
    assert (problem.key, problem.suggestion) == (key, suggestion)


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        ('[jobs]\nlimit = "4"', "jobs.limit", 'must be a whole number from 1 to 64, not "4"'),
        ("[jobs]\nlimit = 4.0", "jobs.limit", "must be a whole number from 1 to 64, not 4.0"),
        ("[jobs]\nlimit = true", "jobs.limit", "must be a whole number from 1 to 64, not true"),
        ("[jobs]\nlimit = 0", "jobs.limit", "must be a whole number from 1 to 64, not 0"),
        ("[jobs]\nrun_minutes = nan", "jobs.run_minutes", "a number above 0, at most 10080"),
        ('[jobs]\njail = "no"', "jobs.jail", 'one of "require", "prefer", "off", not "no"'),
        ('[jobs]\npermission_mode = "bypassPermissions"', "jobs.permission_mode", '"dontAsk"'),
        ('[jobs]\ntools = "Read"', "jobs.tools", "must be a list, each a name without spaces"),
        ('[discord]\nowner_ids = ["1"]', "discord.owner_ids", "a list, each a Discord id"),
        ("[discord]\nowner_ids = [-1]", "discord.owner_ids", "a list, each a Discord id"),
        ("[speaker]\nmodel = 2020-01-01", "speaker.model", "must be a name without spaces"),
        ('[speaker]\nmodel = ""', "speaker.model", "must be a name without spaces"),
        ("data_dir = 3", "data_dir", "must be a path, as text, not 3"),
        ("[data_dir]\na = 3", "data_dir", "must be a path, as text"),
    ],
)
def test_a_wrong_value_is_refused_with_what_is_allowed(
    folder: Path, text: str, key: str, reason: str
) -> None:
    (problem,) = _problems(folder, text)
    assert problem.key == key
    assert reason in problem.reason


def test_all_problems_of_all_sources_are_named_at_once(folder: Path) -> None:
    text = "[jobs]\nlimmit = 3\nqueue_limit = 0\n[log]\nlevel = 'loud'"
    problems = _problems(folder, text, PAPERCUP_JOBS__LIMIT="four", PAPERCUP_LOG__LEVVEL="info")

    assert [(problem.key, problem.suggestion) for problem in problems] == [
        ("jobs.limmit", "jobs.limit"),
        ("jobs.queue_limit", None),
        ("log.level", None),
        ("PAPERCUP_JOBS__LIMIT", None),
        ("PAPERCUP_LOG__LEVVEL", "PAPERCUP_LOG__LEVEL"),
    ]
    assert str(ConfigError(problems)).startswith("5 problems in the configuration:\n  ")


def test_a_mistake_in_the_toml_is_refused_with_its_line(folder: Path) -> None:
    (problem,) = _problems(folder, "[jobs]\nlimit 3")
    assert problem.key is None
    assert "line 2" in problem.reason


def test_a_file_that_is_not_text_is_refused(folder: Path) -> None:
    (folder / "here/config.toml").write_bytes(b"data_dir = '\xff'")
    with pytest.raises(ConfigError, match="not valid UTF-8"):
        _read(folder)


@pytest.mark.parametrize("variable", ["PAPERCUP_TOKEN", "PAPERCUP_MCP_URL", "PAPERCUP", "PAPER__X"])
def test_a_variable_that_is_somebody_elses_is_left_alone(folder: Path, variable: str) -> None:
    assert _read(folder, **{variable: "x"}).file is None


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("PAPERCUP_DATADIR", "PAPERCUP_DATA_DIR"),
        ("PAPERCUP_JOB__LIMIT", "PAPERCUP_JOBS__LIMIT"),
        ("PAPERCUP_COLOURS__INK", None),
    ],
)
def test_a_variable_with_a_section_or_nearly_ours_is_refused(
    folder: Path, variable: str, meant: str | None
) -> None:
    (problem,) = _problems(folder, **{variable: "3"})
    assert (problem.source, problem.key, problem.suggestion) == ("environment", variable, meant)


@pytest.mark.parametrize(
    "text",
    [
        'DISCORD_TOKEN = "abc"',
        '[discord]\ntoken = "abc"',
        '[secrets]\nanthropic_api_key = "abc"',
        '[speaker]\nmodel = "sk-ant-abc"',
        '[speaker]\nmodel = "MTIzNDU2Nzg5MDEyMzQ1Njc4.Gabcde.abcdefghijklmnopqrstuvwxyzabc"',
        '[jobs]\ntools = ["sk-ant-abc"]',
    ],
)
def test_a_secret_in_the_configuration_is_refused_and_not_repeated(folder: Path, text: str) -> None:
    (problem,) = _problems(folder, text)
    assert "looks like a secret" in problem.reason
    assert "secrets.toml (chmod 600)" in problem.reason
    assert "abc" not in str(problem).replace("PAPERCUP", "")


def test_a_secret_in_a_variable_of_ours_is_refused_and_not_repeated(folder: Path) -> None:
    problems = _problems(folder, PAPERCUP_DISCORD__TOKEN="abc", PAPERCUP_JOBS__LIMIT="sk-ant-abc")
    assert ["looks like a secret" in problem.reason for problem in problems] == [True, True]
    assert "abc" not in str(ConfigError(problems))


def test_a_long_wrong_value_is_shown_in_part(folder: Path) -> None:
    (problem,) = _problems(folder, f'[log]\nlevel = "{"x" * 1000}"')
    assert len(str(problem)) < 300
