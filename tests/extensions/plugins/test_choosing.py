"""Which of several plugins with one id is loaded."""

from dataclasses import replace
from pathlib import Path

from extensions.plugins.choosing import Place, chosen, place_of, rivals_in
from extensions.plugins.manifest import (
    Candidate,
    Dialect,
    DiscoveryReport,
    Manifest,
    Scope,
)
from extensions.plugins.selection import SelectionOptions, select
from extensions.plugins.trust import Cause, Grant, Trusted, Untrusted, Verdict

TRUSTED = Trusted(grant=Grant())
UNKNOWN = Untrusted(cause=Cause.UNKNOWN, reason="nobody has trusted it yet")
CHANGED = Untrusted(cause=Cause.CHANGED, reason="its files have changed", has_lapsed=True)


def candidate(folder: str, plugin_id: str = "gate", *, disabled: bool = False) -> Candidate:
    return Candidate(
        manifest=Manifest(
            id=plugin_id, dialect=Dialect.SEP, version="1", name=plugin_id, disabled=disabled
        ),
        folder=Path(folder),
        manifest_path=Path(folder) / "extension.toml",
        scope=Scope.USER,
        root_index=0,
    )


THEIRS, OWN, THIRD = (candidate(folder) for folder in ("/a/gate", "/b/gate", "/c/gate"))


def found(*candidates: Candidate) -> DiscoveryReport:
    return select(candidates, [], SelectionOptions(), scanned_folders=len(candidates))


def kept(report: DiscoveryReport, *verdicts: Verdict) -> list[str]:
    rivals = rivals_in(report)
    said = {place_of(each): verdict for each, verdict in zip(rivals, verdicts, strict=True)}
    return [str(each.folder) for each in chosen(report, said).candidates]


def test_the_first_that_is_trusted_counts_and_else_the_first() -> None:
    report = found(THEIRS, OWN, THIRD)

    assert kept(report, UNKNOWN, TRUSTED, TRUSTED) == ["/b/gate"]
    assert kept(report, TRUSTED, TRUSTED, UNKNOWN) == ["/a/gate"]
    assert kept(report, UNKNOWN, UNKNOWN, UNKNOWN) == ["/a/gate"]


def test_what_was_trusted_until_it_changed_comes_before_what_never_was() -> None:
    report = found(THEIRS, OWN, THIRD)

    assert kept(report, UNKNOWN, CHANGED, UNKNOWN) == ["/b/gate"]
    assert kept(report, CHANGED, UNKNOWN, TRUSTED) == ["/c/gate"]


def test_one_that_disables_itself_does_not_disable_another_that_is_trusted() -> None:
    report = found(candidate("/a/gate", disabled=True), OWN)

    assert kept(report, TRUSTED) == ["/b/gate"]
    assert kept(report, UNKNOWN) == []


def test_nobody_but_rivals_is_looked_at() -> None:
    report = found(candidate("/a/dice", "dice"), THEIRS, OWN)

    assert rivals_in(report) == (THEIRS, OWN)
    assert kept(report, UNKNOWN, TRUSTED) == ["/a/dice", "/b/gate"]


def test_a_folder_that_is_found_twice_counts_where_it_is_trusted() -> None:
    theirs = replace(OWN, scope=Scope.PROJECT, project=Path("/shop"))
    own = replace(OWN, root_index=1)
    verdicts: dict[Place, Verdict] = {place_of(theirs): UNKNOWN, place_of(own): TRUSTED}
    report = chosen(found(theirs, own), verdicts)

    assert report.candidates == (own,)
    assert report.diagnostics == ()


def test_the_operator_is_told_which_is_kept() -> None:
    report = found(THEIRS, OWN)
    verdicts: dict[Place, Verdict] = {place_of(THEIRS): UNKNOWN, place_of(OWN): TRUSTED}
    notes = chosen(report, verdicts).diagnostics
    as_found = chosen(report, dict.fromkeys(verdicts, UNKNOWN)).diagnostics

    (note,) = notes
    assert (note.path, note.message) == (
        "/a/gate/extension.toml",
        (
            "duplicate plugin id `gate`; it is not trusted,"
            " so another is kept (/b/gate/extension.toml)"
        ),
    )
    assert as_found == report.diagnostics
