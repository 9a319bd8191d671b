"""Trust and the host together, with real plugins."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from bot.plugin_services.loading import load_plugins
from bot.plugin_services.plugin_runner import HostRunner
from bot.plugin_services.trust_desk import Settled, TrustDesk, TrustOrder
from extensions.hooks import Blocked, HookPoint, Pass, Ruling
from extensions.plugins.discovery import discover
from extensions.plugins.host import PluginHost, open_plugin_host
from extensions.plugins.lifecycle import Failed
from extensions.plugins.parts import HostSettings
from extensions.plugins.supervision import SupervisionOptions
from extensions.process.interpreter import base_python
from extensions.process.restart import RestartOptions
from tests.fakes.plugin_host import FOLDER, HERE, SPEAKER, HostKit
from tests.fakes.trust_house import TrustHouse
from tests.fakes.trusted_plugins import make_plugin
from tests.fakes.waiting import until

PYTHON = base_python()
SECRET_LIKE = {f"SERVICE_{number}_TOKEN": f"hush-{number}" for number in range(40)}
ENVIRONMENT = {
    **SECRET_LIKE,
    "DATABASE_URL": "hush",
    "SSH_AUTH_SOCK": "hush",
    "DISCORD_TOKEN": "tok-123",
    "PATH": f"{PYTHON.parent}:/usr/bin:/bin",
    "DICE_SEED": "7",
}


@dataclass
class Bot:
    """What a running bot has of plugins."""

    house: TrustHouse
    kit: HostKit
    host: PluginHost
    desk: TrustDesk

    def install(self, name: str = "dice") -> Path:
        main = (FOLDER / "environment_plugin.py").read_text()
        return make_plugin(self.house.plugins, name, command=PYTHON.name, main=main)

    async def trust(self, name: str = "dice") -> Settled:
        return await self.desk.trust(await self.order(name))

    async def order(self, name: str = "dice") -> TrustOrder:
        seen = (await self.desk.standing(name)).hash
        assert seen is not None
        return TrustOrder(name=name, hash=seen)

    async def use_of_bash(self) -> Ruling:
        """Return whether a speaker may use Bash."""
        call = {"tool": "Bash", "tool_name": "Bash", "arguments": {}}
        return await self.host.fire(HookPoint.TOOL_CALL, call, HERE)

    async def environment(self) -> dict[str, Any]:
        answer = await self.kit.use("ext_dice_environment")
        seen: dict[str, Any] = json.loads(answer.text)
        return seen


@asynccontextmanager
async def running(folder: Path) -> AsyncGenerator[Bot, None]:
    house = TrustHouse(folder, environment=ENVIRONMENT)
    at_once = SupervisionOptions(restarts=RestartOptions(first_wait_seconds=0.01))
    kit = HostKit(settings=HostSettings(supervision=at_once))
    parts = replace(
        kit.parts(),
        refusal_of=house.admission.refusal_of,
        environment_of=house.admission.environment_of,
        is_missed=house.admission.is_missed,
        may_execute=house.admission.may_execute,
    )
    async with open_plugin_host(parts) as host:
        await host.load([])
        yield Bot(house, kit, host, house.desk_with(HostRunner(host)))


async def test_a_newly_installed_plugin_needs_no_restart(tmp_path: Path) -> None:
    async with running(tmp_path) as bot:
        bot.install()
        settled = await bot.trust()
        seen = await bot.environment()
        await bot.desk.untrust("dice")

        assert settled.down is None
        assert bot.host.plugins == ()
        assert bot.kit.registry.find(SPEAKER, "ext_dice_environment") is None
    # Python itself adds the first, and the host marks with the other what belongs to a plugin.
    assert seen.keys() - {"LC_CTYPE", "PAPERCUP_FAMILY"} == {
        *("PATH", "DICE_SEED", "AGENT_VERSION", "AGENT_EXTENSION_ID"),
        *("NEXO_EXTENSION_STATE_ROOT", "PYTHONPYCACHEPREFIX"),
    }
    assert "hush" not in str(seen)
    assert seen["DICE_SEED"] == "7"


async def test_a_plugin_that_was_swapped_while_it_ran_does_not_come_back(tmp_path: Path) -> None:
    async with running(tmp_path) as bot:
        folder = bot.install()
        await bot.trust()
        (folder / "main.py").write_text("evil\n")
        await bot.kit.use("ext_dice_crash")
        await until(lambda: isinstance(bot.host.find("dice").state, Failed))
        state = bot.host.find("dice").state
        reloaded = await bot.desk.reload("dice")

    assert isinstance(state, Failed)
    assert "its files have changed since it was looked at" in state.reason
    assert reloaded.down is not None
    assert "its files have changed" in reloaded.down


async def test_a_plugin_that_runs_leaves_its_own_folder_as_it_was(tmp_path: Path) -> None:
    async with running(tmp_path) as bot:
        folder = bot.install()
        (folder / "helper.py").write_text("VALUE = 1\n")
        main = folder / "main.py"
        main.write_text(f"import helper\nassert helper.VALUE\n{main.read_text()}")
        await bot.trust()
        again = await bot.desk.reload("dice")

        assert again.down is None
        assert not (folder / "__pycache__").exists()


async def test_what_nobody_trusts_is_loaded_and_down(tmp_path: Path) -> None:
    async with running(tmp_path) as bot:
        bot.install()
        await bot.host.load([bot.house.found()])
        state = bot.host.find("dice").state

    assert isinstance(state, Failed)
    assert "nobody has trusted it yet" in state.reason


async def test_what_a_changed_guard_forbids_stays_forbidden_until_it_is_untrusted(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as bot:
        folder = bot.install()
        await bot.trust()
        (folder / "main.py").write_text("evil\n")
        manifest = folder / "extension.toml"
        manifest.write_text(manifest.read_text() + "hooks = []\n")
        reloaded = await bot.desk.reload("dice")
        held = await bot.use_of_bash()
        await bot.desk.untrust("dice")
        opened = await bot.use_of_bash()

    assert reloaded.down == reloaded.standing.reason
    assert isinstance(held, Blocked)
    assert "`papercup plugin trust dice`" in held.reason
    assert "`papercup plugin untrust dice`" in held.reason
    assert opened == Pass()


async def test_a_guard_that_has_changed_before_the_start_forbids_too(tmp_path: Path) -> None:
    async with running(tmp_path) as bot:
        folder = bot.install()
        await bot.house.desk.trust(await bot.order())
        (folder / "main.py").write_text("evil\n")
        await load_plugins(
            partial(discover, bot.house.settings), bot.house.admission.choose, bot.host.load
        )
        held = await bot.use_of_bash()
        await bot.trust()
        trusted = bot.host.find("dice").state

    assert isinstance(held, Blocked)
    assert isinstance(trusted, Failed)  # "evil" is no program
