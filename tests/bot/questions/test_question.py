from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.access import Belonging, Person, Place
from bot.discord_io.custom_id import custom_id_of
from bot.messenger import ButtonAction, MessageContent
from bot.questions.question import (
    Answer,
    Cancelled,
    CancelReason,
    Choice,
    FreeText,
    Given,
    Question,
)
from bot.questions.view import asked, chosen_in, ended, form_of, pressed_choice, too_late

HERE = Place(guild_id=10, channel_id=11)
ANNA = Person(id=1, name="anna")
YES, NO = Choice(value="y", label="Yes"), Choice(value="n", label="No")
QUESTION = Question(
    id="q1",
    purpose="color",
    subject="8d08ba4f",
    text="Shall I?",
    place=HERE,
    choices=(YES, NO),
    belonging=Belonging(person_id=1, guild_id=10),
)
WRITABLE = replace(QUESTION, free_text=FreeText(longest=5))


def given_by_anna(**what: Any) -> Given:
    return Given(by=ANNA, place=HERE, **what)


def many(count: int) -> tuple[Choice, ...]:
    return tuple(Choice(value=str(n), label=f"No. {n}") for n in range(count))


def test_up_to_five_choices_are_buttons_and_words_are_one_more() -> None:
    content = asked(replace(WRITABLE, choices=many(5)))

    assert [button.label for button in content.buttons] == [
        *(f"No. {n}" for n in range(5)),
        "Other…",
    ]
    assert content.menus == ()


def test_more_choices_are_a_menu() -> None:
    content = asked(replace(WRITABLE, choices=many(25)))

    assert [button.label for button in content.buttons] == ["Other…"]
    (menu,) = content.menus
    assert [option.value for option in menu.options] == [str(n) for n in range(25)]
    assert menu.action == ButtonAction(verb="choose", subject="q1")


def test_so_many_choices_that_they_need_several_menus_are_counted() -> None:
    content = asked(replace(QUESTION, choices=many(100)))

    assert [len(menu.options) for menu in content.menus] == [25] * 4
    assert content.menus[3].placeholder == "76 to 100"
    assert [chosen_in(menu.action.subject) for menu in content.menus] == ["q1"] * 4
    assert len({menu.action for menu in content.menus}) == 4


def test_a_choice_that_stands_apart_is_a_button_below_all_others() -> None:
    none = Choice(value="x", label="None", stands_apart=True)
    few = asked(replace(WRITABLE, choices=(none, *many(5))))
    many_more = asked(replace(WRITABLE, choices=(*many(6), none)))

    assert [button.label for button in few.buttons][-3:] == ["No. 4", "Other…", "None"]
    assert pressed_choice(few.buttons[-1].action.subject) == ("q1", 0)
    assert [button.label for button in many_more.buttons] == ["Other…", "None"]
    assert pressed_choice(many_more.buttons[-1].action.subject) == ("q1", 6)
    answer = Answer(question_id="q1", by=ANNA, value="x", at=1.0)
    assert ended(replace(QUESTION, choices=(YES, none)), answer).text.endswith("-# 🚫 None · @anna")


def test_an_open_question_that_closes_says_when() -> None:
    closing = replace(QUESTION, expires_at=1_780_000_000.5)

    assert asked(closing).text == "Shall I?\n-# ⌛ Closes <t:1780000000:R>"
    assert len(asked(replace(closing, text="x" * 2000)).text) == 2000
    answer = Answer(question_id="q1", by=ANNA, value="y", at=1.0)
    assert ended(closing, answer).text == "Shall I?\n-# ✅ Yes · @anna"


def test_every_id_fits_into_a_button() -> None:
    question = replace(WRITABLE, id="x" * 60)
    for content in (asked(question), asked(replace(question, choices=many(100)))):
        actions = [button.action for button in content.buttons]
        actions += [menu.action for menu in content.menus]
        assert all(len(custom_id_of(action)) <= 100 for action in actions)
    assert len(custom_id_of(form_of(question.id, FreeText()).action)) <= 100


def test_a_button_tells_its_choice() -> None:
    subjects = [button.action.subject for button in asked(QUESTION).buttons]

    assert [pressed_choice(subject) for subject in subjects] == [("q1", 0), ("q1", 1)]
    assert pressed_choice("q1") is None
    assert pressed_choice("q1:x") is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": ""},
        {"id": "a b"},
        {"id": "x" * 61},
        {"purpose": "Permission!"},
        {"text": ""},
        {"text": "x" * 2001},
        {"choices": ()},
        {"choices": many(101)},
        {"choices": (YES, YES)},
        {"actions": ()},
    ],
)
def test_what_cannot_be_asked_cannot_be_made(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="question"):
        replace(QUESTION, **wrong)


@pytest.mark.parametrize(
    ("value", "label"), [("", "a"), ("a", ""), ("x" * 101, "a"), ("a", "x" * 81)]
)
def test_what_nobody_can_be_offered_cannot_be_made(value: str, label: str) -> None:
    with pytest.raises(ValueError, match="offered"):
        Choice(value=value, label=label)


def test_an_answer_is_one_of_the_choices_or_words_if_those_are_taken() -> None:
    assert WRITABLE.taken(given_by_anna(number=1)) == given_by_anna(value="n")
    assert WRITABLE.taken(given_by_anna(value="y")) == given_by_anna(value="y")
    assert WRITABLE.taken(given_by_anna(text=" perhaps ")) == given_by_anna(text="perha")
    assert WRITABLE.taken(given_by_anna(number=2)) is None
    assert WRITABLE.taken(given_by_anna(value="x")) is None
    assert WRITABLE.taken(given_by_anna(text="  ")) is None
    assert QUESTION.taken(given_by_anna(text="perhaps")) is None


def test_an_answered_question_shows_what_was_answered_and_by_whom_and_has_no_button() -> None:
    by_choice = Answer(question_id="q1", by=ANNA, value="y", at=1.0)
    in_words = Answer(question_id="q1", by=ANNA, text="*if* you must\nplease", at=1.0)

    assert ended(QUESTION, by_choice) == MessageContent(text="Shall I?\n-# ✅ Yes · @anna")
    assert ended(QUESTION, in_words).text == (
        "Shall I?\n-# ✅ @anna wrote:\n> \\*if\\* you must\n> please"
    )


def test_a_question_that_nobody_answered_says_why() -> None:
    texts = {
        reason: ended(QUESTION, Cancelled(question_id="q1", reason=reason)).text
        for reason in (CancelReason.EXPIRED, CancelReason.WITHDRAWN)
    }

    assert texts == {
        CancelReason.EXPIRED: "Shall I?\n-# ⌛ Nobody answered in time.",
        CancelReason.WITHDRAWN: "Shall I?\n-# ⌛ This is not asked any more.",
    }


def test_who_comes_too_late_is_told_who_was_first() -> None:
    assert too_late(Answer(question_id="q1", by=ANNA, value="y", at=1.0)) == (
        "anna was first to answer that."
    )
    expired = Cancelled(question_id="q1", reason=CancelReason.EXPIRED)
    assert too_late(expired) == "Nobody answered in time."


@given(st.text(min_size=1, max_size=2000), st.text(max_size=3000), st.text(max_size=100))
def test_whatever_is_asked_and_written_fits_into_a_message_and_mentions_nobody(
    text: str, written: str, name: str
) -> None:
    by = Person(id=1, name=name)
    shown = ended(
        replace(WRITABLE, text=text), Answer(question_id="q1", by=by, text=written, at=1.0)
    ).text

    assert len(shown) <= 2000
