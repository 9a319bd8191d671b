import re

import pytest

from extensions.errors import PluginCallError
from tests.fakes.example_plugins import ExampleHost
from tests.fakes.plugin_host import HERE


async def test_a_throw_has_as_many_dice_as_were_wanted_and_their_sum() -> None:
    async with ExampleHost().running("dice") as host:
        answer = await host.use("ext_dice_roll", throw="20d6-3")
        told = await host.plugins.run_command("dice", "roll", "", HERE)

    found = re.fullmatch(r"🎲 20d6-3: ((?:[1-6] \+ ){19}[1-6]) - 3 = \*\*(\d+)\*\*", answer.text)
    assert found is not None, answer
    assert sum(map(int, found[1].split(" + "))) - 3 == int(found[2])
    assert re.fullmatch(r"🎲 1d6: [1-6] = \*\*[1-6]\*\*", told)


async def test_what_cannot_be_rolled_is_refused() -> None:
    wrong = ("six", "0d6", "51d6", "2d0", "d", "1d6+", "1d٣", "99999999999d6", "2d6; rm")
    async with ExampleHost().running("dice") as host:
        for throw in wrong:
            answer = await host.use("ext_dice_roll", throw=throw)
            assert answer.is_error, throw
            with pytest.raises(PluginCallError, match="/roll failed: a throw is such as 1d6 or"):
                await host.plugins.run_command("dice", "roll", throw, HERE)


COMPLETED = {
    "": ["d4", "d6", "d8", "d10", "d12", "d20", "d100"],
    "3": ["3d4", "3d6", "3d8", "3d10", "3d12", "3d20", "3d100"],
    " 2D1": ["2d10", "2d12", "2d100"],
    "d2": ["d20"],
    "dragon": [],
    "333": [],
}


async def test_what_is_typed_is_completed() -> None:
    found = {}
    async with ExampleHost().running("dice") as host:
        for typed in COMPLETED:
            offered = await host.plugins.complete_command("dice", "roll", typed, HERE)
            found[typed] = [each.value for each in offered]

    assert found == COMPLETED
