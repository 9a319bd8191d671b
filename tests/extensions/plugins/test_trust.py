"""Whether a plugin may run."""

from dataclasses import replace
from pathlib import Path

import pytest

from extensions.plugins.manifest import (
    Candidate,
    Capabilities,
    Dialect,
    Manifest,
    Requires,
    Scope,
)
from extensions.plugins.packages.environments import FoundEnvironment
from extensions.plugins.tree_hash import BadTree, TreeHash
from extensions.plugins.trust import (
    Cause,
    Grant,
    Trusted,
    TrustFacts,
    TrustRecord,
    Untrusted,
    verdict_on,
    wanted_grant,
)

FOLDER = Path("/home/me/.papercup/plugins/dice")
NOW = TreeHash("sha256:" + "a" * 64)
LATER = TreeHash("sha256:" + "b" * 64)
MANIFEST = Manifest(
    id="dice",
    dialect=Dialect.SEP,
    version="1.0.0",
    name="dice",
    requires=Requires(env=("DICE_SEED",)),
    capabilities=Capabilities(exec=True),
)
DICE = Candidate(
    manifest=MANIFEST,
    folder=FOLDER,
    manifest_path=FOLDER / "extension.toml",
    scope=Scope.USER,
    root_index=0,
)
GRANT = Grant(env=frozenset({"DICE_SEED"}))
RECORD = TrustRecord(
    scope=Scope.USER,
    folder=FOLDER,
    plugin_id="dice",
    source=f"path:{FOLDER}",
    hash=NOW.text,
    grant=GRANT,
    at=1.0,
)


def test_what_was_trusted_runs_with_what_it_was_granted() -> None:
    assert verdict_on(DICE, NOW, TrustFacts(record=RECORD)) == Trusted(grant=GRANT)


def test_what_nobody_has_trusted_does_not_run() -> None:
    assert verdict_on(DICE, NOW, TrustFacts()) == Untrusted(
        cause=Cause.UNKNOWN, reason="nobody has trusted it yet: `papercup plugin trust dice`"
    )


@pytest.mark.parametrize(
    ("record", "found"), [(RECORD, LATER), (replace(RECORD, plugin_id="coin"), NOW)]
)
def test_any_change_takes_the_trust_away(record: TrustRecord, found: TreeHash) -> None:
    assert verdict_on(DICE, found, TrustFacts(record=record)) == Untrusted(
        cause=Cause.CHANGED,
        reason="its files have changed since it was looked at: `papercup plugin trust dice`",
        has_lapsed=record.plugin_id == "dice",
    )


def test_what_was_refused_stays_out_until_it_changes() -> None:
    facts = TrustFacts(record=replace(RECORD, grant=None))
    refused, changed = verdict_on(DICE, NOW, facts), verdict_on(DICE, LATER, facts)

    assert isinstance(refused, Untrusted)
    assert isinstance(changed, Untrusted)
    assert (refused.cause, changed.cause) == (Cause.REFUSED, Cause.CHANGED)


def test_the_configuration_trusts_one_hash_and_grants_all_that_is_asked_for() -> None:
    facts = TrustFacts(configured_hash=NOW.text)
    other = verdict_on(DICE, LATER, facts)

    assert wanted_grant(MANIFEST) == Grant(env=frozenset({"DICE_SEED"}), exec=True)
    assert verdict_on(DICE, NOW, facts) == Trusted(
        grant=wanted_grant(MANIFEST), by_configuration=True
    )
    assert other == Untrusted(
        cause=Cause.CHANGED,
        reason=f"it is {LATER.text}, which is not what the configuration trusts",
        has_lapsed=True,
    )


def test_a_record_that_grants_less_comes_before_the_configuration() -> None:
    facts = TrustFacts(record=RECORD, configured_hash=NOW.text)
    refused = TrustFacts(record=replace(RECORD, grant=None), configured_hash=NOW.text)

    assert verdict_on(DICE, NOW, facts) == Trusted(grant=GRANT)
    assert verdict_on(DICE, NOW, refused) == Trusted(
        grant=wanted_grant(MANIFEST), by_configuration=True
    )


