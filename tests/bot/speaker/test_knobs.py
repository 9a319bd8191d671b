"""What is set for a session, with the real `claude`: it holds from the next turn on."""

import asyncio
import os
import signal
from pathlib import Path

from bot.speaker.speaker import Answered, Failed, Knobs, PermissionMode, Warned
from simulator.messages_api import Answer, Hang, HttpError, ModelRequest, Say, echo
from tests.fakes.speaker_house import said, speaker_house, words
from tests.fakes.waiting import until

SONNET, HAIKU = "claude-sonnet-5-5", "claude-haiku-5-5"


async def test_the_knobs_of_a_session_go_before_the_configuration(tmp_path: Path) -> None:
    knobs = Knobs(model="sonnet", effort="high")
    async with speaker_house(tmp_path, echo, model="haiku", effort="low") as house:
        await said(house.speaker(knobs=knobs), "olga: hi")
        chosen = house.api.model_requests[-1]
        await said(house.speaker("other"), "olga: hi")
        usual = house.api.model_requests[-1]

    assert (chosen.model, chosen.body["output_config"]) == (SONNET, {"effort": "high"})
    assert (usual.model, usual.body["output_config"]) == (HAIKU, {"effort": "low"})


async def test_a_change_holds_from_the_next_turn_on_and_what_was_said_is_kept(
    tmp_path: Path,
) -> None:
    async with speaker_house(tmp_path, echo) as house:
        speaker = house.speaker()
        await said(speaker, "olga: my cat is Tom")
        first = house.process_id()
        speaker.change(Knobs(model="sonnet"))
        await until(lambda: house.has_another_process(first))
        second = house.process_id()
        events = await said(speaker, "olga: and my dog?")
        request = house.api.model_requests[-1]

        assert house.process_id() == second, "it was warm again already"
    assert events[-1] == Answered()
    assert request.model == SONNET
    assert "olga: my cat is Tom" in request.user_texts
    assert len(set(house.began)) == 1


async def test_a_change_to_what_holds_already_changes_nothing(tmp_path: Path) -> None:
    async with speaker_house(tmp_path, echo) as house:
        speaker = house.speaker(knobs=Knobs(model="sonnet"))
        await said(speaker, "olga: one")
        first = house.process_id()
        speaker.change(Knobs(model="sonnet"))
        await said(speaker, "olga: two")

        assert house.process_id() == first


async def test_a_change_of_a_speaker_that_is_not_warm_starts_nothing(tmp_path: Path) -> None:
    async with speaker_house(tmp_path, echo) as house:
        speaker = house.speaker()
        speaker.change(Knobs(model="sonnet"))
        await said(house.speaker("other"), "olga: hi")
        warm = house.warm()
        await said(speaker, "olga: hi")

    assert warm == ["other"]
    assert house.api.model_requests[-1].model == SONNET


async def test_a_running_turn_ends_as_it_began(tmp_path: Path) -> None:
    go_on = asyncio.Event()

    async def script(request: ModelRequest) -> Answer:
        if request.last_user_text == "olga: one":
            await go_on.wait()
        return Say(f"{request.last_user_text} by {request.model}")

    async with (
        speaker_house(tmp_path, script, model="haiku") as house,
        asyncio.TaskGroup() as tasks,
    ):
        speaker = house.speaker()
        turn = tasks.create_task(said(speaker, "olga: one"))
        await house.api.asked(1)
        speaker.change(Knobs(model="sonnet"))
        go_on.set()
        first = await turn
        second = await said(speaker, "olga: two")

    assert words(first) == f"olga: one by {HAIKU}"
    assert words(second) == f"olga: two by {SONNET}"


async def test_a_change_is_not_lost_when_the_process_dies(tmp_path: Path) -> None:
    def script(request: ModelRequest) -> Answer:
        return Hang(30.0) if "hang" in request.last_user_text else Say(request.model)

    async with speaker_house(tmp_path, script) as house, asyncio.TaskGroup() as tasks:
        speaker = house.speaker()
        turn = tasks.create_task(said(speaker, "olga: hang"))
        await house.api.asked(1)
        speaker.change(Knobs(model="sonnet"))
        os.kill(house.process_id(), signal.SIGKILL)
        assert isinstance((await turn)[-1], Failed)
        after = await said(speaker, "olga: are you there?")

    assert words(after) == SONNET


