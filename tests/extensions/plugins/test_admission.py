"""What lets plugins in, right before each start."""

import stat
from pathlib import Path

from extensions.plugins.manifest import Candidate
from extensions.plugins.packages.environments import (
    REQUIREMENTS_NAME,
    hash_environment,
    python_place_of,
)
from extensions.plugins.services import AuditKind
from extensions.plugins.tree_hash import TreeHash
from extensions.plugins.trust import Grant, TrustRecord
from tests.fakes.trust_house import TrustHouse
from tests.fakes.trusted_plugins import make_plugin

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "DICE_SEED": "7", "DISCORD_TOKEN": "tok-123"}
STDIO = """\
[plugin]
id = "dice"
version = "1.0.0"

[capabilities]
tools = ["roll"]

[transport]
kind = "stdio"
command = "python3"

[requires]
bins = ["python3", "no-such-program"]
env = ["DICE_SEED", "DICE_FACES"]
"""
GRANT = Grant(env=frozenset({"DICE_SEED"}), exec=True)


async def trust(house: TrustHouse, candidate: Candidate, grant: Grant = GRANT) -> None:
    examined = await house.admission.examine(candidate)
    assert isinstance(examined.found, TreeHash)
    packages = examined.looked.packages
    record = TrustRecord(
        scope=candidate.scope,
        folder=candidate.folder,
        plugin_id=candidate.id,
        source=f"path:{candidate.folder}",
        hash=examined.found.text,
        grant=grant,
        packages=None if packages is None else packages.made,
        at=1.0,
    )
    await house.store.keep(record)


async def test_a_trusted_plugin_is_let_in_with_what_it_was_granted(tmp_path: Path) -> None:
    house = TrustHouse(tmp_path, environment=ENVIRONMENT)
    make_plugin(house.plugins)
    dice = house.found()
    await trust(house, dice)
    before = (house.admission.may_execute(dice), house.admission.environment_of(dice)["DICE_SEED"])
    refusal = await house.admission.refusal_of(dice)

    assert (refusal, before) == (None, (False, ""))
    assert house.admission.may_execute(dice)
    state = house.data / "dice" / "state"
    assert house.admission.environment_of(dice) == {
        "PATH": ENVIRONMENT["PATH"],
        "DICE_SEED": "7",
        "PYTHONPYCACHEPREFIX": str(house.data / "dice" / "pycache"),
        "AGENT_VERSION": "0.1.0",
        "AGENT_EXTENSION_ID": "dice",
        "NEXO_EXTENSION_STATE_ROOT": str(state),
    }
    assert stat.S_IMODE(state.stat().st_mode) == 0o700


async def test_a_plugin_whose_files_were_swapped_is_not_started_again(tmp_path: Path) -> None:
    house = TrustHouse(tmp_path, environment=ENVIRONMENT)
    folder = make_plugin(house.plugins)
    dice = house.found()
    await trust(house, dice)
    assert await house.admission.refusal_of(dice) is None
    (folder / "main.py").write_text("print('mine now')\n")
    refusal = await house.admission.refusal_of(dice)

    assert refusal == "its files have changed since it was looked at: `papercup plugin trust dice`"
    assert not house.admission.may_execute(dice)
    assert house.admission.environment_of(dice)["DICE_SEED"] == ""
    assert house.audit.lines == [(AuditKind.REFUSED, "dice", f"not started: {refusal}")]


async def test_what_was_trusted_and_may_not_run_is_missed(tmp_path: Path) -> None:
    house = TrustHouse(tmp_path, environment=ENVIRONMENT)
    folder = make_plugin(house.plugins)
    dice = house.found()
    told = []
    for change in ("nobody trusts it", "trusted", "other files", "a link that leads out"):
        if change == "trusted":
            await trust(house, dice)
        elif change == "other files":
            (folder / "main.py").write_text("print('mine now')\n")
        elif change == "a link that leads out":
            (folder / "sh").symlink_to("/bin/sh")
        refusal = await house.admission.refusal_of(dice)
        told.append((refusal is None, house.admission.is_missed(dice)))

    assert told == [(False, False), (True, False), (False, True), (False, True)]


async def test_what_was_found_before_a_change_does_not_pass_for_what_is_there(
    tmp_path: Path,
) -> None:
    house = TrustHouse(tmp_path, environment=ENVIRONMENT)
    folder = make_plugin(house.plugins)
    right = (folder / "extension.toml").read_text()
    (folder / "extension.toml").write_text(right.replace("python3", "sh"))
    found_in_between = house.found()
    (folder / "extension.toml").write_text(right)
    await trust(house, house.found())

    assert await house.admission.refusal_of(found_in_between) == (
        "its manifest has changed since it was found"
    )
    assert await house.admission.refusal_of(house.found()) is None


