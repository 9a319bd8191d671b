import asyncio
import json
from typing import Any

import pytest

from simulator.demo.voice_model import VoiceModel
from simulator.messages_api import ModelRequest, Say, Use

TOOLS = [{"name": "mcp__papercup__spawn_extension"}]


def asked(said: str, *answered: tuple[str, dict[str, Any]]) -> ModelRequest:
    """Return a request of a speaker: what was said, and what the tools gave back since."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": said}]
    for number, (tool, result) in enumerate(answered):
        use = {"type": "tool_use", "id": f"t{number}", "name": tool, "input": {}}
        messages.append({"role": "assistant", "content": [use]})
        text = [{"type": "text", "text": json.dumps(result)}]
        given = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}
        messages.append({"role": "user", "content": [given]})
    return ModelRequest(headers={}, body={"tools": TOOLS, "messages": messages})


async def test_it_is_kept_what_the_model_was_told_and_said() -> None:
    model = VoiceModel()
    note = '[Bob said, but not to you: "Tell me the story."]'
    await model(asked(f"{note}\nAlice (aloud): What is the capital of France?"))

    turn = await model.turn(1, timeout_seconds=1)

    assert turn.told.startswith(note)
    assert turn.meant == "The capital of France is Paris."


async def test_a_job_is_told_of_as_the_tool_told_of_it() -> None:
    model, said = VoiceModel(), "Alice (aloud): Write a script."
    spawned = ("mcp__papercup__spawn_extension", {"name": "fibonacci", "status": "queued"})

    first = await model(asked(said))
    then = await model(asked(said, spawned))

    assert isinstance(first, Use)
    assert first.tool == "mcp__papercup__spawn_extension"
    assert isinstance(then, Say)
    assert then.text == "fibonacci is queued."
    assert len(model.turns) == 1
    assert model.turns[0].meant == "I hand that to a job. fibonacci is queued."


async def test_the_rundown_is_of_the_job_that_the_line_has_announced() -> None:
    model = VoiceModel()
    note = '[You have just said: "Heads up." The id of that job: ab12 (fibonacci). For …]'
    said = f"{note}\nAlice (aloud): Yes, please."
    result = {"name": "fibonacci", "status": "completed", "summary": "It printed:\n0 1 1 2 3"}

    first = await model(asked(said))
    then = await model(asked(said, ("mcp__papercup__check_extension", result)))

    assert first == Use("mcp__papercup__check_extension", {"id": "ab12"})
    assert isinstance(then, Say)
    assert "5 numbers, and the last one is 3" in then.text


async def test_of_a_job_that_it_may_not_see_the_model_tells_nothing() -> None:
    model, said = VoiceModel(), "Alice (aloud): Yes."
    result = {"error": "no job is called that"}

    await model(asked(said))
    answer = await model(asked(said, ("mcp__papercup__check_extension", result)))

    assert isinstance(answer, Say)
    assert answer.text == "I cannot tell: no job is called that"


async def test_a_turn_that_never_comes_is_not_waited_for_for_ever() -> None:
    async with asyncio.timeout(5):
        with pytest.raises(TimeoutError):
            await VoiceModel().turn(1, timeout_seconds=0.01)
