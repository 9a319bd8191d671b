import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bot.plugin_services.loading import ManifestNews, load_plugins
from extensions.errors import PluginCallError, PluginNotFoundError
from extensions.plugins.manifest import (
    Candidate,
    Diagnostic,
    Dialect,
    DiscoveryReport,
    Level,
    Manifest,
    Scope,
)


def candidate(folder: Path) -> Candidate:
    return Candidate(
        manifest=Manifest(id="dice", dialect=Dialect.SEP, version="1.0.0", name="dice"),
        folder=folder.resolve(),
        manifest_path=folder / "extension.toml",
        scope=Scope.USER,
        root_index=0,
    )


def report(*candidates: Candidate, said: Sequence[Diagnostic] = ()) -> DiscoveryReport:
    return DiscoveryReport(
        candidates=candidates, diagnostics=tuple(said), scanned_folders=1, disabled_count=0
    )


async def as_found(found: DiscoveryReport) -> DiscoveryReport:
    return found


class Host:
    def __init__(self) -> None:
        self.loaded: list[Sequence[Candidate]] = []

    async def load(self, candidates: Sequence[Candidate]) -> None:
        self.loaded.append(candidates)


async def test_what_is_found_is_loaded_and_what_is_amiss_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    host, dice = Host(), candidate(tmp_path)
    amiss = Diagnostic(path="plugins/bad", message="plugin.id is empty", level=Level.ERROR)
    await load_plugins(lambda: report(dice, said=[amiss]), as_found, host.load)
    assert host.loaded == [(dice,)]
    assert ("plugins/bad: plugin.id is empty", logging.ERROR) in [
        (record.getMessage(), record.levelno) for record in caplog.records
    ]


async def test_what_is_trusted_is_loaded_in_place_of_what_was_found_first(tmp_path: Path) -> None:
    host, first, trusted = Host(), candidate(tmp_path / "a"), candidate(tmp_path / "b")

    async def choose(found: DiscoveryReport) -> DiscoveryReport:
        return replace(found, candidates=found.shadowed)

    await load_plugins(lambda: replace(report(first), shadowed=(trusted,)), choose, host.load)
    assert host.loaded == [(trusted,)]


async def test_hooks_do_not_wait_for_ever_where_nobody_can_look(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken() -> DiscoveryReport:
        raise OSError("no disk")

    host = Host()
    await load_plugins(broken, as_found, host.load)
    assert host.loaded == [()]
    assert "could not be looked for" in caplog.text


async def test_a_changed_manifest_is_only_logged_unless_its_plugin_is_to_be_reloaded(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    news = ManifestNews(lambda: report(candidate(tmp_path)), dict, None)
    await news.changed([tmp_path / "extension.toml", tmp_path / "other" / "plugin.toml"])
    assert "(plugin: dice)" in caplog.text
    assert "(plugin: none)" in caplog.text


async def test_the_plugin_of_a_changed_manifest_is_started_anew_whatever_becomes_of_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    asked: list[str] = []

    async def reload(plugin_id: str) -> object:
        asked.append(plugin_id)
        raise PluginCallError(plugin_id, "it does not shake hands")

    news = ManifestNews(lambda: report(candidate(tmp_path)), dict, reload)
    await news.changed([tmp_path / "extension.toml"])
    assert asked == ["dice"]
    assert "plugin dice: it does not shake hands" in caplog.text


async def test_a_plugin_that_runs_is_reloaded_when_its_manifest_is_gone(tmp_path: Path) -> None:
    asked: list[str] = []

    async def reload(plugin_id: str) -> object:
        asked.append(plugin_id)
        raise PluginNotFoundError(plugin_id, "it is not found any more")

    news = ManifestNews(report, lambda: {tmp_path.resolve() / "dice": "dice"}, reload)
    await news.changed([tmp_path / "dice" / "extension.toml"])
    assert asked == ["dice"]
