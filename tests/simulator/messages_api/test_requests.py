from typing import Any

from simulator.messages_api import ModelRequest, ShownImage, ToolResult


def request(*messages: dict[str, Any], **body: Any) -> ModelRequest:
    return ModelRequest(headers={}, body={"messages": list(messages), **body})


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def uses(tool: str, tool_use_id: str) -> dict[str, Any]:
    block = {"type": "tool_use", "id": tool_use_id, "name": tool, "input": {}}
    return {"role": "assistant", "content": [block]}


def result(tool_use_id: str, content: Any, *, is_error: bool = False) -> dict[str, Any]:
    return {
        "type": "tool_result",
        "tool_use_id": tool_use_id,
        "content": content,
        "is_error": is_error,
    }


def test_what_the_client_puts_around_the_words_of_a_person_is_not_heard() -> None:
    asked = request(
        user(
            [
                {"type": "text", "text": "<system-reminder>\nbe kind\n</system-reminder>\n"},
                {"type": "text", "text": "how are you?"},
            ]
        ),
        {"role": "system", "content": "# Environment\nlinux"},
    )

    assert asked.last_user_text == "how are you?"
    assert asked.step == 0
    assert asked.last_tool_result is None


def test_the_images_are_those_of_the_newest_thing_that_was_said() -> None:
    def shown(data: str) -> dict[str, Any]:
        source = {"type": "base64", "media_type": "image/png", "data": data}
        return {"type": "image", "source": source}

    asked = request(
        user([{"type": "text", "text": "old"}, shown("b2xk")]),
        user(
            [
                {"type": "text", "text": "look"},
                shown("bmV3"),
                {"type": "text", "text": "[Image: source: /tmp/1.png]"},
            ]
        ),
    )

    assert asked.last_user_text == "look"
    assert asked.last_images == (ShownImage(media_type="image/png", content=b"new"),)
    assert request(user("no")).last_images == ()


def test_tool_results_are_those_since_a_person_last_spoke() -> None:
    asked = request(
        user("first"),
        uses("Read", "t1"),
        user([result("t1", "old")]),
        {"role": "assistant", "content": "done"},
        user("second"),
        uses("Glob", "t2"),
        user([result("t2", [{"type": "text", "text": '{"files": 2}'}], is_error=True)]),
    )

    assert asked.last_user_text == "second"
    assert asked.step == 1
    assert asked.tool_results == (ToolResult(tool="Glob", text='{"files": 2}', is_error=True),)
    assert asked.last_tool_result == '{"files": 2}'
    assert asked.last_tool_json == {"files": 2}


def test_what_a_person_says_in_the_midst_of_a_turn_is_the_newest_thing_said() -> None:
    asked = request(
        user("count the files"),
        uses("Bash", "t1"),
        user([result("t1", "3")]),
        {
            "role": "system",
            "content": [
                {
                    "type": "text",
                    "text": "The user sent a new message while you were working:\nand the lines\n\n"
                    "This is how Claude Code surfaces messages the user sends mid-turn.",
                }
            ],
        },
    )

    assert asked.user_texts == ("count the files", "and the lines")
    assert asked.last_user_text == "and the lines"
    assert asked.step == 0


def test_a_request_without_messages_is_empty() -> None:
    asked = request()

    assert asked.last_user_text == ""
    assert asked.tool_results == ()
    assert asked.last_tool_json is None


def test_the_key_is_found_in_either_header() -> None:
    by_key = ModelRequest(headers={"x-api-key": "k1"}, body={})
    by_bearer = ModelRequest(headers={"authorization": "Bearer k2"}, body={})

    assert (by_key.api_key, by_bearer.api_key, request().api_key) == ("k1", "k2", None)


def test_the_system_prompt_holds_the_later_system_messages() -> None:
    asked = request(
        user("hello"),
        {"role": "system", "content": "later"},
        system=[{"type": "text", "text": "You are brief."}],
        tools=[{"name": "Read"}, {"name": "Grep"}],
        model="claude-sonnet-5-5",
    )

    assert asked.system_text == "You are brief.\nlater"
    assert asked.tools == ("Read", "Grep")
    assert asked.model == "claude-sonnet-5-5"
