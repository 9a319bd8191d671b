"""Where the operator trusts plugins and projects."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.config_plugins import PluginsConfig
from bot.plugin_services.trust_desk import TrustOrder, should_ask
from extensions.errors import PluginError, PluginNotFoundError
from extensions.plugins.discovery import discover
from extensions.plugins.manifest import Candidate
from extensions.plugins.packages.packages_file import Package, Packages
from extensions.plugins.packages.packages_store import write_packages
from extensions.plugins.services import AuditKind
from extensions.plugins.tree_hash import TreeHash
from extensions.plugins.trust import Cause, Grant, TrustRecord
from tests.fakes.trust_house import TrustHouse
from tests.fakes.trusted_plugins import make_plugin

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "DICE_SEED": "7"}


async def order(
    house: TrustHouse,
    name: str = "dice",
    *,
    denied_env: frozenset[str] = frozenset(),
    denies_exec: bool = False,
) -> TrustOrder:
    standing = await house.desk.standing(name)
    assert standing.hash is not None
    return TrustOrder(name=name, hash=standing.hash, denied_env=denied_env, denies_exec=denies_exec)


async def test_a_plugin_that_is_trusted_runs_at_once(tmp_path: Path) -> None:
    house = TrustHouse(tmp_path, environment=ENVIRONMENT)
    make_plugin(house.plugins)
    before = await house.desk.standing("dice")
    wish = await order(house)
    settled = await house.desk.trust(wish)

    assert (before.cause, should_ask(before)) == (Cause.UNKNOWN, True)
    assert settled.down is None
    standing = settled.standing
    assert (standing.is_trusted, standing.granted_env, standing.granted_exec) == (
        True,
        ("DICE_SEED",),
        True,
    )
    assert house.runner.running == ["dice"]
    assert house.audit.lines == [
        (
            AuditKind.TRUSTED,
            "dice",
            f"{wish.hash}; variables: DICE_SEED; running programs: yes",
        )
    ]
    (record,) = await house.store.records()
    assert record.source == f"path:{house.plugins / 'dice'}"
    assert record.capabilities == before.may


def keep_package(root: Path, hash_: str) -> None:
    package = Package(
        id="dice",
        version="1.0.0",
        source="npm:@me/dice",
        resolved="npm:@me/dice@1.0.0",
        hash=hash_,
        at="2026-01-01T00:00:00+00:00",
    )
    write_packages(root, Packages(by_id={"dice": package}))


async def test_where_it_came_from_is_kept_with_the_trust_as_far_as_that_is_known(
    tmp_path: Path,
) -> None:
    house = TrustHouse(tmp_path)
    own = make_plugin(house.plugins)
    keep_package(house.plugins, (await order(house)).hash)
    shown = (await house.desk.standing("dice")).origin
    await house.desk.trust(await order(house))
    (installed,) = await house.store.records()
    keep_package(house.plugins, "sha256:" + "0" * 64)
    await house.desk.trust(await order(house))
    (changed,) = await house.store.records()

    assert shown == "npm:@me/dice@1.0.0"
    assert (installed.source, installed.packages) == ("npm:@me/dice@1.0.0", None)
    assert changed.source == f"path:{own}"


async def test_what_a_project_says_of_where_a_plugin_came_from_is_shown_and_not_kept(
    tmp_path: Path,
) -> None:
    house = TrustHouse(tmp_path)
    theirs = make_plugin(house.project_plugins)
    await house.desk.trust_project(house.project)
    wish = await order(house)
    keep_package(house.project_plugins, wish.hash)
    shown = (await house.desk.standing("dice")).origin
    await house.desk.trust(wish)

    (record,) = await house.store.records()
    assert shown == "npm:@me/dice@1.0.0 (so the project says)"
    assert record.source == f"path:{theirs}"


async def test_less_may_be_granted_than_is_asked_for(tmp_path: Path) -> None:
    house = TrustHouse(tmp_path, environment=ENVIRONMENT)
    make_plugin(house.plugins)
    wish = await order(house, denied_env=frozenset({"DICE_SEED"}), denies_exec=True)
    standing = (await house.desk.trust(wish)).standing
    with pytest.raises(PluginError, match="it does not ask for HOME"):
        await house.desk.trust(await order(house, denied_env=frozenset({"HOME"})))

    assert (standing.is_trusted, standing.granted_env, standing.granted_exec) == (True, (), False)
    assert await house.admission.refusal_of(house.found()) is None
    assert not house.admission.may_execute(house.found())
    assert house.admission.environment_of(house.found())["DICE_SEED"] == ""


async def test_what_was_not_looked_at_is_not_trusted(tmp_path: Path) -> None:
    house = TrustHouse(tmp_path)
    folder = make_plugin(house.plugins)
    wish = await order(house)
    (folder / "main.py").write_text("print('swapped')\n")
    for say in (house.desk.trust(wish), house.desk.refuse("dice", wish.hash)):
        with pytest.raises(PluginError, match="changed since it was looked at; look again"):
            await say

    assert await house.store.records() == []
    assert house.runner.running == []


async def test_a_folder_that_cannot_be_vouched_for_cannot_be_trusted(tmp_path: Path) -> None:
    house = TrustHouse(tmp_path)
    folder = make_plugin(house.plugins)
    wish = await order(house)
    (folder / "sh").symlink_to("/bin/sh")
    standing = await house.desk.standing("dice")
    with pytest.raises(PluginError, match="it cannot be trusted: sh is a link that leads out"):
        await house.desk.trust(wish)

    assert (standing.hash, standing.cause) == (None, Cause.UNREADABLE)


async def test_what_is_refused_is_not_asked_about_until_it_changes(tmp_path: Path) -> None:
    house = TrustHouse(tmp_path)
    folder = make_plugin(house.plugins)
    wish = await order(house)
    refused = await house.desk.refuse("dice", wish.hash)
    (folder / "new.py").touch()
    changed = await house.desk.standing("dice")

    assert (refused.cause, should_ask(refused)) == (Cause.REFUSED, False)
    assert (changed.cause, should_ask(changed)) == (Cause.CHANGED, True)


async def test_a_plugin_that_is_trusted_no_more_is_stopped(tmp_path: Path) -> None:
    house = TrustHouse(tmp_path)
    make_plugin(house.plugins)
    await house.desk.trust(await order(house))

    assert await house.desk.untrust("dice")
    assert not await house.desk.untrust("dice")
    assert house.runner.running == []
    assert (await house.desk.standing("dice")).cause is Cause.UNKNOWN
    assert house.audit.lines[-1][0] is AuditKind.UNTRUSTED


async def test_trust_of_a_plugin_that_is_gone_can_be_taken_back(tmp_path: Path) -> None:
    house = TrustHouse(tmp_path)
    folder = make_plugin(house.plugins)
    await house.desk.trust(await order(house))
    (folder / "extension.toml").unlink()

    assert await house.desk.untrust("dice")
    assert house.runner.running == []


async def test_why_a_plugin_is_not_started_anew_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    house = TrustHouse(tmp_path)
    make_plugin(house.plugins)
    settled = await house.desk.reload("dice")

    assert house.runner.started == []
    assert caplog.messages == [f"plugin dice is not started: {settled.down}"]
    kind, name, text = house.audit.lines[-1]
    assert (kind, name, text) == (AuditKind.REFUSED, "dice", f"not started: {settled.down}")


async def test_a_plugin_that_is_gone_is_stopped_when_it_is_to_be_started_anew(
    tmp_path: Path,
) -> None:
    house = TrustHouse(tmp_path)
    folder = make_plugin(house.plugins)
    await house.desk.trust(await order(house))
    (folder / "extension.toml").unlink()
    with pytest.raises(PluginNotFoundError, match="it is not found any more, so it was stopped"):
        await house.desk.reload("dice")
    with pytest.raises(PluginNotFoundError, match="`papercup plugin list` shows which are"):
        await house.desk.reload("dice")

    assert house.runner.running == []


async def test_what_the_configuration_trusts_has_to_be_taken_out_there(tmp_path: Path) -> None:
    folder = tmp_path / "house"
    first = TrustHouse(folder)
    make_plugin(first.plugins)
    seen = (await first.desk.standing("dice")).hash
    assert seen is not None
    second = TrustHouse(tmp_path / "other", config=PluginsConfig(trusted={"dice": seen}))
    make_plugin(second.plugins)
    standing = await second.desk.standing("dice")
    with pytest.raises(PluginError, match=r"take it out of \[plugins.trusted\]"):
        await second.desk.untrust("dice")

    assert (standing.is_trusted, standing.by_configuration) == (True, True)


async def test_a_plugin_is_loaded_anew_from_what_is_there_now(tmp_path: Path) -> None:
    house = TrustHouse(tmp_path)
    folder = make_plugin(house.plugins)
    await house.desk.trust(await order(house))
    same = await house.desk.reload("dice")
    (folder / "main.py").write_text("print('new')\n")
    changed = await house.desk.reload("dice")

    assert same.down is None
    assert len(house.runner.started) == 2
    assert changed.down == "it is held"
    assert changed.standing.cause is Cause.CHANGED
    assert house.runner.running == []
    assert [each.id for each in house.runner.held] == ["dice"]


async def test_what_is_refused_after_a_change_guards_nothing_any_more(tmp_path: Path) -> None:
    house = TrustHouse(tmp_path)
    folder = make_plugin(house.plugins)
    await house.desk.trust(await order(house))
    (folder / "main.py").write_text("print('new')\n")
    wish = await order(house)
    house.runner.running.append("dice")
    await house.desk.refuse("dice", wish.hash)
    settled = await house.desk.reload("dice")

    assert settled.standing.cause is Cause.REFUSED
    assert (house.runner.running, house.runner.held) == ([], [])


async def test_what_the_configuration_trusted_stays_guarded_until_it_is_taken_out_there(
    tmp_path: Path,
) -> None:
    house = TrustHouse(tmp_path, config=PluginsConfig(trusted={"dice": "sha256:" + "0" * 64}))
    make_plugin(house.plugins)
    settled = await house.desk.reload("dice")
    with pytest.raises(PluginError, match=r"take it out of \[plugins.trusted\]"):
        await house.desk.untrust("dice")

    assert settled.down == "it is held"


def project_first(house: TrustHouse) -> None:
    """Have the project looked at before all else, as one that is trusted is."""
    house.settings = replace(house.settings, roots=tuple(reversed(house.settings.roots)))
    house.desk = house.desk_with(house.runner)


async def test_what_nobody_trusts_does_not_take_the_place_of_what_is_trusted(
    tmp_path: Path,
) -> None:
    house = TrustHouse(tmp_path)
    project_first(house)
    own = make_plugin(house.plugins)
    await house.desk.trust(await order(house))
    make_plugin(house.project_plugins)
    await house.desk.trust_project(house.project)
    reloaded = await house.desk.reload("dice")
    (standing,) = await house.desk.standings()

    assert reloaded.down is None
    assert standing.is_trusted
    assert house.runner.started[-1].folder == own


async def test_what_a_trusted_project_stood_before_is_started_when_the_project_is_trusted_no_more(
    tmp_path: Path,
) -> None:
    house = TrustHouse(tmp_path)
    project_first(house)
    theirs = make_plugin(house.project_plugins)
    await house.desk.trust_project(house.project)
    await house.desk.trust(await order(house))
    own = make_plugin(house.plugins)
    examined = await house.admission.examine(
        next(each for each in discover(house.settings).shadowed if each.folder == own)
    )
    assert isinstance(examined.found, TreeHash)
    await house.store.keep(record_of(examined.candidate, examined.found))
    await house.desk.reload("dice")
    before = house.runner.started[-1].folder
    await house.desk.untrust_project(house.project)

    assert (before, house.runner.started[-1].folder) == (theirs, own)


def record_of(candidate: Candidate, found: TreeHash) -> TrustRecord:
    return TrustRecord(
        scope=candidate.scope,
        folder=candidate.folder,
        plugin_id=candidate.id,
        source=f"path:{candidate.folder}",
        hash=found.text,
        grant=Grant(),
        at=1.0,
    )


async def test_a_plugin_that_does_not_come_up_is_trusted_all_the_same(tmp_path: Path) -> None:
    house = TrustHouse(tmp_path)
    make_plugin(house.plugins)
    house.runner.down = "handshake timed out after 10s"
    settled = await house.desk.trust(await order(house))

    assert settled.standing.is_trusted
    assert settled.down == "handshake timed out after 10s"


async def test_a_plugin_that_is_not_there_is_named(tmp_path: Path) -> None:
    house = TrustHouse(tmp_path)
    for ask in (house.desk.standing("dice"), house.desk.reload("dice")):
        with pytest.raises(PluginNotFoundError, match="plugin dice: it is not found"):
            await ask


async def test_the_plugins_of_a_project_run_where_both_are_trusted(tmp_path: Path) -> None:
    house = TrustHouse(tmp_path)
    make_plugin(house.project_plugins)
    make_plugin(house.project_plugins, "coin")
    make_plugin(house.plugins, "gate")
    settled = await house.desk.trust(await order(house))
    stays_out = list(house.runner.running)
    plugins = await house.desk.trust_project(house.project)

    assert settled.standing.cause is Cause.PROJECT
    assert stays_out == []
    assert [(one.standing.id, one.standing.cause) for one in plugins] == [
        ("coin", Cause.UNKNOWN),
        ("dice", None),
    ]
    assert house.runner.running == ["dice"]
    assert await house.desk.projects() == {house.project: 100.0}
    assert await house.desk.untrust_project(house.project)
    assert not await house.desk.untrust_project(house.project)
    assert house.runner.running == []


async def test_how_all_plugins_stand_can_be_asked(tmp_path: Path) -> None:
    house = TrustHouse(tmp_path)
    make_plugin(house.plugins, "gate", wants_exec=False)
    make_plugin(house.plugins)
    await house.desk.trust(await order(house, "gate"))
    standings = await house.desk.standings()

    assert [(one.id, one.is_trusted, one.wants_exec) for one in standings] == [
        ("dice", False, True),
        ("gate", True, False),
    ]
