import pytest

from extensions.errors import PluginCallError
from extensions.plugins.services import Select, UiAnswer
from tests.fakes.example_plugins import ExampleHost
from tests.fakes.plugin_host import HERE

LUNCH = " Lunch? soup | salad | soup |"


async def asked(host: ExampleHost, answer: UiAnswer) -> str:
    host.ui.answer = answer
    return await host.plugins.run_command("poll", "poll", LUNCH, HERE)


async def test_votes_are_counted_over_all_who_choose() -> None:
    async with ExampleHost().running("poll") as host:
        first = await asked(host, UiAnswer(value="salad"))
        await asked(host, UiAnswer(value="salad"))
        last = await asked(host, UiAnswer(cancelled=True))
        question = host.asked()[0]

    assert first == "Lunch?\nsoup: 0\nsalad: 1"
    assert last == "Lunch?\nsoup: 0\nsalad: 2"
    assert question == Select(prompt="Lunch?", options=("soup", "salad"))


@pytest.mark.parametrize(
    "written", ["", "Lunch", "Lunch? soup", "Lunch? " + "|".join("abcdefghijk")]
)
async def test_what_is_no_question_with_options_is_refused(written: str) -> None:
    async with ExampleHost().running("poll") as host:
        with pytest.raises(PluginCallError, match="it is such as /poll Lunch"):
            await host.plugins.run_command("poll", "poll", written, HERE)
