"""What a turn brings besides text, with the real `claude`."""

import os
import signal
from pathlib import Path

import pytest

from bot.speaker.speaker import (
    Answered,
    Image,
    SpeakerEvent,
    Spent,
    Thought,
    ToolFinished,
    ToolUsed,
)
from simulator.messages_api import Answer, ModelRequest, Say, Think, Tokens, Use, echo
from tests.fakes.speaker_house import said, speaker_house, words
from tests.fakes.waiting import until

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360f8cf500f000381017fa4cc3609"
    "0000000049454e44ae426082"
)


def spent(events: list[SpeakerEvent]) -> float:
    return sum(event.cost_usd for event in events if isinstance(event, Spent))


async def test_the_model_sees_the_images_of_a_turn_after_its_text(tmp_path: Path) -> None:
    async with speaker_house(tmp_path, echo) as house:
        image = Image(media_type="image/png", content=PNG)
        events = await said(house.speaker(), "olga: what is this?", [image])
        request = house.api.model_requests[-1]

    assert words(events) == "You said: olga: what is this?"
    (shown,) = request.last_images
    assert shown.media_type == "image/png"
    assert shown.content.startswith(b"\x89PNG")


async def test_images_are_shown_again_to_a_process_that_takes_over(tmp_path: Path) -> None:
    async with speaker_house(tmp_path, echo) as house:
        speaker = house.speaker()
        await said(speaker, "olga: one")
        os.kill(house.process_id(), signal.SIGKILL)
        image = Image(media_type="image/png", content=PNG)
        await said(speaker, "olga: two", [image])

    assert len(house.api.model_requests[-1].last_images) == 1


async def test_tools_and_thoughts_are_told_in_their_order(tmp_path: Path) -> None:
    thought = "I should look at the notes first of all. Then I shall see what is in there."

    def script(request: ModelRequest) -> Answer:
        match request.step:
            case 0:
                return Think(thought, Use("Read", {"file_path": str(notes)}))
            case 1:
                return Use("Grep", {"pattern": "milk", "path": "/etc"})
            case _:
                return Say("Milk.")

    async with speaker_house(tmp_path, script) as house:
        house.folder().mkdir(parents=True)
        notes = house.folder() / "notes.txt"
        notes.write_text("Buy milk.", encoding="utf-8")
        events = await said(house.speaker(), "olga: what is to buy?")

    told = [event for event in events if isinstance(event, ToolUsed | ToolFinished)]
    assert told == [
        ToolUsed("Read", "notes.txt"),
        ToolFinished("Read"),
        ToolUsed("Grep", "milk"),
        ToolFinished("Grep", is_error=True),
    ]
    assert "".join(event.text for event in events if isinstance(event, Thought)) == thought
    assert isinstance(events[0], Thought)


async def test_what_each_turn_cost_is_told_once_whatever_becomes_of_the_process(
    tmp_path: Path,
) -> None:
    def script(request: ModelRequest) -> Answer:
        is_dear = "dear" in request.last_user_text
        return Say("Fine.", tokens=Tokens(input_tokens=1000 if is_dear else 100))

    async with speaker_house(tmp_path, script, idle_seconds=0.1) as house:
        speaker = house.speaker()
        first = await said(speaker, "olga: cheap")
        await until(lambda: house.warm() == [])
        after_an_exit = await said(speaker, "olga: cheap")
        speaker.warm_up()
        await until(lambda: house.warm() == ["5e55"])
        os.kill(house.process_id(), signal.SIGKILL)
        after_a_kill = await said(speaker, "olga: dear")
        await house.close_speaker()
        elsewhere = house.speaker(claude_session_id=house.began[-1])
        later = await said(elsewhere, "olga: cheap")

    cheap, dear = 0.0006, 0.0042
    turns = [first, after_an_exit, after_a_kill, later]
    assert [spent(turn) for turn in turns] == pytest.approx([cheap, cheap, dear, cheap])
    assert [type(event) for event in first[-2:]] == [Spent, Answered]
