import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from extensions.plugins.discovery import (
    MAX_MANIFEST_BYTES,
    DiscoverySettings,
    candidate_at,
    discover,
)
from extensions.plugins.manifest import DiscoveryReport, Level, Scope
from extensions.plugins.manifest_reading import HostFacts
from extensions.plugins.search import SearchOptions, SearchRoot
from extensions.plugins.selection import SelectionOptions
from tests.fakes.plugin_folders import sep_plugin, stdio_plugin

IGNORED = frozenset({"node_modules", ".git", "target"})


def _settings(
    *roots: Path | SearchRoot, options: SearchOptions | None = None, **selection: frozenset[str]
) -> DiscoverySettings:
    return DiscoverySettings(
        roots=[
            root if isinstance(root, SearchRoot) else SearchRoot(path=root, scope=Scope.SEARCH_PATH)
            for root in roots
        ],
        host=HostFacts(version="0.1.0"),
        search=options or SearchOptions(ignored_names=IGNORED),
        selection=SelectionOptions(**selection),
    )


def _children(path: Path, scope: Scope = Scope.USER) -> SearchRoot:
    return SearchRoot(path=path, scope=scope, has_children_only=True, is_optional=True)


def _ids(report: DiscoveryReport) -> list[str]:
    return [each.id for each in report.candidates]


def _problems(report: DiscoveryReport) -> list[tuple[Level, str, str]]:
    return [(each.level, each.path, each.message) for each in report.diagnostics]


def test_manifests_of_every_kind_are_found(tmp_path: Path) -> None:
    stdio_plugin(tmp_path / "a", "first")
    sep_plugin(tmp_path / "b/c", "second")
    (tmp_path / "d").mkdir()
    (tmp_path / "d/package.json").write_text(
        '{"name": "third", "version": "1.0.0", "smooth": {"run": {"command": "node"}}}'
    )
    (tmp_path / "e").mkdir()
    (tmp_path / "e/mcp.toml").write_text("[[servers]]\nname = 'fs'\ncommand = 'npx'\n")
    (tmp_path / "f").mkdir()
    (tmp_path / "f/plugin.toml").write_text("name = 'jq'\ncommand = 'jq'\n")
    (tmp_path / "g").mkdir()
    (tmp_path / "g/package.json").write_text('{"name": "left-pad"}')

    report = discover(_settings(tmp_path))

    assert _ids(report) == ["e", "first", "jq", "second", "third"]
    assert _problems(report) == []
    assert report.scanned_folders == 5
    second = report.candidates[3]
    assert second.folder == (tmp_path / "b/c").resolve()
    assert second.manifest_path == tmp_path / "b/c/extension.toml"


def test_two_searches_find_the_same(tmp_path: Path) -> None:
    for number in range(20):
        stdio_plugin(tmp_path / f"x{number % 7}" / f"y{number}", f"plugin-{number % 9}")

    assert discover(_settings(tmp_path)) == discover(_settings(tmp_path))


