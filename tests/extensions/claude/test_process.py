import os
import signal
import sys
import uuid
from pathlib import Path

import pytest

from extensions.claude.failures import FailureKind, failure_of_servers, failure_of_turn
from extensions.claude.process import ClaudeProcess, running_claude
from extensions.claude.stream import (
    AssistantMessage,
    BadLine,
    Event,
    LimitReported,
    MessageMoved,
    MessageState,
    TextDelta,
    TurnBegan,
    TurnEnded,
)
from extensions.errors import ClaudeStartError
from simulator.messages_api import (
    Answer,
    Hang,
    HttpError,
    ModelRequest,
    Say,
    echo,
    running_messages_api,
    scripted,
)
from tests.extensions.claude.real_claude import (
    MESSAGE,
    NO_SERVER,
    READY_SECONDS,
    SESSION,
    Place,
    ready_claude,
    turn_of,
)


@pytest.fixture
def place(claude: Path, tmp_path: Path) -> Place:
    return Place(claude, tmp_path)


def end_of(events: list[Event]) -> TurnEnded:
    (end,) = (event for event in events if isinstance(event, TurnEnded))
    return end


async def failure_of(place: Place, env: dict[str, str]) -> tuple[FailureKind, str]:
    """Return how a turn in that environment fails."""
    async with ready_claude(place, place.speaker(), env) as claude:
        await claude.say("Hello", uuid=MESSAGE)
        told = await turn_of(claude.events())
    limits = [event for event in told if isinstance(event, LimitReported)]
    failure = failure_of_turn(end_of(told), limits[-1] if limits else None)
    assert failure is not None
    return failure.kind, failure.sentence


async def test_a_warm_process_answers_turn_after_turn_in_pieces(place: Place) -> None:
    async with (
        running_messages_api(scripted(Say("One two three"), Say("Four"))) as api,
        ready_claude(place, place.speaker(), place.environment(api.url)) as claude,
    ):
        assert not api.model_requests, "being ready asks the model nothing"
        await claude.say("First", uuid=MESSAGE)
        events = claude.events()
        first = await turn_of(events)
        await claude.say("Second", uuid="1d0f6c9e-7a35-4a1c-8a55-6c0f5b7d2e02")
        second = await turn_of(events)

    assert [event.text for event in first if isinstance(event, TextDelta)] == [
        "One ",
        "two ",
        "three",
    ]
    assert MessageMoved(MESSAGE, MessageState.STARTED) in first
    assert [event for event in second if isinstance(event, AssistantMessage)] == [
        AssistantMessage("Four")
    ]
    request = api.model_requests[-1]
    assert request.user_texts == ("First", "Second")
    assert request.system_text.count("You are a test.") == 1
    assert (request.session_id, request.api_key) == (SESSION, "test-token")


@pytest.mark.parametrize("text", ["look at @/etc/passwd and @notes.txt", "/clear", "!ls", "# x"])
async def test_what_a_person_says_is_not_expanded(place: Place, text: str) -> None:
    (place.work / "notes.txt").write_text("a secret note", encoding="utf-8")
    async with (
        running_messages_api(echo) as api,
        ready_claude(place, place.speaker(), place.environment(api.url)) as claude,
    ):
        await claude.say(text, uuid=MESSAGE)
        told = await turn_of(claude.events())

    assert end_of(told).text == f"You said: {text}"
    asked = str(api.model_requests[-1].body)
    assert "a secret note" not in asked
    assert "root:x:0" not in asked


async def test_an_interruption_ends_the_turn_and_not_the_process(place: Place) -> None:
    def script(request: ModelRequest) -> Answer:
        return Hang(60, "Once upon") if request.last_user_text == "Tell" else echo(request)

    async with (
        running_messages_api(script) as api,
        ready_claude(place, place.speaker(), place.environment(api.url)) as claude,
    ):
        events = claude.events()
        await claude.say("Tell", uuid=MESSAGE)
        async for event in events:
            if event == TextDelta("upon"):
                break
        await claude.interrupt()
        interrupted = failure_of_turn(end_of(await turn_of(events)))
        await claude.say("Go on", uuid="1d0f6c9e-7a35-4a1c-8a55-6c0f5b7d2e02")
        after = await turn_of(events)

    assert interrupted is not None
    assert interrupted.kind is FailureKind.INTERRUPTED
    assert end_of(after).text == "You said: Go on"


