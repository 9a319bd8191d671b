import pytest

from extensions.errors import PluginCallError
from extensions.plugins.services import Notify
from tests.fakes.example_plugins import ExampleHost
from tests.fakes.plugin_host import HERE
from tests.fakes.waiting import until


async def test_what_one_shouts_the_other_shows() -> None:
    async with ExampleHost().running("bus_sender", "bus_listener") as host:
        await host.plugins.run_command("bus_listener", "listen", "", HERE)
        told = await host.plugins.run_command("bus_sender", "shout", " dinner is ready ", HERE)
        await until(lambda: len(host.asked()) == 2)

    assert told == "That was shouted."
    assert host.asked() == [
        Notify(message="What is shouted is shown here."),
        Notify(message="📣 dinner is ready"),
    ]


async def test_nothing_and_too_much_is_not_shouted() -> None:
    async with ExampleHost().running("bus_sender") as host:
        for written in (" ", "x" * 201):
            with pytest.raises(PluginCallError, match="has 1 to 200 characters"):
                await host.plugins.run_command("bus_sender", "shout", written, HERE)
