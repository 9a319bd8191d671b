import asyncio
from dataclasses import dataclass, field

import pytest

from extensions.errors import PluginCallError
from extensions.hooks import Occasion
from extensions.plugins.services import Confirm, Select, UiAnswer, UiRequest
from tests.fakes.example_plugins import ExampleHost
from tests.fakes.plugin_host import HERE
from tests.fakes.plugin_services import FakeUserInterface


@dataclass
class Silence(FakeUserInterface):
    """People who never answer; it takes down when a question is taken back."""

    gone: asyncio.Event = field(default_factory=asyncio.Event)

    async def ask(
        self,
        plugin_id: str,
        request: UiRequest,
        occasion: Occasion,
        *,
        within_seconds: float | None = None,
    ) -> UiAnswer:
        self.asked.append((plugin_id, request, occasion))
        self.limits_seconds.append(within_seconds)
        try:
            return await asyncio.Future()
        finally:
            self.gone.set()


async def run(host: ExampleHost, command: str, written: str = "") -> str:
    return await host.plugins.run_command("timed_confirm", command, written, HERE)


async def test_a_question_that_nobody_answers_is_taken_back() -> None:
    people, told = Silence(), list[str]()
    async with ExampleHost(ui=people).running("timed_confirm") as host:
        for command in ("timed", "timed-select", "timed-signal"):
            told.append(await run(host, command, "0.02"))
            await people.gone.wait()
            people.gone.clear()

    assert told == [
        "You said no, or nothing.",
        "You chose nothing in time.",
        "You said nothing in time.",
    ]


async def test_what_is_answered_in_time_counts() -> None:
    async with ExampleHost().running("timed_confirm") as host:
        host.ui.answer = UiAnswer(confirmed=True, value="Green")
        yes = [await run(host, each) for each in ("timed", "timed-select", "timed-signal")]
        host.answers(confirmed=False)
        no = await run(host, "timed-signal")
        asked = host.asked()

    assert yes == ["You said yes.", "You chose Green.", "You said yes."]
    assert no == "You said no."
    assert asked[0] == Confirm(prompt="Are you sure?")
    assert asked[1] == Select(prompt="Which colour?", options=("Red", "Green", "Blue"))


async def test_only_seconds_may_stand_behind_it() -> None:
    async with ExampleHost().running("timed_confirm") as host:
        for written in ("soon", "0", "-1", "61", "nan", "inf"):
            with pytest.raises(PluginCallError, match="stand seconds, 60 at most"):
                await run(host, "timed", written)
