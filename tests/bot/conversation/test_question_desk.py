import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import replace

from bot.conversation.incoming import ButtonPress
from bot.conversation.question_desk import QuestionDesk
from bot.messenger import ButtonAction, MessageContent
from bot.questions.question import FreeText
from bot.questions.view import UNKNOWN
from tests.bot.questions.test_asker import STRANGER, World
from tests.bot.questions.test_question import ANNA, HERE, QUESTION, many
from tests.fakes.virtual_clock import run_on_virtual_clock


def run(work: Coroutine[None, None, None]) -> None:
    run_on_virtual_clock(work)


async def do(desk: QuestionDesk, press: ButtonPress) -> str | None:
    """Return what the person is told."""
    content: MessageContent | None = await desk.offer().buttons[press.action.verb](press)
    return None if content is None else content.text


def press_of(
    action: ButtonAction, *, chosen: tuple[str, ...] = (), filled: Mapping[str, str] | None = None
) -> ButtonPress:
    return ButtonPress(
        action=action, message=None, person=ANNA, place=HERE, chosen=chosen, filled=filled or {}
    )


def test_a_button_answers_and_the_person_is_told_nothing_else() -> None:
    async def story() -> None:
        world = World()
        async with world.bot() as asker:
            await asker.pose(QUESTION)
            await asyncio.sleep(1)
            buttons = world.messenger.messages[0].versions[-1].buttons
            told = await do(QuestionDesk(asker), press_of(buttons[1].action))
            await asyncio.sleep(1)
        assert told is None
        assert [answer.value for _, answer in world.handled] == ["n"]

    run(story())


def test_a_menu_answers() -> None:
    async def story() -> None:
        world = World()
        async with world.bot() as asker:
            await asker.pose(replace(QUESTION, choices=many(6)))
            await asyncio.sleep(1)
            (menu,) = world.messenger.messages[0].versions[-1].menus
            desk = QuestionDesk(asker)
            assert await do(desk, press_of(menu.action)) is not None
            assert await do(desk, press_of(menu.action, chosen=("none of them",))) is not None
            assert await do(desk, press_of(menu.action, chosen=("5",))) is None
            await asyncio.sleep(1)
        assert [answer.value for _, answer in world.handled] == ["5"]

    run(story())


def test_the_second_menu_of_a_question_answers_it_too() -> None:
    async def story() -> None:
        world = World()
        async with world.bot() as asker:
            await asker.pose(replace(QUESTION, choices=many(30)))
            await asyncio.sleep(1)
            _, menu = world.messenger.messages[0].versions[-1].menus
            press = press_of(menu.action, chosen=("29",))
            assert await do(QuestionDesk(asker), press) is None
            await asyncio.sleep(1)
        assert [answer.value for _, answer in world.handled] == ["29"]

    run(story())


def test_a_form_opens_for_whoever_may_answer_and_takes_words() -> None:
    async def story() -> None:
        world = World()
        async with world.bot() as asker:
            await asker.pose(replace(QUESTION, free_text=FreeText()))
            await asyncio.sleep(1)
            desk = QuestionDesk(asker)
            *_, other = world.messenger.messages[0].versions[-1].buttons
            press = press_of(other.action)
            opens = desk.offer().forms[other.action.verb]
            by_stranger = replace(press, person=STRANGER)
            assert opens(by_stranger) is None
            assert "list" in (await do(desk, by_stranger) or "")
            form = opens(press)
            assert form is not None
            filled = {form.fields[0].key: "neither"}
            assert await do(desk, press_of(form.action, filled=filled)) is None
            await asyncio.sleep(1)
        assert [answer.text for _, answer in world.handled] == ["neither"]

    run(story())


def test_a_button_that_was_never_made_is_not_known() -> None:
    async def story() -> None:
        async with World().bot() as asker:
            desk = QuestionDesk(asker)
            for subject in ("q1", "q1:", "q1:-1", "q1:9", ":0"):
                action = ButtonAction(verb="answer", subject=subject)
                assert await do(desk, press_of(action)) == UNKNOWN

    run(story())
