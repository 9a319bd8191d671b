"""What is asked on a line in the middle of something else."""

import asyncio

from bot.speaker.speaker import Answered, TextCame
from tests.fakes.line_house import USER, open_line_house
from tests.fakes.waiting import until


async def test_what_is_asked_while_nothing_is_answered_is_said_at_once() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        session_id = house.conversation.session.id
        house.lines.say(session_id, "Sure?")
        await until(lambda: house.pipeline.said[-1] == "Sure?")
        house.pipeline.trial = "Yes."
        assert await house.lines.heard_from(session_id, USER.id) == "Yes."


async def test_what_is_asked_in_the_middle_of_an_answer_does_not_wait_for_its_end() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        session_id = house.conversation.session.id
        house.pipeline.hears(USER.id, "delete the build")
        await until(lambda: bool(house.speaker.asked))
        house.speaker.events.put_nowait(TextCame("I do that."))
        await until(lambda: [one.text for one in house.pipeline.speeches] == ["I do that."])

        house.lines.say(session_id, "gate asks: Sure?")
        await until(lambda: house.pipeline.speeches[0].text.endswith("gate asks: Sure?\n\n"))
        house.speaker.events.put_nowait(TextCame("It is done."))
        house.speaker.events.put_nowait(Answered())
        await house.has_spoken("I do that.\n\ngate asks: Sure?\n\nIt is done.")
        # When the answer is whole, nothing can be put into it any more.
        house.lines.say(session_id, "And this?")
        await until(lambda: house.pipeline.said[-1] == "And this?")
        await house.is_idle()
        assert "gate asks" not in "".join(house.posted)


async def test_before_an_answer_has_begun_it_does_not_hold_a_question_up() -> None:
    async with open_line_house() as house:
        await house.pick_up()
        house.pipeline.hears(USER.id, "delete the build")
        await until(lambda: len(house.pipeline.speeches) == 1)
        house.lines.say(house.conversation.session.id, "gate asks: Sure?")
        await until(lambda: house.pipeline.said[-1] == "gate asks: Sure?")
        assert house.pipeline.speeches[0].text == ""


async def test_nobody_is_heard_any_more_when_the_line_closes() -> None:
    async with open_line_house() as house, asyncio.TaskGroup() as tasks:
        await house.pick_up()
        session_id = house.conversation.session.id
        house.pipeline.trial = None
        hearing = tasks.create_task(house.lines.heard_from(session_id, USER.id))
        await asyncio.sleep(0)
        await house.call("hangup")
        assert await hearing is None
        assert await house.lines.heard_from(session_id, USER.id) is None
        house.lines.say(session_id, "Sure?")
        assert "Sure?" not in house.pipeline.said
