import asyncio
from collections.abc import Coroutine

import pytest

from extensions.plugins.services import CANCELLED, Confirm, Input, Notify, Select, UiAnswer
from tests.fakes.plugin_ui import ANNA, BOB, HERE, UiWorld
from tests.fakes.virtual_clock import run_on_virtual_clock

SURE = Confirm(prompt="Delete the build?")
ASKED = "todo asks: Delete the build? Yes or no?"


def run(work: Coroutine[None, None, None]) -> None:
    run_on_virtual_clock(work)


def on_a_line() -> UiWorld:
    world = UiWorld()
    world.lines.place, world.lines.present = HERE, [BOB, ANNA]
    return world


def test_what_is_asked_on_a_line_is_answered_aloud() -> None:
    async def story() -> None:
        world = on_a_line()
        async with world.bot() as bot:
            asking = bot.ask(SURE)
            await asyncio.sleep(1)
            assert world.lines.said == [ASKED]
            assert world.lines.listening_to == [ANNA.id]
            world.lines.words.put_nowait("Yes, please.")
            assert await asking == UiAnswer(confirmed=True)
            await asyncio.sleep(1)
            assert bot.shown.text.endswith("-# ✅ Yes · @anna")

    run(story())


def test_a_button_that_comes_first_counts_and_nothing_more_is_listened_to() -> None:
    async def story() -> None:
        world = on_a_line()
        async with world.bot() as bot:
            asking = bot.ask(SURE)
            await asyncio.sleep(1)
            await bot.press("No")
            assert await asking == UiAnswer(confirmed=False)
            assert world.lines.listening_to == []

    run(story())


def test_what_was_not_understood_is_asked_again_and_then_left_to_the_buttons() -> None:
    async def story() -> None:
        world = on_a_line()
        async with world.bot() as bot:
            asking = bot.ask(SURE)
            for _ in range(3):
                world.lines.words.put_nowait("What is that?")
            await asyncio.sleep(1)
            assert world.lines.said == [
                ASKED,
                *["I did not get that. Yes or no?"] * 2,
                "I did not get that. Please answer in the chat.",
            ]
            assert world.lines.listening_to == []
            await bot.press("Yes")
            assert await asking == UiAnswer(confirmed=True)

    run(story())


def test_a_choice_is_read_out_and_taken_by_number_or_name() -> None:
    async def story() -> None:
        world = on_a_line()
        async with world.bot() as bot:
            request = Select(prompt="Where to?", options=("Staging", "Production"))
            for said, value in (("Number two.", "Production"), ("staging please", "Staging")):
                asking = bot.ask(request)
                await asyncio.sleep(1)
                world.lines.words.put_nowait(said)
                assert await asking == UiAnswer(value=value)
            asking = bot.ask(request)
            await asyncio.sleep(1)
            world.lines.words.put_nowait("Never mind.")
            assert await asking == CANCELLED
            assert world.lines.said[0] == "todo asks: Where to? 1: Staging. 2: Production."

    run(story())


def test_words_are_asked_for_aloud_and_written() -> None:
    async def story() -> None:
        world = on_a_line()
        async with world.bot() as bot:
            asking = bot.ask(Input(prompt="What name?"))
            await asyncio.sleep(1)
            assert world.lines.said == ["todo asks: What name? Write your answer in the chat."]
            assert not asking.done()
            assert world.lines.listening_to == []

    run(story())


@pytest.mark.parametrize("is_elsewhere", [True, False])
def test_nothing_is_asked_aloud_where_the_person_is_not(*, is_elsewhere: bool) -> None:
    async def story() -> None:
        world = on_a_line()
        if is_elsewhere:
            world.lines.place = None
        else:
            world.lines.present = [BOB]
        async with world.bot() as bot:
            asking = bot.ask(SURE)
            await asyncio.sleep(1)
            assert world.lines.said == []
            await bot.press("Yes")
            assert await asking == UiAnswer(confirmed=True)

    run(story())


def test_questions_are_asked_aloud_one_after_the_other() -> None:
    async def story() -> None:
        world = on_a_line()
        async with world.bot() as bot:
            first = bot.ask(SURE)
            await asyncio.sleep(1)
            second = bot.ask(Confirm(prompt="And this?"), by="other")
            await asyncio.sleep(1)
            assert world.lines.said == [ASKED]
            world.lines.words.put_nowait("no")
            assert await first == UiAnswer(confirmed=False)
            await asyncio.sleep(1)
            assert world.lines.said == [ASKED, "other asks: And this? Yes or no?"]
            world.lines.words.put_nowait("yes")
            assert await second == UiAnswer(confirmed=True)

    run(story())


def test_a_line_that_closes_or_breaks_leaves_the_buttons(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        world = on_a_line()
        async with world.bot() as bot:
            asking = bot.ask(SURE)
            world.lines.words.put_nowait(None)
            await asyncio.sleep(1)
            assert not asking.done()
            world.lines.fault = RuntimeError("the mouth broke")
            other = bot.ask(SURE, by="other")
            await bot.ask(Notify(message="hi"), by="other")
            await asyncio.sleep(1)
            assert not other.done()

    run(story())
    assert "a question could not be asked aloud" in caplog.text
    assert "a notification could not be spoken" in caplog.text


def test_what_a_plugin_tells_people_is_spoken_in_a_pause_and_the_speaker_knows_of_it() -> None:
    async def story() -> None:
        world = on_a_line()
        async with world.bot() as bot:
            assert await bot.ask(Notify(message="Tea is ready")) == UiAnswer()
            await asyncio.sleep(1)
            assert bot.shown.text == "💬 **todo**: Tea is ready"
            assert world.lines.announced == ["todo says: Tea is ready."]
            assert world.lines.notes == [
                '[You have just said on the line, for a plugin: "todo says: Tea is ready."]'
            ]

    run(story())


def test_what_finds_no_pause_is_only_written_and_so_is_what_is_too_much() -> None:
    async def story() -> None:
        world = on_a_line()
        world.lines.pause.clear()
        async with world.bot() as bot:
            for number in range(5):
                assert await bot.ask(Notify(message=f"{number}")) == UiAnswer()
            await asyncio.sleep(100)
            world.lines.pause.set()
            await bot.ask(Notify(message="now"))
            await asyncio.sleep(1)
            assert world.lines.announced == ["todo says: now."]

    run(story())
