import pytest

from simulator.demo.plugins_model import CLEAN_COMMAND, NOT_MINE, plugins_model
from simulator.messages_api import ModelRequest, Say, Use
from simulator.messages_api.requests import Json

ADD = "mcp__papercup__ext_todo_add"
SPEAKER = ("mcp__papercup__spawn_extension", ADD)


def request(said: str, *results: Json, tools: tuple[str, ...] = SPEAKER) -> ModelRequest:
    """Return a request after these results of tools, one for each answer so far."""
    messages: list[Json] = [{"role": "user", "content": said}]
    for number, result in enumerate(results):
        use = {"type": "tool_use", "id": f"use-{number}", "name": "Bash", "input": {}}
        messages.append({"role": "assistant", "content": [use]})
        given = {"type": "tool_result", "tool_use_id": f"use-{number}", **result}
        messages.append({"role": "user", "content": [given]})
    body = {"messages": messages, "tools": [{"name": name} for name in tools]}
    return ModelRequest(headers={}, body=body)


@pytest.mark.parametrize(
    ("said", "tools", "wanted"),
    [
        ("/roll 2d6", SPEAKER, Say(NOT_MINE)),
        ("Put bread on the list", SPEAKER, Use(ADD, {"item": "bread"})),
        ("Put bread on the list", SPEAKER[:1], Say("I have no list.")),
        ("And?", SPEAKER, Say("I see.")),
    ],
)
async def test_the_speaker_uses_the_tools_that_it_is_offered(
    said: str, tools: tuple[str, ...], wanted: Say | Use
) -> None:
    assert await plugins_model(request(said, tools=tools)) == wanted


async def test_the_speaker_says_what_the_tool_gave_back() -> None:
    answer = await plugins_model(request("butter", {"content": "☐ butter"}))
    assert answer == Say("It is on the list:\n☐ butter")


async def test_the_job_tries_three_times_and_tells_what_became_of_each() -> None:
    first, refused, done = (
        {"content": "old.o"},
        {"content": "no", "is_error": True},
        {"content": ""},
    )
    again = await plugins_model(request("go", first, refused, tools=("Bash",)))
    told = await plugins_model(request("go", first, refused, done, done, tools=("Bash",)))

    assert again == Use("Bash", {"command": CLEAN_COMMAND, "description": "Clean up"})
    assert told == Say("I tried three times.\n1. refused: no\n2. done: \n3. done: ")
