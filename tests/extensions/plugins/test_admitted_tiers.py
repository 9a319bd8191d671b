"""Command templates and MCP servers on the disk: found, trusted, run, and refused once changed."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from extensions.plugins.admission import Admission
from extensions.plugins.bridge_parts import BridgeParts, BridgeSettings
from extensions.plugins.bridges import Bridges
from extensions.plugins.environment import environment_names
from extensions.plugins.lifecycle import Failed, Ready
from extensions.plugins.manifest import Candidate, Tier
from extensions.plugins.services import AuditKind
from extensions.plugins.tree_hash import TreeHash
from extensions.plugins.trust import Grant, TrustRecord
from extensions.plugins.wrappers import WrapperParts, Wrappers
from extensions.process.interpreter import base_python
from extensions.server.mcp_client import connected_server
from extensions.tools import ToolAnswer
from tests.fakes.bridges import SCRIPT
from tests.fakes.plugin_host import HostKit
from tests.fakes.trust_house import TrustHouse

SEED = frozenset({"DICE_SEED"})
ENVIRONMENT = {
    "PATH": f"{base_python().parent}:/usr/bin:/bin",
    "DICE_SEED": "7",
    "DISCORD_TOKEN": "tok-123",
}
WRAPPER = """\
name = "Dice"
command = "sh show.sh {{what}}"

[env]
SEED = "${env:DICE_SEED}"
TOKEN = "x${env:DISCORD_TOKEN}"
"""
SERVERS = """\
[[servers]]
name = "small"
command = "${EXTENSION_ROOT}/server"
args = ["-v"]
env = { SEED = "${DICE_SEED}", TOKEN = "x${DISCORD_TOKEN}" }
"""


def written(house: TrustHouse, manifest: str, text: str, **files: str) -> Candidate:
    """Write a plugin whose other files are programs, and return it as it is found."""
    folder = house.plugins / "dice"
    folder.mkdir()
    (folder / manifest).write_text(text)
    for name, content in files.items():
        (folder / name).write_text(content)
        (folder / name).chmod(0o755)
    return house.found()


async def trust(house: TrustHouse, candidate: Candidate) -> None:
    found = (await house.admission.examine(candidate)).found
    assert isinstance(found, TreeHash)
    record = TrustRecord(
        scope=candidate.scope,
        folder=candidate.folder,
        plugin_id=candidate.id,
        source=f"path:{candidate.folder}",
        hash=found.text,
        grant=Grant(env=SEED),
        at=1.0,
    )
    await house.store.keep(record)


def tiers(kit: HostKit, admission: Admission) -> dict[str, Any]:
    bridges = BridgeParts(
        audit=kit.audit,
        environment_of=admission.server_environment_of,
        headers_of=admission.server_headers_of,
        refusal_of=admission.refusal_of,
        open_remote=connected_server,
        host_version="1.2",
        settings=BridgeSettings(grace_seconds=0.2),
    )
    wrappers = WrapperParts(
        environment_of=admission.environment_of,
        workspace_of=lambda _plugin_id, _occasion: Path("/project"),
        refusal_of=admission.refusal_of,
    )
    return {
        "tiers": {Tier.BRIDGE: Bridges(bridges), Tier.WRAPPER: Wrappers(wrappers)},
        "refusal_of": admission.refusal_of,
    }


async def test_a_command_template_gets_what_it_was_granted_until_its_files_change(
    tmp_path: Path,
) -> None:
    house, kit = TrustHouse(tmp_path, environment=ENVIRONMENT), HostKit()
    script = 'echo "$1 $SEED $TOKEN $PAPERCUP_WORKSPACE"'
    dice = written(house, "plugin.toml", WRAPPER, **{"show.sh": script})
    assert environment_names(dice.manifest) == ("DICE_SEED", "DISCORD_TOKEN")
    await trust(house, dice)
    async with kit.host(dice, **tiers(kit, house.admission)) as host:
        assert await kit.use("ext_dice_run", what="a b") == ToolAnswer("a b 7 x /project")
        (dice.folder / "show.sh").write_text("echo mine now")
        refused = await kit.use("ext_dice_run", what="a")
        assert refused.is_error
        assert "its files have changed since it was looked at" in refused.text
        assert isinstance(host.find("dice").state, Failed)
    assert [kind for kind, _, _ in house.audit.lines] == [AuditKind.REFUSED]


async def test_a_server_of_its_own_folder_gets_what_it_was_granted_and_changes_nothing_there(
    tmp_path: Path,
) -> None:
    house, kit = TrustHouse(tmp_path, environment=ENVIRONMENT), HostKit()
    # It imports a module beside it, which Python compiles.
    server = f"#!{base_python()}\nimport small\n"
    dice = written(house, "mcp.toml", SERVERS, server=server, **{"small.py": SCRIPT.read_text()})
    await trust(house, dice)
    async with kit.host(dice, **tiers(kit, house.admission)) as host:
        assert host.find("dice").state == Ready()
        seen = json.loads((await kit.use("ext_dice_environment")).text)
        await host.reload(dice)
    assert (seen["SEED"], seen["TOKEN"], seen["cwd"]) == ("7", "x", str(dice.folder))
    assert "DISCORD_TOKEN" not in seen
    assert seen["PYTHONPYCACHEPREFIX"] == str(house.data / "dice" / "pycache")


@pytest.mark.parametrize("is_tampered", [True, False])
async def test_what_was_granted_counts_while_it_is_looked_at_again(
    tmp_path: Path,
    is_tampered: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    house = TrustHouse(tmp_path, environment=ENVIRONMENT)
    dice = written(house, "plugin.toml", WRAPPER, **{"show.sh": "true"})
    await trust(house, dice)
    assert await house.admission.refusal_of(dice) is None
    if is_tampered:
        (dice.folder / "show.sh").write_text("false")
    async with asyncio.TaskGroup() as tasks:
        looking = tasks.create_task(house.admission.refusal_of(dice))
        # It has begun to look, and has not ended: that is done in a thread.
        await asyncio.sleep(0)
        assert not looking.done()
        assert house.admission.environment_of(dice)["SEED"] == "7"
    refusal = looking.result()
    assert (refusal is None) != is_tampered
    assert house.admission.environment_of(dice)["SEED"] == ("" if is_tampered else "7")
