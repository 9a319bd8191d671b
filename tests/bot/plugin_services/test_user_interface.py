import asyncio
from collections.abc import Coroutine
from dataclasses import replace

import pytest

from bot.access import Belonging, Place
from bot.messenger import MessengerError
from bot.plugin_services.ui_parts import confirms_itself
from bot.plugin_services.ui_questions import Addressed, question_of
from bot.plugin_services.user_interface import MESSAGES_A_MINUTE, MOST_OPEN_QUESTIONS
from bot.questions.question import Given
from extensions.hooks import NOWHERE, Occasion
from extensions.plugins.services import (
    CANCELLED,
    AuditKind,
    Confirm,
    Input,
    Notify,
    Select,
    SetStatus,
    SetTitle,
    SetWidget,
    Severity,
    UiAnswer,
)
from tests.fakes.messenger import DIRECT
from tests.fakes.plugin_ui import ANNA, ANNAS_TURN, BOB, HERE, OWNER, UiWorld
from tests.fakes.virtual_clock import run_on_virtual_clock

COLORS = Select(prompt="Which color?", options=("red", "green"))
SURE = Confirm(prompt="Sure?")
NAME = Input(prompt="What name?", default="milk")


def run(work: Coroutine[None, None, None]) -> None:
    run_on_virtual_clock(work)


def test_a_choice_is_made_with_buttons_and_the_plugin_is_told_its_own_words() -> None:
    async def story() -> None:
        world = UiWorld()
        async with world.bot() as bot:
            asking = bot.ask(COLORS)
            await asyncio.sleep(1)
            assert (
                bot.shown.text == "❔ **todo** asks <@1>:\n> Which color?\n-# ⌛ Closes <t:120:R>"
            )
            assert [button.label for button in bot.shown.buttons] == ["red", "green", "Cancel"]
            assert await bot.press("green") is None
            assert await asking == UiAnswer(value="green")
            await asyncio.sleep(1)
            assert bot.shown.text == "❔ **todo** asks <@1>:\n> Which color?\n-# ✅ green · @anna"
            assert bot.shown.buttons == ()

    run(story())


@pytest.mark.parametrize(("label", "confirmed"), [("Yes", True), ("No", False)])
def test_a_confirmation_is_one_of_two_buttons(label: str, *, confirmed: bool) -> None:
    async def story() -> None:
        async with UiWorld().bot() as bot:
            asking = bot.ask(SURE)
            await asyncio.sleep(1)
            assert [button.label for button in bot.shown.buttons] == ["Yes", "No"]
            await bot.press(label)
            assert await asking == UiAnswer(confirmed=confirmed)

    run(story())


def test_words_are_written_in_a_form_in_which_the_default_stands() -> None:
    async def story() -> None:
        async with UiWorld().bot() as bot:
            asking = bot.ask(NAME)
            await asyncio.sleep(1)
            assert [button.label for button in bot.shown.buttons] == ["Answer…", "Cancel"]
            question_id = bot.shown.buttons[0].action.subject
            form = bot.asker.form_for(question_id, ANNA, HERE)
            assert form is not None
            (field,) = form.fields
            assert (form.title, field.label, field.value) == ("todo", "What name?", "milk")
            await bot.asker.answered(question_id, Given(by=ANNA, place=HERE, text="oat milk"))
            assert await asking == UiAnswer(text="oat milk")

    run(story())


def test_whoever_does_not_want_to_answer_cancels() -> None:
    async def story() -> None:
        async with UiWorld().bot() as bot:
            asking = bot.ask(COLORS)
            await asyncio.sleep(1)
            await bot.press("Cancel")
            assert await asking == CANCELLED
            await asyncio.sleep(1)
            assert bot.shown.text.endswith("-# 🚫 Cancel · @anna")

    run(story())


def test_only_the_person_for_whom_the_plugin_works_may_answer_and_the_owner() -> None:
    async def story() -> None:
        async with UiWorld().bot() as bot:
            asking = bot.ask(SURE)
            await asyncio.sleep(1)
            assert "somebody else's" in (await bot.press("Yes", by=BOB) or "")
            assert not asking.done()
            assert await bot.press("No", by=OWNER) is None
            assert await bot.press("Yes") == "olga was first to answer that."
            assert await asking == UiAnswer(confirmed=False)

    run(story())