async def test_a_change_while_it_starts_holds_for_the_first_turn(tmp_path: Path) -> None:
    async with speaker_house(tmp_path, echo) as house:
        speaker = house.speaker()
        speaker.warm_up()
        await until(lambda: house.warm() == ["5e55"])
        speaker.change(Knobs(model="sonnet"))
        events = await said(speaker, "olga: hi")

    assert events[-1] == Answered()
    assert [request.model for request in house.api.model_requests] == [SONNET]


async def test_changes_in_quick_succession_end_in_the_last(tmp_path: Path) -> None:
    async with speaker_house(tmp_path, echo) as house:
        speaker = house.speaker()
        await said(speaker, "olga: one")
        for model in ("opus", "sonnet", "haiku"):
            speaker.change(Knobs(model=model))
        events = await said(speaker, "olga: two")

    assert events[-1] == Answered()
    assert house.api.model_requests[-1].model == HAIKU


async def test_the_permission_mode_reaches_the_model_with_its_tools(tmp_path: Path) -> None:
    async with speaker_house(tmp_path, echo) as house:
        speaker = house.speaker(knobs=Knobs(permission_mode=PermissionMode.PLAN))
        await said(speaker, "olga: one")
        plan = house.api.model_requests[-1]
        speaker.change(Knobs(permission_mode=PermissionMode.ACCEPT_EDITS))
        await said(speaker, "olga: two")
        edit = house.api.model_requests[-1]
        command = house.command_line()

    placeholder = {"DeferredToolPlaceholder"}
    assert "Plan mode is active" in plan.system_text
    assert set(plan.tools) - placeholder == {"Read", "Glob", "Grep"}
    assert set(edit.tools) - placeholder == {"Read", "Glob", "Grep", "Write", "Edit"}
    assert {"--restricted", "--permission-prompts=none"} <= set(command)


async def test_on_a_line_it_answers_as_on_the_phone_and_keeps_what_was_said(
    tmp_path: Path,
) -> None:
    async with speaker_house(tmp_path, echo) as house:
        speaker = house.speaker()
        await said(speaker, "olga: my cat is Tom")
        written = house.api.model_requests[-1]
        speaker.change(Knobs(is_spoken=True))
        await said(speaker, "olga: and my dog?")
        spoken = house.api.model_requests[-1]

    assert "a voice reads out what you write" in spoken.system_text
    assert "a voice reads out" not in written.system_text
    assert "olga: my cat is Tom" in spoken.user_texts


async def test_an_unknown_model_is_one_clear_sentence(tmp_path: Path) -> None:
    unknown = HttpError(404, "not_found_error", "model: gpt-7")
    async with speaker_house(tmp_path, lambda _: unknown) as house:
        events = await said(house.speaker(knobs=Knobs(model="gpt-7")), "olga: hi")

    assert events[-1] == Failed(
        "Claude has no model called `gpt-7`: choose another one with `/model`."
    )


async def test_an_effort_that_a_model_refuses_is_one_clear_sentence(tmp_path: Path) -> None:
    refused = HttpError(400, "invalid_request_error", "output_config.effort: not supported")
    async with speaker_house(tmp_path, lambda _: refused) as house:
        knobs = Knobs(model="haiku", effort="max")
        events = await said(house.speaker(knobs=knobs), "olga: hi")

    assert events[-1] == Failed(
        f"`{HAIKU}` cannot think with that effort: choose another one with `/effort`."
    )


async def test_an_effort_that_claude_does_not_know_is_told_and_left_out(tmp_path: Path) -> None:
    async with speaker_house(tmp_path, echo) as house:
        speaker = house.speaker(knobs=Knobs(effort="minimal"))
        first = await said(speaker, "olga: one")
        second = await said(speaker, "olga: two")
        command = house.command_line()

    remark = Warned("Claude knows no effort `minimal`; I use its own.")
    assert (remark in first, remark in second) == (True, False)
    assert not [word for word in command if word.startswith("--effort")]
