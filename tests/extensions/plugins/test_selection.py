from pathlib import Path

from extensions.plugins.manifest import Candidate, Diagnostic, Dialect, Level, Manifest, Scope
from extensions.plugins.selection import SelectionOptions, prune_nested, select


def _candidate(
    folder: str, plugin_id: str, *, root_index: int = 0, disabled: bool = False
) -> Candidate:
    return Candidate(
        manifest=Manifest(
            id=plugin_id, dialect=Dialect.SEP, version="1", name=plugin_id, disabled=disabled
        ),
        folder=Path(folder),
        manifest_path=Path(folder) / "extension.toml",
        scope=Scope.SEARCH_PATH,
        root_index=root_index,
    )


def _ids(found: list[Candidate], options: SelectionOptions | None = None) -> list[str]:
    report = select(found, [], options or SelectionOptions(), scanned_folders=len(found))
    return [each.id for each in report.candidates]


def _messages(found: list[Candidate], options: SelectionOptions | None = None) -> list[str]:
    report = select(found, [], options or SelectionOptions(), scanned_folders=len(found))
    return [each.message for each in report.diagnostics]


def test_what_lies_within_another_is_left_out_and_what_only_begins_alike_is_not() -> None:
    found = [_candidate(folder, "x") for folder in ("/r/a/b", "/r/a", "/r/ab", "/r/a/b/c", "/r/c")]
    assert [str(each.folder) for each in prune_nested(found)] == ["/r/a", "/r/ab", "/r/c"]


def test_a_disabled_plugin_hides_what_lies_within_it() -> None:
    found = [_candidate("/r/a", "outer", disabled=True), _candidate("/r/a/b", "inner")]
    assert _ids(found) == []


def test_the_first_of_an_id_counts_by_root_then_by_folder() -> None:
    found = [
        _candidate("/b/x", "same", root_index=1),
        _candidate("/a/z", "same"),
        _candidate("/a/y", "same"),
    ]
    report = select(found, [], SelectionOptions(), scanned_folders=3)

    assert [each.folder for each in report.candidates] == [Path("/a/y")]
    assert report.diagnostics == tuple(
        Diagnostic(
            path=f"{folder}/extension.toml",
            message="duplicate plugin id `same`; keeping first (/a/y/extension.toml)",
            level=Level.WARN,
        )
        for folder in ("/a/z", "/b/x")
    )


def test_what_another_stands_before_is_kept_apart_unless_it_may_not_be_loaded_anyway() -> None:
    found = [
        _candidate("/a/x", "same", disabled=True),
        _candidate("/b/x", "same", root_index=1),
        _candidate("/b/y", "same", root_index=1, disabled=True),
        _candidate("/a/z", "other"),
        _candidate("/b/z", "other", root_index=1),
    ]
    whole = select(found, [], SelectionOptions(), scanned_folders=5)
    options = SelectionOptions(disabled=frozenset({"other"}), allowlist=frozenset({"other"}))
    nothing = select(found, [], options, scanned_folders=5)

    assert [str(each.folder) for each in whole.shadowed] == ["/b/x", "/b/z"]
    assert nothing.shadowed == ()


def test_a_folder_that_is_found_twice_is_no_duplicate() -> None:
    assert _messages([_candidate("/a/x", "x"), _candidate("/a/x", "x", root_index=1)]) == []


def test_disabling_an_id_hides_all_of_its_copies() -> None:
    found = [_candidate("/a/x", "same"), _candidate("/b/x", "same", root_index=1)]
    options = SelectionOptions(disabled=frozenset({"same"}))
    report = select(found, [], options, scanned_folders=2)

    assert report.candidates == ()
    assert report.disabled_count == 1
    assert [str(each.folder) for each in report.left_out] == ["/a/x"]


def test_a_manifest_may_disable_itself() -> None:
    report = select(
        [_candidate("/a/x", "x", disabled=True)], [], SelectionOptions(), scanned_folders=1
    )
    assert (report.candidates, report.disabled_count) == ((), 1)


def test_an_empty_allowlist_lets_all_in_and_another_only_those_on_it() -> None:
    found = [_candidate("/a/x", "x"), _candidate("/a/y", "y")]
    assert _ids(found) == ["x", "y"]
    assert _ids(found, SelectionOptions(allowlist=frozenset({"y"}))) == ["y"]


def test_what_is_on_the_allowlist_and_not_found_is_named_also_if_it_is_disabled() -> None:
    options = SelectionOptions(disabled=frozenset({"x"}), allowlist=frozenset({"x", "z"}))
    assert _messages([_candidate("/a/x", "x")], options) == [
        "allowlist contains `x` but no plugin with that id was discovered",
        "allowlist contains `z` but no plugin with that id was discovered",
    ]


def test_plugins_stand_in_the_order_of_the_roots_and_then_of_their_ids() -> None:
    found = [
        _candidate("/b/1", "c", root_index=1),
        _candidate("/a/1", "d"),
        _candidate("/a/2", "b"),
        _candidate("/b/2", "a", root_index=1),
    ]
    assert _ids(found) == ["b", "d", "a", "c"]


def test_diagnostics_stand_in_the_order_of_their_paths_and_then_of_their_texts() -> None:
    written = [
        Diagnostic(path=path, message=message, level=Level.ERROR)
        for path, message in (("b", "x"), ("a", "z"), ("a", "y"))
    ]
    report = select([], written, SelectionOptions(), scanned_folders=0)

    assert [(each.path, each.message) for each in report.diagnostics] == [
        ("a", "y"),
        ("a", "z"),
        ("b", "x"),
    ]
    assert report.invalid_count == 3


def test_many_folders_within_one_another_are_pruned_at_once() -> None:
    deep = ["/r" + "/d" * depth for depth in range(1, 400)]
    wide = [f"/w/{number}/x" for number in range(5_000)]

    kept = prune_nested([_candidate(folder, "x") for folder in deep + wide])

    assert len(kept) == 1 + len(wide)