def test_what_nobody_answers_in_time_is_cancelled_and_its_message_says_so() -> None:
    async def story() -> None:
        async with UiWorld().bot() as bot:
            asking = bot.ask(SURE)
            assert await asking == CANCELLED
            assert asyncio.get_running_loop().time() == pytest.approx(120)
            await asyncio.sleep(1)
            assert bot.shown.text.endswith("-# ⌛ Nobody answered in time.")

    run(story())


@pytest.mark.parametrize(("within_seconds", "closes_at"), [(30.0, 30), (0.0, 0), (500.0, 120)])
def test_a_question_closes_no_later_than_its_answer_is_of_use(
    within_seconds: float, closes_at: int
) -> None:
    async def story() -> None:
        async with UiWorld().bot() as bot:
            asking = bot.ask(SURE, within_seconds=within_seconds)
            assert await asking == CANCELLED
            assert asyncio.get_running_loop().time() == pytest.approx(closes_at)
            await asyncio.sleep(1)
            if closes_at:
                first = bot.newest.versions[0]
                assert first.text.endswith(f"-# ⌛ Closes <t:{closes_at}:R>")
                assert bot.shown.text.endswith("-# ⌛ Nobody answered in time.")

    run(story())


def test_a_question_whose_plugin_does_not_wait_any_longer_is_withdrawn() -> None:
    async def story() -> None:
        async with UiWorld().bot() as bot:
            asking = bot.ask(SURE)
            await asyncio.sleep(1)
            asking.cancel()
            await asyncio.sleep(1)
            assert bot.shown.text.endswith("-# ⌛ This is not asked any more.")
            assert await bot.press("Yes") == "This is not asked any more."

    run(story())


def test_after_a_restart_the_message_says_that_it_is_not_asked_any_more() -> None:
    async def story() -> None:
        world = UiWorld()
        async with world.bot() as bot:
            # As a bot leaves it that is killed: nobody withdraws it.
            belonging = Belonging(person_id=ANNA.id, guild_id=10)
            to = Addressed(place=HERE, belonging=belonging, expires_at=120.0)
            await bot.asker.pose(question_of("todo", SURE, to, question_id="plugin-1"))
            await asyncio.sleep(1)
            assert bot.shown.buttons
        async with world.bot() as bot:
            await asyncio.sleep(1)
            restarted = "Papercup was restarted, so this is not asked any more."
            assert bot.shown.text.endswith(f"-# ⌛ {restarted}")
            assert bot.shown.buttons == ()
            assert await bot.press("Yes") == restarted

    run(story())


def test_a_confirmation_that_is_given_by_itself_is_audited_and_nobody_is_asked() -> None:
    async def story() -> None:
        world = UiWorld(confirms_itself=True)
        async with world.bot() as bot:
            assert await bot.ask(SURE) == UiAnswer(confirmed=True)
            assert world.messenger.messages == []
            assert world.audit.notes == [(AuditKind.AUTO_ANSWERED, "todo", "yes to: Sure?")]
            asking = bot.ask(COLORS)
            await asyncio.sleep(1)
            assert not asking.done()

    run(story())


def test_the_environment_says_whether_confirmations_are_given_by_themselves() -> None:
    assert confirms_itself({"SMOOTH_AUTO_MODE": "bypass"})
    assert not confirms_itself({"SMOOTH_AUTO_MODE": "ask"})
    assert not confirms_itself({})


def test_what_a_plugin_asks_for_nobody_goes_to_the_last_place_that_it_reached() -> None:
    async def story() -> None:
        world = UiWorld()
        async with world.bot() as bot:
            await bot.ask(Notify(message="one"))
        async with world.bot() as bot:
            asking = bot.ask(SURE, NOWHERE)
            await asyncio.sleep(1)
            assert bot.newest.ref.channel_id == HERE.channel_id
            await bot.press("Yes")
            assert await asking == UiAnswer(confirmed=True)

    run(story())


