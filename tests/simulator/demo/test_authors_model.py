import pytest

from simulator.demo.authors_model import COUNTED, NO_TOOL, REMOVING, authors_model
from simulator.messages_api import ModelRequest, Say, Use
from simulator.messages_api.requests import Json

COUNT = "mcp__papercup__ext_words_count_words"
REMEMBER = "mcp__papercup__ext_notes_remember"


def request(said: str, *results: Json, tools: tuple[str, ...] = (COUNT, REMEMBER)) -> ModelRequest:
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
        ("How many words has it?", (COUNT,), Use(COUNT, {"text": COUNTED})),
        ("How many words has it?", (REMEMBER,), Say(NO_TOOL)),
        ("Remember this: the tide", (REMEMBER,), Use(REMEMBER, {"text": "the tide"})),
        ("nb: the tide", (REMEMBER,), Say("I see.")),
    ],
)
async def test_it_uses_the_tools_that_it_is_offered(
    said: str, tools: tuple[str, ...], wanted: Say | Use
) -> None:
    assert await authors_model(request(said, tools=tools)) == wanted


async def test_it_says_what_the_tool_gave_back() -> None:
    answer = await authors_model(request("How many words?", {"content": "6 words"}))
    assert answer == Say("The tool says: 6 words")


async def test_it_tries_twice_and_tells_what_became_of_each() -> None:
    made, refused = {"content": "draft.txt"}, {"content": "no", "is_error": True}
    again = await authors_model(request("the draft", made, refused))
    told = await authors_model(request("the draft", made, refused, {"content": ""}))

    assert again == Use("Bash", {"command": REMOVING, "description": "Clean up"})
    assert told == Say("I tried twice.\n1. refused: no\n2. done: ")
