from typing import Any

from extensions.plugins.services import Input, Select, UiAnswer
from extensions.tools import ToolAnswer
from tests.fakes.example_plugins import ExampleHost

LUNCH = {"prompt": "What for lunch?", "label": "Lunch", "options": ["soup", "salad"]}
DRINK = {"prompt": "And to drink?", "options": ["water"], "allow_other": False}
WHY = {"prompt": "Why?"}
OTHER = "✎ Something else"


async def asked(host: ExampleHost, *questions: dict[str, Any]) -> ToolAnswer:
    return await host.use("ext_questionnaire_questionnaire", questions=list(questions))


async def test_the_questions_are_asked_one_after_the_other() -> None:
    async with ExampleHost().running("questionnaire") as host:
        host.ui.answer = UiAnswer(value="water")
        answer = await asked(host, LUNCH, DRINK)

    assert answer == ToolAnswer("Lunch: water\nQuestion 2: water")
    assert host.asked() == [
        Select(prompt="1/2 What for lunch?", options=("soup", "salad", OTHER)),
        Select(prompt="2/2 And to drink?", options=("water",)),
    ]


async def test_people_may_write_what_is_not_there() -> None:
    async with ExampleHost().running("questionnaire") as host:
        host.ui.answer = UiAnswer(value=OTHER, text="stew")
        answer = await asked(host, LUNCH, WHY)

    assert answer == ToolAnswer("Lunch: stew\nQuestion 2: stew")
    assert host.asked()[1:] == [Input(prompt="1/2 What for lunch?"), Input(prompt="2/2 Why?")]


async def test_who_declines_is_asked_no_more_and_no_questions_are_none() -> None:
    async with ExampleHost().running("questionnaire") as host:
        host.ui.answer = UiAnswer(cancelled=True)
        answer = await asked(host, LUNCH, DRINK)
        none = await asked(host)

    assert none.is_error
    assert answer == ToolAnswer(
        "They answered no further; do not ask again, but go on with what you know."
    )
    assert len(host.asked()) == 1