def test_a_wrong_manifest_keeps_no_other_from_being_found(tmp_path: Path) -> None:
    stdio_plugin(tmp_path / "good", "good")
    stdio_plugin(tmp_path / "bad", "../../escape")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken/extension.toml").write_text("name = [")

    report = discover(_settings(tmp_path))

    assert _ids(report) == ["good"]
    assert [(level, path) for level, path, _ in _problems(report)] == [
        (Level.ERROR, str(tmp_path / "bad/plugin.toml")),
        (Level.ERROR, str(tmp_path / "broken/extension.toml")),
    ]
    assert report.invalid_count == 2


def test_what_is_not_served_is_named_and_the_plugin_found_all_the_same(tmp_path: Path) -> None:
    manifest = sep_plugin(tmp_path / "x", "x", "[sandbox]\nmemory = '1g'\n")

    report = discover(_settings(tmp_path))

    assert _ids(report) == ["x"]
    message = "sandbox (memory) is not kept: it runs with this user's rights"
    assert _problems(report) == [(Level.WARN, str(manifest), message)]


@pytest.mark.parametrize(("depth", "is_found"), [(1, True), (4, True), (5, False)])
def test_it_is_searched_to_a_depth(tmp_path: Path, depth: int, is_found: bool) -> None:  # noqa: FBT001 - a parameter
    folder = tmp_path.joinpath(*["x"] * (depth - 1))
    stdio_plugin(folder, "deep")
    assert bool(_ids(discover(_settings(tmp_path)))) == is_found


def test_ignored_folders_are_not_searched_but_a_root_may_be_called_so(tmp_path: Path) -> None:
    root = tmp_path / "target"
    stdio_plugin(root / "x/node_modules/y", "hidden")
    stdio_plugin(root / "z", "seen")
    assert _ids(discover(_settings(root))) == ["seen"]


def test_only_the_folders_right_in_the_home_folder_are_plugins(tmp_path: Path) -> None:
    sep_plugin(tmp_path, "root")
    sep_plugin(tmp_path / "x", "child")
    sep_plugin(tmp_path / "y/z", "grandchild")
    assert _ids(discover(_settings(_children(tmp_path)))) == ["child"]


def test_a_root_that_is_missing_is_named_unless_it_may_be(tmp_path: Path) -> None:
    report = discover(_settings(tmp_path / "gone", _children(tmp_path / "gone-too")))
    message = "search path not found or unreadable: No such file or directory"
    assert _problems(report) == [(Level.WARN, str(tmp_path / "gone"), message)]


def test_a_root_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    report = discover(_settings(_children(tmp_path / "file")))
    assert [message for _, _, message in _problems(report)] == [
        "search path not found or unreadable: Not a directory"
    ]


def test_a_project_goes_before_the_home_folder(tmp_path: Path) -> None:
    sep_plugin(tmp_path / "project/x", "Todo")
    sep_plugin(tmp_path / "user/y", "todo")
    project = _children(tmp_path / "project", Scope.PROJECT)

    report = discover(_settings(project, _children(tmp_path / "user")))

    assert [(each.id, each.scope) for each in report.candidates] == [("todo", Scope.PROJECT)]
    (problem,) = _problems(report)
    assert "duplicate plugin id `todo`; keeping first" in problem[2]


def test_a_broken_first_copy_lets_the_second_win(tmp_path: Path) -> None:
    sep_plugin(tmp_path / "a/x", "todo", "wrong = 3\n[run]\n")
    sep_plugin(tmp_path / "b/x", "todo")
    report = discover(_settings(tmp_path / "a", tmp_path / "b"))
    assert [each.root_index for each in report.candidates] == [1]


def test_servers_beside_a_manifest_are_taken_in(tmp_path: Path) -> None:
    for name in ("json", "toml", "own", "broken", "wrong"):
        stdio_plugin(
            tmp_path / name, name, "[mcp_servers.own]\ncommand = 'x'\n" if name == "own" else ""
        )
    server = '{"mcpServers": {"fs": {"command": "npx"}}}'
    (tmp_path / "json/.mcp.json").write_text(server)
    (tmp_path / "toml/mcp.toml").write_text("[[servers]]\nname = 'fs'\ncommand = 'npx'\n")
    (tmp_path / "own/.mcp.json").write_text(server)
    (tmp_path / "broken/.mcp.json").write_text("{")
    (tmp_path / "wrong/.mcp.json").write_text('{"mcpServers": {"FS": {"command": "npx"}}}')

    report = discover(_settings(tmp_path))

    assert {each.id: sorted(each.manifest.mcp_servers) for each in report.candidates} == {
        "json": ["fs"],
        "toml": ["fs"],
        "own": ["own"],
        "broken": [],
        "wrong": [],
    }
    problems = _problems(report)
    assert [(level, path) for level, path, _ in problems] == [
        (Level.WARN, str(tmp_path / "broken/.mcp.json")),
        (Level.WARN, str(tmp_path / "wrong/.mcp.json")),
    ]
    assert problems[0][2].startswith("failed to parse sidecar MCP file: ")
    assert problems[1][2].startswith("ignoring invalid sidecar MCP declaration: mcp server name")


def test_of_two_manifests_the_one_that_knows_more_counts(tmp_path: Path) -> None:
    stdio_plugin(tmp_path, "older")
    sep_plugin(tmp_path, "newer")
    (tmp_path / "package.json").write_text('{"name": "x", "smooth": {}}')

    report = discover(_settings(tmp_path))

    assert _ids(report) == ["newer"]
    message = "folder has `plugin.toml`, too; using `extension.toml`"
    assert _problems(report) == [(Level.WARN, str(tmp_path / "extension.toml"), message)]


def test_a_plugin_within_another_is_left_out(tmp_path: Path) -> None:
    stdio_plugin(tmp_path / "outer", "outer")
    stdio_plugin(tmp_path / "outer/inner", "inner")
    assert _ids(discover(_settings(tmp_path))) == ["outer"]


@pytest.mark.parametrize("follow_links", [False, True])
def test_a_manifest_that_is_linked_out_of_the_root_is_refused(
    tmp_path: Path,
    follow_links: bool,  # noqa: FBT001 - a parameter
) -> None:
    outside = stdio_plugin(tmp_path / "outside", "outside")
    root = tmp_path / "root"
    (root / "x").mkdir(parents=True)
    (root / "x/plugin.toml").symlink_to(outside)
    (root / "y").symlink_to(outside.parent)
    options = SearchOptions(follow_links=follow_links)

    report = discover(_settings(root, options=options))

    assert _ids(report) == []
    escapes = "manifest path escapes search root via symlink"
    assert _problems(report) == [
        (Level.ERROR, str(root / "x/plugin.toml"), escapes),
        (Level.ERROR, str(root / "y/plugin.toml"), escapes),
    ]


def test_links_within_the_root_are_followed_if_that_is_wanted(tmp_path: Path) -> None:
    stdio_plugin(tmp_path / ".store/deep/er/x", "linked")
    (tmp_path / "x").symlink_to(tmp_path / ".store/deep/er/x")

    assert _ids(discover(_settings(tmp_path, options=SearchOptions(max_depth=2)))) == []
    followed = SearchOptions(max_depth=2, follow_links=True)
    assert _ids(discover(_settings(tmp_path, options=followed))) == ["linked"]
    assert _ids(discover(_settings(_children(tmp_path)))) == ["linked"]


def test_links_in_a_circle_and_into_nothing_end(tmp_path: Path) -> None:
    stdio_plugin(tmp_path / "a/x", "x")
    (tmp_path / "a/up").symlink_to(tmp_path)
    (tmp_path / "a/self").symlink_to("self")
    (tmp_path / "a/gone").symlink_to("nowhere")
    (tmp_path / "loop.d").mkdir()
    (tmp_path / "loop.d/plugin.toml").symlink_to("plugin.toml")
    options = SearchOptions(max_depth=60, follow_links=True)

    report = discover(_settings(tmp_path, options=options))

    assert _ids(report) == ["x"]
    assert [(level, message.partition(":")[0]) for level, _, message in _problems(report)] == [
        (Level.WARN, "walk error"),
        (Level.WARN, "walk error"),
        (Level.ERROR, "failed to canonicalize manifest"),
    ]


def test_a_root_that_is_a_link_is_shown_as_it_is_configured(tmp_path: Path) -> None:
    stdio_plugin(tmp_path / "real/good", "good")
    stdio_plugin(tmp_path / "real/bad", "BAD")
    (tmp_path / "link").symlink_to("real")

    report = discover(_settings(tmp_path / "link"))

    (candidate,) = report.candidates
    assert candidate.manifest_path == tmp_path / "link/good/plugin.toml"
    assert candidate.folder == (tmp_path / "real/good").resolve()
    assert [path for _, path, _ in _problems(report)] == [str(tmp_path / "link/bad/plugin.toml")]


def test_nothing_is_found_in_or_around_folders_in_which_jobs_write(tmp_path: Path) -> None:
    jobs = tmp_path / "data/extensions"
    stdio_plugin(jobs / "job/x", "made-by-a-job")
    stdio_plugin(tmp_path / "data", "around")
    stdio_plugin(tmp_path / "good", "good")
    (tmp_path / "link").symlink_to(jobs / "job")
    options = SearchOptions(max_depth=9, follow_links=True, off_limits=(jobs,))

    report = discover(_settings(tmp_path, jobs, jobs / "job", options=options))

    assert _ids(report) == ["good"]
    inside = "search path is one in which jobs write"
    assert _problems(report) == [
        (Level.ERROR, str(jobs), inside),
        (Level.ERROR, str(jobs / "job"), inside),
        (
            Level.ERROR,
            str(tmp_path / "data/plugin.toml"),
            "plugin folder holds one in which jobs write",
        ),
    ]


@pytest.mark.parametrize(
    "name",
    [
        *(
            "a\nb",
            "a\rb",
            "\u202egnp.exe",
            "x" * 250,
            "-rf",
            "$(id)",
            "`id`",
            " ",
            "\U0001f600",
            "é",
        ),
        *("\udcff", "~", "...", "a\x1b[31m"),
    ],
)
def test_a_folder_of_any_name_is_searched_and_named_on_one_line(tmp_path: Path, name: str) -> None:
    stdio_plugin(tmp_path / name / "good", "good")
    stdio_plugin(tmp_path / name / "bad", "not good")
    (tmp_path / name / "mcp.toml").write_text("[[servers]]\nname = 'fs'\ncommand = 'x'\n")

    report = discover(_settings(tmp_path))

    assert all(path.isprintable() for _, path, _ in _problems(report))
    assert all(message.isprintable() for _, _, message in _problems(report))
    assert "plugin.id `not good` must match" in "".join(each[2] for each in _problems(report))


def test_what_is_no_file_is_no_manifest(tmp_path: Path) -> None:
    (tmp_path / "folder/plugin.toml").mkdir(parents=True)
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe/plugin.toml")
    stdio_plugin(tmp_path / "sidecar", "sidecar")
    os.mkfifo(tmp_path / "sidecar/.mcp.json")

    report = discover(_settings(tmp_path))

    assert _ids(report) == ["sidecar"]
    assert _problems(report) == []


def test_a_manifest_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    manifest = stdio_plugin(tmp_path, "large", "#" * MAX_MANIFEST_BYTES)
    message = "failed to read manifest: it is larger than 1 MiB"
    assert _problems(discover(_settings(tmp_path))) == [(Level.ERROR, str(manifest), message)]


def test_ten_thousand_folders_are_each_looked_into_once(tmp_path: Path) -> None:
    for number in range(10_000):
        (tmp_path / f"{number % 100}" / f"{number}").mkdir(parents=True)
    for number in range(0, 10_000, 100):
        stdio_plugin(tmp_path / "0" / f"{number}", f"plugin-{number}")

    report = discover(_settings(tmp_path))

    assert len(report.candidates) == 100
    assert report.scanned_folders == 100
    assert report.diagnostics == ()


@pytest.mark.parametrize("part", ["", "plugin.toml"])
def test_a_single_plugin_can_be_read(tmp_path: Path, part: str) -> None:
    stdio_plugin(tmp_path, "one")
    candidate, diagnostics = candidate_at(tmp_path / part, _settings())
    assert candidate is not None
    assert (candidate.id, diagnostics) == ("one", ())


def _messages(found: Sequence[object]) -> str:
    return " ".join(str(each) for each in found)


def test_a_single_file_that_is_no_manifest_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    for path in (tmp_path, tmp_path / "notes.txt"):
        candidate, diagnostics = candidate_at(path, _settings())
        assert candidate is None
        assert "it is no manifest: those are called `extension.toml`" in _messages(diagnostics)


def test_a_plugin_in_the_working_folder_is_read_by_a_dot(tmp_path: Path) -> None:
    before = Path.cwd()
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/mcp.toml").write_text("[[servers]]\nname = 'fs'\ncommand = 'x'\n")
    os.chdir(tmp_path / "tools")
    try:
        candidate, _ = candidate_at(Path(), _settings())
    finally:
        os.chdir(before)
    assert candidate is not None
    assert candidate.id == "tools"
