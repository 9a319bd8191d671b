import asyncio
import logging
from collections.abc import Collection
from pathlib import Path

import pytest

from extensions.plugins.manifest import Scope
from extensions.plugins.search import SearchOptions, SearchRoot
from extensions.plugins.watcher import WatchOptions, watching
from tests.fakes.plugin_folders import stdio_plugin

OPTIONS = WatchOptions(
    debounce_seconds=0.02,
    look_again_seconds=0.05,
    search=SearchOptions(ignored_names=frozenset({"node_modules"})),
)


class _Heard:
    """Takes note of what is said to have changed."""

    def __init__(self) -> None:
        self.paths: list[Path] = []
        self.ever: set[Path] = set()
        self.calls = 0
        self._news = asyncio.Event()

    async def __call__(self, paths: Collection[Path]) -> None:
        self.calls += 1
        self.paths += paths
        self.ever.update(paths)
        self._news.set()

    async def of(self, path: Path) -> None:
        """Wait until that has changed, and forget what was heard before."""
        async with asyncio.timeout(10):
            while path not in self.paths:
                self._news.clear()
                await self._news.wait()
        self.paths.clear()


def _root(path: Path) -> SearchRoot:
    return SearchRoot(path=path, scope=Scope.SEARCH_PATH, is_optional=True)


async def test_manifests_that_come_change_and_go_are_told(tmp_path: Path) -> None:
    heard = _Heard()
    async with watching([_root(tmp_path)], OPTIONS, heard):
        manifest = stdio_plugin(tmp_path / "a/b", "new")
        await heard.of(manifest)
        stdio_plugin(tmp_path / "a/b", "other")
        await heard.of(manifest)
        sidecar = tmp_path / "a/b/.mcp.json"
        sidecar.write_text("{}")
        await heard.of(sidecar)
        (tmp_path / "a").rename(tmp_path / "c")
        await heard.of(manifest)
        moved = tmp_path / "c/b/plugin.toml"
        moved.unlink()
        await heard.of(moved)


async def test_what_was_there_before_is_no_news_nor_is_the_same_text_again(tmp_path: Path) -> None:
    old = stdio_plugin(tmp_path / "old", "old")
    heard = _Heard()
    async with watching([_root(tmp_path)], OPTIONS, heard):
        for _ in range(20):
            old.write_bytes(old.read_bytes())
        new = stdio_plugin(tmp_path / "new", "new")
        await heard.of(new)

    assert heard.ever == {new}


async def test_many_changes_are_told_at_once_and_swap_files_not_at_all(tmp_path: Path) -> None:
    manifest = stdio_plugin(tmp_path / "x", "x")
    heard = _Heard()
    options = WatchOptions(debounce_seconds=0.2)

    def edit() -> None:
        for number in range(300):
            stdio_plugin(tmp_path / "x", "x", f"# {number}\n")
            (tmp_path / "x/.plugin.toml.swp").write_text(str(number))
            (tmp_path / "x/4913").touch()
            (tmp_path / "x/4913").unlink()

    async with watching([_root(tmp_path)], options, heard):
        await asyncio.to_thread(edit)
        await heard.of(manifest)
        calls = heard.calls
        last = stdio_plugin(tmp_path / "y", "y")
        await heard.of(last)

    # One for each time that the debounce ran out, not one for each change.
    assert calls < 20


async def test_a_root_that_comes_later_is_watched_from_then_on(tmp_path: Path) -> None:
    heard = _Heard()
    async with watching([_root(tmp_path / "later")], OPTIONS, heard):
        manifest = stdio_plugin(tmp_path / "later/x", "x")
        await heard.of(manifest)
        manifest.write_text("other")
        await heard.of(manifest)


async def test_a_root_that_is_exchanged_is_watched_on(tmp_path: Path) -> None:
    first = stdio_plugin(tmp_path / "root/x", "x")
    heard = _Heard()
    async with watching([_root(tmp_path / "root")], OPTIONS, heard):
        (tmp_path / "root").rename(tmp_path / "old")
        await heard.of(first)
        stdio_plugin(tmp_path / "root/x", "y")
        await heard.of(first)
        first.write_text("other")
        await heard.of(first)


async def test_what_goes_wrong_with_one_change_is_logged_and_the_next_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    heard = _Heard()

    async def fail_once(paths: Collection[Path]) -> None:
        await heard(paths)
        if heard.calls == 1:
            raise ValueError("boom")

    with caplog.at_level(logging.INFO):
        async with watching([_root(tmp_path)], OPTIONS, fail_once):
            for name in ("a", "b"):
                await heard.of(stdio_plugin(tmp_path / name, name))

    assert "what follows from changed plugin manifests failed" in caplog.text
    assert f"plugin manifest {tmp_path / 'b/plugin.toml'} is new" in caplog.text


async def test_ignored_folders_are_not_watched(tmp_path: Path) -> None:
    heard = _Heard()
    async with watching([_root(tmp_path)], OPTIONS, heard):
        stdio_plugin(tmp_path / "node_modules/x", "hidden")
        seen = stdio_plugin(tmp_path / "y", "y")
        await heard.of(seen)
    assert heard.ever == {seen}