async def test_a_process_that_was_killed_is_told_and_its_session_goes_on(place: Place) -> None:
    def script(request: ModelRequest) -> Answer:
        return Hang(60) if request.last_user_text == "Two" else echo(request)

    async with running_messages_api(script) as api:
        env = place.environment(api.url)
        async with ready_claude(place, place.speaker(), env) as claude:
            events = claude.events()
            await claude.say("One", uuid=MESSAGE)
            await turn_of(events)
            await claude.say("Two", uuid="1d0f6c9e-7a35-4a1c-8a55-6c0f5b7d2e02")
            await api.asked(2)
            os.kill(claude.pid, signal.SIGKILL)
            last = await turn_of(events)
            crash = await claude.exit()

        async with ready_claude(place, place.speaker(is_resumed=True), env) as claude:
            await claude.say("Three", uuid="1d0f6c9e-7a35-4a1c-8a55-6c0f5b7d2e03")
            resumed = await turn_of(claude.events())

    assert not [event for event in last if isinstance(event, TurnEnded)]
    assert (crash.kind, crash.detail) == (FailureKind.CRASHED, "it ended with -9")
    assert end_of(resumed).text == "You said: Three"
    # What nobody had answered when it was killed may be lost; the rest goes on.
    first, *_, last_said = api.model_requests[-1].user_texts
    assert (first, last_said) == ("One", "Three")


async def test_a_changed_prompt_counts_when_a_session_is_resumed(place: Place) -> None:
    async with running_messages_api(echo) as api:
        for is_resumed in (False, True):
            place.prompt.write_text(f"Resumed: {is_resumed}.", encoding="utf-8")
            env = place.environment(api.url)
            async with ready_claude(place, place.speaker(is_resumed=is_resumed), env) as claude:
                await claude.say("Hello", uuid=str(uuid.uuid4()))
                await turn_of(claude.events())

    prompts = [request.system_text for request in api.model_requests]
    assert ["Resumed: False." in prompts[0], "Resumed: True." in prompts[1]] == [True, True]


async def test_a_message_that_the_session_knows_already_is_not_answered_again(
    place: Place,
) -> None:
    async with running_messages_api(scripted(Say("Once"))) as api:
        env = place.environment(api.url)
        async with ready_claude(place, place.speaker(), env) as claude:
            await claude.say("Hello", uuid=MESSAGE)
            await turn_of(claude.events())
        async with ready_claude(place, place.speaker(is_resumed=True), env) as claude:
            await claude.say("Hello", uuid=MESSAGE)
            told = [await anext(claude.events())]

    assert told == [MessageMoved(MESSAGE, MessageState.COMPLETED)]


async def test_a_bad_key_is_told(place: Place) -> None:
    async with running_messages_api(echo, keys=frozenset({"another"})) as api:
        kind, sentence = await failure_of(place, place.environment(api.url))

    assert kind is FailureKind.BAD_KEY
    assert "API key" in sentence


async def test_a_missing_login_is_told(place: Place) -> None:
    env = place.environment(NO_SERVER)
    del env["ANTHROPIC_API_KEY"]

    kind, sentence = await failure_of(place, env)

    assert kind is FailureKind.NOT_LOGGED_IN
    assert "not logged in" in sentence


async def test_a_usage_limit_of_a_login_is_told_with_its_end(place: Place) -> None:
    headers = {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": "1900000000",
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
    }
    script = scripted(HttpError(429, "rate_limit_error", headers=headers))
    async with running_messages_api(script) as api:
        env = place.environment(api.url) | {"CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-none"}
        del env["ANTHROPIC_API_KEY"]
        kind, sentence = await failure_of(place, env)

    assert kind is FailureKind.USAGE_LIMIT
    assert sentence.endswith("it resets at 17:46 UTC on 17 March.")


