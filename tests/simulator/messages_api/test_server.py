import asyncio
import json
from typing import Any

import aiohttp
import pytest

from simulator.messages_api import (
    OVERLOADED,
    Answer,
    Cut,
    Hang,
    HttpError,
    ModelRequest,
    Say,
    Script,
    ScriptOverError,
    StreamError,
    Think,
    Tokens,
    ToolUse,
    Use,
    UseSeveral,
    echo,
    running_messages_api,
    scripted,
    usage_limit,
)

Event = dict[str, Any]


def question(text: str = "hello", *, stream: bool = True) -> dict[str, Any]:
    messages = [{"role": "user", "content": text}]
    return {"model": "claude-test", "max_tokens": 9, "stream": stream, "messages": messages}


async def stream(script: Script) -> list[Event]:
    """Return the events of one streamed answer."""
    async with (
        running_messages_api(script) as api,
        aiohttp.ClientSession() as client,
        client.post(f"{api.url}/v1/messages?beta=true", json=question()) as response,
    ):
        assert response.headers["content-type"].startswith("text/event-stream")
        return events_in(await response.text())


def events_in(text: str) -> list[Event]:
    found: list[Event] = []
    for part in text.split("\n\n"):
        if not part:
            continue
        name, data = part.split("\n")
        event: Event = json.loads(data.removeprefix("data: "))
        assert name == f"event: {event['type']}"
        found.append(event)
    return found


def types(events: list[Event]) -> list[str]:
    return [event["type"] for event in events]


def deltas(events: list[Event], index: int) -> list[Event]:
    return [
        e["delta"] for e in events if e["type"] == "content_block_delta" and e["index"] == index
    ]