def test_where_no_place_is_known_the_owner_is_written_to() -> None:
    async def story() -> None:
        world = UiWorld()
        async with world.bot() as bot:
            assert await bot.ask(Notify(message="up"), NOWHERE) == UiAnswer()
            assert bot.newest.ref.channel_id == DIRECT + OWNER.id
            of_person = Occasion(person_id=ANNA.id)
            assert await bot.ask(Notify(message="hi"), of_person) == UiAnswer()
            assert bot.newest.ref.channel_id == DIRECT + ANNA.id

    run(story())


def test_where_nobody_can_be_reached_it_is_cancelled(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        world = UiWorld(owner_ids=set())
        async with world.bot() as bot:
            assert await bot.ask(SURE, NOWHERE) == CANCELLED
            world.owner_ids = {9}
            world.messenger.unreachable_people = {9}
            assert await bot.ask(SURE, NOWHERE) == CANCELLED
            world.messenger.closed_channels = {HERE.channel_id}
            assert await bot.ask(SURE) == CANCELLED
            assert await bot.ask(Notify(message="hi")) == CANCELLED

    caplog.set_level("INFO")
    run(story())
    assert "there is nobody to reach" in caplog.text
    assert "no mutual servers" in caplog.text


def test_an_outage_of_discord_lasts_no_longer_than_the_time_for_answers() -> None:
    async def story() -> None:
        world = UiWorld()
        world.messenger.failures = [MessengerError("no connection")] * 1000
        async with world.bot() as bot:
            assert await bot.ask(SURE) == CANCELLED
            assert asyncio.get_running_loop().time() <= 125

    run(story())


def test_a_message_of_a_plugin_says_whose_words_it_holds() -> None:
    async def story() -> None:
        async with UiWorld().bot() as bot:
            await bot.ask(Notify(message="Done: **3** of 3 @everyone"))
            assert bot.shown.text == "💬 **todo**: Done: \\*\\*3\\*\\* of 3 @\u200beveryone"
            assert bot.shown.is_silent
            await bot.ask(Notify(message="two\nlines", severity=Severity.ERROR))
            assert bot.shown.text == "❌ **todo**\n> two\n> lines"
            assert not bot.shown.is_silent

    run(story())


def test_status_and_widgets_of_a_plugin_are_one_card_in_a_place() -> None:
    async def story() -> None:
        world = UiWorld()
        async with world.bot() as bot:
            widget = {
                "kind": "widget",
                "widget_id": "list",
                "body": {"kind": "markdown", "text": "☐ milk"},
                "keybindings": [{"key": "a", "description": "Add"}],
            }
            assert await bot.ask(SetWidget(widget=widget)) == UiAnswer()
            assert await bot.ask(SetStatus(status="1 open")) == UiAnswer()
            elsewhere = replace(ANNAS_TURN, channel_id=12)
            await bot.ask(SetStatus(status="none"), elsewhere)
            here, again, there = world.cards.shown
            assert here.key == again.key != there.key
            assert again.content.text == "🧩 **todo** · 1 open\n>>> ☐ milk"
            assert [button.label for button in again.content.buttons] == ["Add"]
            assert there.place == Place(guild_id=10, channel_id=12)

            await bot.ask(SetWidget(widget={**widget, "keybindings": [], "body": {}}))
            await bot.ask(SetStatus(status=""))
            assert world.cards.withdrawn == [("plugin", again.subject)]

    run(story())


def test_a_widget_that_cannot_be_drawn_is_its_text_or_else_is_refused() -> None:
    async def story() -> None:
        world = UiWorld()
        async with world.bot() as bot:
            unknown = {"kind": "chart", "values": [1]}
            assert await bot.ask(SetWidget(widget={**unknown, "text": "one"})) == UiAnswer()
            assert world.cards.shown[-1].content.text == "🧩 **todo**\n>>> one"

            answer = await bot.ask(SetWidget(widget=unknown))
            assert answer.wrong is not None
            assert answer.wrong.startswith("widget: kind has to be one of markdown, keyvalue, ")
            assert len(world.cards.shown) == 1

            assert await bot.ask(SetWidget(widget={})) == UiAnswer()
            assert world.cards.withdrawn == [("plugin", world.cards.shown[0].subject)]

    run(story())


def test_what_is_drawn_too_fast_waits_and_the_last_one_comes_last() -> None:
    async def story() -> None:
        world = UiWorld()
        async with world.bot() as bot:
            drawing = [bot.ask(SetStatus(status=f"{n}")) for n in range(100)]
            await asyncio.sleep(0.99)
            assert len(world.cards.shown) == 20
            await asyncio.sleep(5)
            assert [task.result() for task in drawing] == [UiAnswer()] * 100
            assert world.cards.shown[-1].content.text == "🧩 **todo** · 99"

    run(story())


def test_a_title_is_given_where_the_plugin_works() -> None:
    async def story() -> None:
        world = UiWorld()
        async with world.bot() as bot:
            assert await bot.ask(SetTitle(title="Shopping")) == UiAnswer()
            assert world.titles.wanted == [("Shopping", ANNAS_TURN)]
            world.titles.is_taken = False
            assert await bot.ask(SetTitle(title="…")) == CANCELLED

    run(story())


def test_a_plugin_cannot_flood_a_place(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        world = UiWorld()
        async with world.bot() as bot:
            told = [await bot.ask(Notify(message=str(n))) for n in range(MESSAGES_A_MINUTE + 9)]
            assert told == [UiAnswer()] * MESSAGES_A_MINUTE + [CANCELLED] * 9
            assert await bot.ask(Notify(message="?"), by="other") == UiAnswer()
            assert await bot.ask(SetStatus(status="still shown")) == UiAnswer()
            await asyncio.sleep(60)
            assert await bot.ask(Notify(message="again")) == UiAnswer()

    run(story())
    assert caplog.text.count("messages a minute") == 1


def test_a_plugin_asks_only_so_much_at_once() -> None:
    async def story() -> None:
        async with UiWorld().bot() as bot:
            asking = [bot.ask(SURE) for _ in range(MOST_OPEN_QUESTIONS + 1)]
            other = bot.ask(SURE, by="other")
            await asyncio.sleep(1)
            assert [each.done() for each in asking] == [False] * MOST_OPEN_QUESTIONS + [True]
            assert asking[-1].result() == CANCELLED
            assert not other.done()
            await bot.press("Yes")
            await asyncio.sleep(200)
            assert all(each.done() for each in asking)
            again = bot.ask(SURE)
            await asyncio.sleep(1)
            assert not again.done()

    run(story())


@pytest.mark.parametrize("options", [(), tuple(map(str, range(100)))])
def test_a_choice_of_nothing_or_too_much_is_cancelled(options: tuple[str, ...]) -> None:
    async def story() -> None:
        async with UiWorld().bot() as bot:
            assert await bot.ask(Select(prompt="Which?", options=options)) == CANCELLED

    run(story())


def test_secrets_are_taken_out_and_the_plugin_is_told_its_own_words_all_the_same() -> None:
    async def story() -> None:
        world = UiWorld()
        async with world.bot() as bot:
            asking = bot.ask(Select(prompt="Use hunter2?", options=("hunter2", "none")))
            await asyncio.sleep(1)
            assert "hunter2" not in f"{bot.shown}"
            await bot.press("***")
            assert await asking == UiAnswer(value="hunter2")
            await bot.ask(Notify(message="it is hunter2"))
            await bot.ask(SetStatus(status="hunter2"))
            await bot.ask(SetWidget(widget={"kind": "markdown", "text": "hunter2"}))
            await bot.ask(SetTitle(title="hunter2"))
            assert "hunter2" not in f"{bot.shown}{world.cards.shown}{world.titles.wanted}"

    run(story())


def test_what_breaks_is_logged_and_cancelled(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        world = UiWorld()
        async with world.bot() as bot:
            world.database.connection.close()
            assert await bot.ask(SURE) == CANCELLED

    run(story())
    assert "people could not be reached" in caplog.text
