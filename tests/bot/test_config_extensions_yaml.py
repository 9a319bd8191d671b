from pathlib import Path

import pytest

from bot.config_reading import ConfigReading, Surroundings, read_config
from bot.errors import ConfigError, ConfigProblem

PAGE = """\
extensions:
  enabled: true
  search_paths: [./extensions]
  ignore_dirs: [node_modules, .git, target]
  disabled: []
  allowlist: []            # empty = all allowed
  max_depth: 4
  follow_links: false
  watch:
    enabled: false
    debounce_ms: 500
"""


def _read(folder: Path, text: str | bytes, toml: str | None = None) -> ConfigReading:
    (folder / "config").mkdir(exist_ok=True)
    content = text.encode() if isinstance(text, str) else text
    (folder / "config/extensions.yaml").write_bytes(content)
    if toml is not None:
        (folder / "config.toml").write_text(toml, encoding="utf-8")
    where = Surroundings(working_folder=folder, environment={"HOME": str(folder / "home")})
    return read_config(None, where)


def _problem(folder: Path, text: str | bytes) -> ConfigProblem:
    with pytest.raises(ConfigError) as caught:
        _read(folder, text)
    (problem,) = caught.value.problems
    return problem


def test_the_file_of_other_hosts_is_read(tmp_path: Path) -> None:
    reading = _read(tmp_path, PAGE)

    assert reading.config.plugins.search_paths == (tmp_path / "extensions",)
    assert reading.config.plugins.watch.debounce_ms == 500
    file = str(tmp_path / "config/extensions.yaml")
    assert reading.sources["plugins.watch.enabled"] == file
    assert reading.sources["jobs.limit"] == "default"
    assert reading.notes == ()


def test_our_own_file_goes_before_it_key_by_key(tmp_path: Path) -> None:
    reading = _read(
        tmp_path, "extensions: {max_depth: 2, disabled: [x]}", "[plugins]\nmax_depth = 3"
    )
    assert reading.config.plugins.max_depth == 3
    assert reading.config.plugins.disabled == ("x",)


@pytest.mark.parametrize("text", ["", "# nothing\n", "extensions:\n", "extensions: {}\n"])
def test_a_file_that_says_nothing_changes_nothing(tmp_path: Path, text: str) -> None:
    assert _read(tmp_path, text).config.plugins.max_depth == 4


def test_what_has_no_effect_here_is_noted(tmp_path: Path) -> None:
    text = "extensions: {doctor: {concurrency: 4}, transport_defaults: {}, entries: {}}"
    notes = _read(tmp_path, text).notes

    assert [note.key for note in notes] == [
        "extensions.doctor",
        "extensions.transport_defaults",
        "extensions.entries",
    ]
    assert all("has no effect" in note.reason for note in notes)


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        ("extensions: {max_depht: 3}", "extensions.max_depht", "is not a key. extensions has"),
        ("extensions: {ui_timeout_seconds: 3}", "extensions.ui_timeout_seconds", "is not a key"),
        ("extensions: {watch: {reload: true}}", "extensions.watch.reload", "is not a key"),
        ("extensions: {max_depth: '3'}", "extensions.max_depth", "a whole number from 1 to 64"),
        ("extensions: {watch: 3}", "extensions.watch", "is a table"),
        ("extensions: {watch: {debounce_ms: x}}", "extensions.watch.debounce_ms", "whole number"),
        ("extensions: [a]", "extensions", "must hold keys and their values"),
        ("- a", None, "must hold `extensions:`"),
        ("plugins: {}", None, "must hold `extensions:`"),
        ("extensions: {a: [", None, "is not valid YAML"),
        ("extensions: !!python/object/apply:os.system ['true']", None, "is not valid YAML"),
        (b"\xff", None, "is not valid UTF-8"),
    ],
)
def test_what_is_wrong_is_named(
    tmp_path: Path, text: str | bytes, key: str | None, reason: str
) -> None:
    problem = _problem(tmp_path, text)
    assert problem.key == key
    assert reason in problem.reason
    assert problem.source == str(tmp_path / "config/extensions.yaml")


def test_a_misspelt_key_is_told_with_the_one_that_was_meant(tmp_path: Path) -> None:
    problem = _problem(tmp_path, "extensions: {max_depht: 3}")
    assert problem.suggestion == "extensions.max_depth"


def test_a_folder_in_its_place_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "config/extensions.yaml").mkdir(parents=True)
    where = Surroundings(working_folder=tmp_path, environment={"HOME": str(tmp_path)})
    with pytest.raises(ConfigError, match="cannot be read"):
        read_config(None, where)