async def test_a_text_is_streamed_word_by_word() -> None:
    tokens = Tokens(input_tokens=7, output_tokens=3, cache_read_tokens=2, cache_write_tokens=1)
    events = await stream(scripted(Say("It is\n  done.", tokens=tokens)))

    assert types(events) == [
        "message_start",
        "ping",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert "".join(delta["text"] for delta in deltas(events, 0)) == "It is\n  done."
    assert events[0]["message"]["model"] == "claude-test"
    assert events[0]["message"]["usage"]["output_tokens"] == 1
    assert events[-2]["delta"]["stop_reason"] == "end_turn"
    assert events[-2]["usage"] == {
        "input_tokens": 7,
        "output_tokens": 3,
        "cache_read_input_tokens": 2,
        "cache_creation_input_tokens": 1,
        "service_tier": "standard",
    }


async def test_tools_are_asked_for_after_a_thought_and_a_text() -> None:
    uses = (ToolUse("Read", {"file_path": "a" * 90}), ToolUse("Glob"))
    events = await stream(scripted(Think("hm hm", UseSeveral(uses, "I look"))))

    starts = [e["content_block"] for e in events if e["type"] == "content_block_start"]
    assert [block["type"] for block in starts] == ["thinking", "text", "tool_use", "tool_use"]
    assert [delta["type"] for delta in deltas(events, 0)] == [
        "thinking_delta",
        "thinking_delta",
        "signature_delta",
    ]
    pieces = [delta["partial_json"] for delta in deltas(events, 2)]
    assert len(pieces) > 1
    assert json.loads("".join(pieces)) == {"file_path": "a" * 90}
    assert starts[2]["id"] != starts[3]["id"]
    assert events[-2]["delta"]["stop_reason"] == "tool_use"


async def test_an_error_may_come_in_the_midst_of_the_stream() -> None:
    events = await stream(scripted(StreamError("overloaded_error", after_text="So far")))

    assert deltas(events, 0)[0]["text"] == "So "
    assert events[-1]["error"] == {"type": "overloaded_error", "message": "Overloaded"}


@pytest.mark.parametrize("answer", [Cut("one two three", after_words=2), Hang(0.01, "one two ")])
async def test_a_broken_answer_ends_without_the_end_of_its_body(answer: Answer) -> None:
    async with (
        running_messages_api(scripted(answer)) as api,
        aiohttp.ClientSession() as client,
        client.post(f"{api.url}/v1/messages", json=question()) as response,
    ):
        received = bytearray()
        with pytest.raises(aiohttp.ClientError):
            await read_into(received, response)

    said = [delta["text"] for delta in deltas(events_in(received.decode()), 0)]
    assert said[:2] == ["one ", "two "]
    assert "three" not in said


async def read_into(received: bytearray, response: aiohttp.ClientResponse) -> None:
    while data := await response.content.readany():
        received += data


async def test_a_refusal_carries_its_headers() -> None:
    limit = HttpError(
        429, "rate_limit_error", "later", headers={"x-limit": "rejected"}, retry_after_seconds=7
    )
    async with (
        running_messages_api(scripted(limit)) as api,
        aiohttp.ClientSession() as client,
        client.post(f"{api.url}/v1/messages", json=question()) as response,
    ):
        body = await response.json()

    assert response.status == 429
    assert body["error"] == {"type": "rate_limit_error", "message": "later"}
    assert response.headers["retry-after"] == "7"
    assert response.headers["x-limit"] == "rejected"


async def test_only_the_right_key_is_let_in() -> None:
    async def status(client: aiohttp.ClientSession, url: str, headers: dict[str, str]) -> int:
        async with client.post(f"{url}/v1/messages", json=question(), headers=headers) as response:
            return response.status

    async with (
        running_messages_api(echo, keys=frozenset({"good"})) as api,
        aiohttp.ClientSession() as client,
    ):
        assert await status(client, api.url, {}) == 401
        assert await status(client, api.url, {"x-api-key": "bad"}) == 401
        assert await status(client, api.url, {"x-api-key": "good"}) == 200
        assert await status(client, api.url, {"authorization": "Bearer good"}) == 200


async def test_an_answer_that_was_not_asked_for_as_a_stream_comes_whole() -> None:
    async with (
        running_messages_api(scripted(Use("Read", {"file_path": "a"}, "I look"))) as api,
        aiohttp.ClientSession() as client,
        client.post(f"{api.url}/v1/messages", json=question(stream=False)) as response,
    ):
        body = await response.json()

    assert [block["type"] for block in body["content"]] == ["text", "tool_use"]
    assert body["stop_reason"] == "tool_use"


async def test_what_was_asked_can_be_waited_for_and_read() -> None:
    asked = asyncio.Event()

    async def slow(request: ModelRequest) -> Answer:
        await asked.wait()
        return echo(request)

    async def watch() -> None:
        async with asyncio.timeout(5):
            newest = await api.asked(1)
        assert newest.last_user_text == "ping\npong"
        asked.set()

    async with (
        running_messages_api(slow) as api,
        aiohttp.ClientSession() as client,
        asyncio.TaskGroup() as tasks,
    ):
        tasks.create_task(watch())
        url = f"{api.url}/v1/messages"
        async with client.post(url, json=question("ping\npong", stream=False)) as response:
            body = await response.json()
        async with client.get(f"{api.url}/v1/models") as models:
            assert len((await models.json())["data"]) == 3

    assert body["content"][0]["text"] == "You said: ping"
    assert [(r.method, r.path) for r in api.requests] == [
        ("POST", "/v1/messages"),
        ("GET", "/v1/models"),
    ]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("HEAD", "/", 200), ("GET", "/v1/nothing", 404), ("POST", "/v1/messages/count_tokens", 200)],
)
async def test_the_smaller_paths_are_served(method: str, path: str, status: int) -> None:
    async with (
        running_messages_api(echo) as api,
        aiohttp.ClientSession() as client,
        client.request(method, f"{api.url}{path}", json=question()) as response,
    ):
        assert response.status == status


async def test_a_script_that_is_over_refuses_and_fails_the_block() -> None:
    with pytest.raises(ScriptOverError, match="0 answers"):
        async with (
            running_messages_api(scripted()) as api,
            aiohttp.ClientSession() as client,
            client.post(f"{api.url}/v1/messages", json=question()) as response,
        ):
            assert response.status == 400


async def test_a_client_that_goes_away_is_counted() -> None:
    async with running_messages_api(scripted(Hang(3600, "one "))) as api:
        async with (
            aiohttp.ClientSession() as client,
            client.post(f"{api.url}/v1/messages", json=question()) as response,
        ):
            await response.content.readuntil(b"one ")
        async with asyncio.timeout(5):
            await api.answer_unread()

    assert api.unread_answers == 1


async def test_the_next_answers_can_be_faults_whatever_the_script_says() -> None:
    async def status(client: aiohttp.ClientSession, url: str) -> tuple[int, str | None]:
        async with client.post(f"{url}/v1/messages", json=question(stream=False)) as response:
            return response.status, response.headers.get("anthropic-ratelimit-unified-reset")

    async with running_messages_api(echo) as api, aiohttp.ClientSession() as client:
        api.fail_next(OVERLOADED, times=2)
        api.fail_next(usage_limit(resets_at=1_800_000_000))
        seen = [await status(client, api.url) for _ in range(4)]

    assert seen == [(529, None), (529, None), (429, "1800000000"), (200, None)]