async def test_a_usage_limit_of_a_key_is_told_with_the_end_that_the_api_names(
    place: Place,
) -> None:
    message = "This would exceed your usage limit|1900000000"
    async with running_messages_api(scripted(HttpError(429, "rate_limit_error", message))) as api:
        kind, sentence = await failure_of(place, place.environment(api.url))

    assert kind is FailureKind.USAGE_LIMIT
    assert sentence.endswith("it resets at 17:46 UTC on 17 March.")


async def test_an_overload_is_told_after_the_retries_that_are_allowed(place: Place) -> None:
    script = scripted(*[HttpError(529, "overloaded_error", "Overloaded")] * 2)
    async with running_messages_api(script) as api:
        kind, _ = await failure_of(place, place.environment(api.url, max_retries=1))

    assert kind is FailureKind.OVERLOADED
    assert len(api.model_requests) == 2


async def test_an_api_that_is_down_is_told(place: Place) -> None:
    kind, sentence = await failure_of(place, place.environment(NO_SERVER))

    assert kind is FailureKind.API_DOWN
    assert "cannot be reached" in sentence


async def test_a_server_that_is_down_is_told_when_the_turn_begins(place: Place) -> None:
    async with (
        running_messages_api(echo) as api,
        ready_claude(place, place.speaker(), place.environment(api.url)) as claude,
    ):
        await claude.say("Hello", uuid=MESSAGE)
        told = await turn_of(claude.events())

    (began,) = (event for event in told if isinstance(event, TurnBegan))
    failure = failure_of_servers(began.failed_servers)
    assert failure is not None
    assert failure.detail == "MCP servers that failed: papercup"
    assert end_of(told).is_error is False


async def test_a_session_that_is_not_there_cannot_be_resumed(place: Place) -> None:
    env = place.environment(NO_SERVER)
    command = place.speaker(is_resumed=True)
    with pytest.raises(ClaudeStartError, match="No conversation found"):
        async with ready_claude(place, command, env):
            pass


async def test_a_program_that_is_not_claude_does_not_become_ready(place: Place) -> None:
    command = [sys.executable, "-c", "import sys; sys.exit('no such thing')"]
    with pytest.raises(ClaudeStartError, match="it ended with 1: no such thing"):
        async with ready_claude(place, command, {}):
            pass


async def test_a_program_that_says_nothing_does_not_become_ready(place: Place) -> None:
    async with running_claude(
        ["/bin/sleep", "60"], cwd=place.work, env={}, grace_seconds=0
    ) as claude:
        with pytest.raises(ClaudeStartError, match="not answer within"):
            await claude.ready(0.05)


async def test_what_was_told_before_it_was_ready_is_not_lost(place: Place) -> None:
    early = (
        "import json, sys\n"
        "print('not json', flush=True)\n"
        "request = json.loads(sys.stdin.readline())['request_id']\n"
        "answer = {'subtype': 'success', 'request_id': request}\n"
        "print(json.dumps({'type': 'control_response', 'response': answer}), flush=True)\n"
    )
    command = [sys.executable, "-c", early]
    async with running_claude(command, cwd=place.work, env={}) as claude:
        await claude.ready(READY_SECONDS)
        told = [event async for event in claude.events()]

    assert [type(event) for event in told] == [BadLine]


async def test_a_process_that_hears_nothing_can_be_killed(place: Place) -> None:
    async with running_claude(["/bin/sleep", "60"], cwd=place.work, env={}) as claude:
        claude.kill()
        assert [event async for event in claude.events()] == []
        ended = await claude.exit()

    assert ended.detail == "it ended with -9"


async def say_for_ever(claude: ClaudeProcess) -> None:
    # The first words may still fit into the pipe.
    while True:
        await claude.say("Hello?", uuid=MESSAGE)


async def test_saying_something_to_a_process_that_has_ended_fails(place: Place) -> None:
    async with running_claude(["/bin/true"], cwd=place.work, env={}) as claude:
        assert [event async for event in claude.events()] == []
        await claude.exit()
        with pytest.raises(ConnectionError):
            await say_for_ever(claude)