def test_a_projects_plugin_runs_only_where_the_project_is_trusted_too() -> None:
    project = Path("/work/shop")
    theirs = replace(DICE, scope=Scope.PROJECT, project=project)
    record = replace(RECORD, scope=Scope.PROJECT)
    elsewhere = TrustFacts(
        record=record, configured_hash=NOW.text, trusted_projects=frozenset({Path("/work")})
    )
    here = replace(elsewhere, trusted_projects=frozenset({project}))

    assert verdict_on(theirs, NOW, elsewhere) == Untrusted(
        cause=Cause.PROJECT,
        reason="the project /work/shop is not trusted: `papercup project trust /work/shop`",
    )
    assert verdict_on(theirs, NOW, here) == Trusted(grant=GRANT)


def test_a_folder_that_nobody_can_vouch_for_is_never_trusted() -> None:
    facts = TrustFacts(record=RECORD, configured_hash=NOW.text)
    bad = BadTree(path="sh", reason="is a link that leads out of the plugin's folder")

    assert verdict_on(DICE, bad, facts) == Untrusted(
        cause=Cause.UNREADABLE,
        reason="sh is a link that leads out of the plugin's folder",
        has_lapsed=True,
    )


def test_only_what_was_trusted_can_have_lapsed() -> None:
    bad = BadTree(path="sh", reason="is a link that leads out of the plugin's folder")
    refused = TrustFacts(record=replace(RECORD, grant=None))
    theirs = replace(DICE, scope=Scope.PROJECT, project=Path("/work/shop"))
    verdicts = [
        verdict_on(DICE, LATER, refused),
        verdict_on(DICE, bad, refused),
        verdict_on(DICE, bad, TrustFacts()),
        verdict_on(theirs, bad, TrustFacts(record=replace(RECORD, scope=Scope.PROJECT))),
    ]

    assert [isinstance(each, Untrusted) and each.has_lapsed for each in verdicts] == [False] * 4


PACKAGES = FoundEnvironment(hash=NOW, made=NOW.text)


@pytest.mark.parametrize(
    ("packages", "scope", "cause", "reason"),
    [
        (
            FoundEnvironment(hash=LATER, made=NOW.text),
            Scope.USER,
            Cause.CHANGED,
            "its Python packages have changed: `papercup plugin update dice`",
        ),
        (
            FoundEnvironment(hash=LATER, made=NOW.text),
            Scope.PROJECT,
            Cause.CHANGED,
            "its Python packages have changed: `papercup plugin update dice --project`",
        ),
        (
            FoundEnvironment(hash=LATER, made=LATER.text),
            Scope.USER,
            Cause.CHANGED,
            "its Python packages are not those that were looked at: `papercup plugin trust dice`",
        ),
        (
            FoundEnvironment(hash=BadTree(path="lib/x", reason="is a link"), made=NOW.text),
            Scope.USER,
            Cause.UNREADABLE,
            "its Python packages cannot be vouched for: lib/x is a link",
        ),
    ],
)
def test_what_the_packages_have_become_counts_as_well(
    packages: FoundEnvironment, scope: Scope, cause: Cause, reason: str
) -> None:
    plugin = replace(DICE, scope=scope, project=Path("/shop"))
    record = replace(RECORD, packages=NOW.text)
    facts = TrustFacts(
        record=record, packages=packages, trusted_projects=frozenset({Path("/shop")})
    )

    verdict = verdict_on(plugin, NOW, facts)

    assert verdict == Untrusted(cause=cause, reason=reason, has_lapsed=True)
    assert verdict_on(plugin, NOW, replace(facts, packages=PACKAGES)) == Trusted(grant=GRANT)


def test_the_configuration_does_not_vouch_for_packages_that_a_project_may_bring() -> None:
    theirs = replace(DICE, scope=Scope.PROJECT, project=Path("/shop"))
    facts = TrustFacts(
        configured_hash=NOW.text,
        packages=PACKAGES,
        trusted_projects=frozenset({Path("/shop")}),
    )

    assert isinstance(verdict_on(DICE, NOW, facts), Trusted)
    assert verdict_on(theirs, NOW, facts) == Untrusted(
        cause=Cause.UNKNOWN,
        reason=(
            "its Python packages stand in the project, and the hash is not theirs:"
            " `papercup plugin trust dice`"
        ),
        has_lapsed=True,
    )
    assert verdict_on(theirs, NOW, replace(facts, record=replace(RECORD, packages="x"))) == (
        Untrusted(
            cause=Cause.CHANGED,
            reason=(
                "its Python packages are not those that were looked at:"
                " `papercup plugin trust dice`"
            ),
            has_lapsed=True,
        )
    )