async def test_a_program_outside_of_the_plugin_is_refused_though_it_was_trusted(
    tmp_path: Path,
) -> None:
    house = TrustHouse(tmp_path, environment=ENVIRONMENT)
    folder = make_plugin(house.plugins)
    manifest = folder / "extension.toml"
    evil = tmp_path / "evil"
    evil.touch(mode=0o755)
    manifest.write_text(manifest.read_text().replace("python3", str(evil)))
    dice = house.found()
    await trust(house, dice)

    assert await house.admission.refusal_of(dice) == (
        f"its program '{evil}' is neither in its folder nor on PATH"
    )


async def test_a_linked_plugin_is_the_folder_that_it_leads_to(tmp_path: Path) -> None:
    house = TrustHouse(tmp_path, environment=ENVIRONMENT)
    real = make_plugin(house.plugins / ".store")
    (house.plugins / "linked").symlink_to(real)
    dice = house.found()
    await trust(house, dice)

    assert dice.folder == real
    assert await house.admission.refusal_of(dice) is None


async def test_a_state_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    house = TrustHouse(tmp_path, environment=ENVIRONMENT)
    make_plugin(house.plugins)
    dice = house.found()
    await trust(house, dice)
    house.data.parent.mkdir()
    house.data.write_text("a file in the way")
    refusal = await house.admission.refusal_of(dice)

    assert refusal == f"its folder {house.data}/dice/state cannot be made (Not a directory)"


async def test_the_configuration_trusts_a_plugin_by_its_hash(tmp_path: Path) -> None:
    house = TrustHouse(tmp_path, environment=ENVIRONMENT)
    make_plugin(house.plugins)
    examined = await house.admission.examine(house.found())
    assert isinstance(examined.found, TreeHash)
    trusted = {"dice": examined.found.text}
    admission = house.admission_for(trusted)

    assert not examined.is_trusted
    assert await admission.refusal_of(house.found()) is None
    assert admission.may_execute(house.found())


async def test_a_plugin_that_lacks_what_it_requires_is_not_started(tmp_path: Path) -> None:
    house = TrustHouse(tmp_path, environment=ENVIRONMENT)
    folder = make_plugin(house.plugins)
    (folder / "extension.toml").unlink()
    (folder / "plugin.toml").write_text(STDIO)
    dice = house.found()
    await trust(house, dice)
    refusal = await house.admission.refusal_of(dice)

    assert refusal is not None
    assert house.admission.is_missed(dice)
    assert refusal.startswith("it lacks")
    assert "no-such-program" in refusal
    assert "DICE_FACES" in refusal


async def test_no_plugin_names_the_folders_in_which_programs_are_the_operators(
    tmp_path: Path,
) -> None:
    house = TrustHouse(tmp_path, environment=ENVIRONMENT)
    program = tmp_path / "elsewhere" / "roll"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    manifest = f"""\
name = "dice"
version = "1.0.0"
protocol = 1
[run]
command = "{program}"
env = {{ PATH = "{program.parent}" }}
"""
    (make_plugin(house.plugins) / "extension.toml").write_text(manifest)
    dice = house.found()
    await trust(house, dice)

    refusal = await house.admission.refusal_of(dice)
    assert refusal == f"its program {str(program)!r} is neither in its folder nor on PATH"
    assert house.admission.environment_of(dice)["PATH"] == ENVIRONMENT["PATH"]
    assert "the variable `PATH` that it sets has no effect: it is always Papercup's own" in (
        dice.manifest.unserved
    )


async def test_the_packages_that_were_installed_for_a_plugin_come_first_in_its_path(
    tmp_path: Path,
) -> None:
    house = TrustHouse(tmp_path, environment=ENVIRONMENT)
    folder = make_plugin(house.plugins)
    (folder / REQUIREMENTS_NAME).write_text("chance==1.0")
    dice = house.found()
    await trust(house, dice)
    gone = await house.admission.refusal_of(dice)
    place = python_place_of(folder)
    assert place is not None
    place.bin.mkdir(parents=True)
    place.python.symlink_to("/usr/bin/env")
    place.folder.joinpath("pyvenv.cfg").touch()
    made = hash_environment(place)
    assert isinstance(made, TreeHash)
    place.ready.write_text(made.text)
    untrusted = await house.admission.refusal_of(dice)
    await trust(house, dice)
    refusal = await house.admission.refusal_of(dice)
    (place.bin / "roll").write_text("changed")
    changed = await house.admission.refusal_of(dice)

    assert gone == "its Python packages are gone: `papercup plugin update dice`"
    assert untrusted == (
        "its Python packages are not those that were looked at: `papercup plugin trust dice`"
    )
    assert refusal is None
    assert changed == "its Python packages have changed: `papercup plugin update dice`"
    path = f"{place.bin}:{ENVIRONMENT['PATH']}"
    (place.bin / "roll").unlink()
    assert await house.admission.refusal_of(dice) is None
    assert house.admission.environment_of(dice)["PATH"] == path
    assert house.admission.server_environment_of(dice, {})["PATH"] == path
