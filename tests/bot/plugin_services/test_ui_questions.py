from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.access import Belonging, Person, Place
from bot.discord_io.components import view_of
from bot.plugin_services.ui_questions import (
    CUT,
    MOST_OPTIONS,
    Addressed,
    answer_of,
    is_askable,
    question_of,
    redacted,
)
from bot.questions.question import (
    Answer,
    Cancelled,
    CancelReason,
    Given,
    Question,
    TooManyQuestions,
)
from bot.questions.view import asked, form_of
from extensions.plugins.services import CANCELLED, Confirm, Input, Select, UiAnswer

ANNA = Person(id=1, name="anna")
TO = Addressed(
    place=Place(guild_id=10, channel_id=11),
    belonging=Belonging(person_id=1, guild_id=10),
    expires_at=1_780_000_000.0,
)


def of(request: Select | Confirm | Input) -> Question:
    return question_of("todo", request, TO, question_id="q1")


def pick(*options: str, prompt: str = "Which?") -> Select:
    return Select(prompt=prompt, options=options)


def test_few_options_are_buttons_and_many_are_menus_with_their_numbers() -> None:
    assert [one.label for one in asked(of(pick("a", "b"))).buttons] == ["a", "b", "Cancel"]
    content = asked(of(pick(*(f"option {n}" for n in range(60)))))

    assert [button.label for button in content.buttons] == ["Cancel"]
    assert [len(menu.options) for menu in content.menus] == [25, 25, 10]
    assert [menu.placeholder for menu in content.menus] == ["1 to 25", "26 to 50", "51 to 60"]
    assert [menu.action.subject for menu in content.menus] == ["q1", "q1:1", "q1:2"]


@pytest.mark.parametrize(
    "prompt",
    ["echo a\n" * 20 + "rm -r ~", "x" * 1501, "*" * 800 + " rm -r ~"],
    ids=["many lines", "many characters", "much to escape"],
)
def test_of_a_question_that_is_not_shown_to_its_end_it_is_said(prompt: str) -> None:
    assert CUT in of(Confirm(prompt=prompt)).text.split("\n")
    assert CUT in of(pick("a", prompt=prompt)).text.split("\n")


def test_of_one_that_is_nothing_is_said() -> None:
    for prompt in ("Sure?", "a\n\n\n" * 20, "x" * 1500, ""):
        assert CUT not in of(Confirm(prompt=prompt)).text


def test_options_that_look_alike_are_told_apart_by_their_numbers() -> None:
    long = "Deploy " + "x" * 80
    question = of(pick(f"{long}a", f"{long}b", ""))

    labels = [one.label for one in asked(question).buttons]
    assert [label[:9] for label in labels] == ["1. Deploy", "2. Deploy", "3.", "Cancel"]
    assert question.text.split("\n")[2].startswith("> 1\\. Deploy xxx")


def test_the_end_of_a_long_option_stands_below_it_in_a_menu() -> None:
    options = [f"/home/{'x' * 100}/{number}" for number in range(20)]
    (menu,) = asked(of(pick(*options))).menus

    assert menu.options[3].label.startswith("4. /home/xx")
    assert (menu.options[3].description or "").endswith("/3")


@pytest.mark.parametrize(
    ("request_", "end", "answer"),
    [
        (pick("a", "b"), Answer(question_id="q1", by=ANNA, value="1", at=1), UiAnswer(value="b")),
        (pick("a"), Answer(question_id="q1", by=ANNA, value="dismissed", at=1), CANCELLED),
        (
            Confirm(prompt=""),
            Answer(question_id="q1", by=ANNA, value="yes", at=1),
            UiAnswer(confirmed=True),
        ),
        (
            Confirm(prompt=""),
            Answer(question_id="q1", by=ANNA, value="no", at=1),
            UiAnswer(confirmed=False),
        ),
        (Input(prompt=""), Answer(question_id="q1", by=ANNA, text="x", at=1), UiAnswer(text="x")),
        (Confirm(prompt=""), Cancelled(question_id="q1", reason=CancelReason.EXPIRED), CANCELLED),
        (Confirm(prompt=""), TooManyQuestions(question_id="q1", limit=50), CANCELLED),
    ],
)
def test_the_plugin_is_told_what_was_answered(
    request_: Select | Confirm | Input,
    end: Answer | Cancelled | TooManyQuestions,
    answer: UiAnswer,
) -> None:
    assert answer_of(request_, end) == answer


def test_a_form_holds_the_default_and_takes_as_much_as_discord_does() -> None:
    question = of(Input(prompt="What is\nthe name?", default="x" * 5000))
    assert question.free_text is not None
    (field,) = form_of("q1", question.free_text).fields

    assert (field.label, len(field.value or ""), field.longest) == ("What is the name?", 4000, 4000)
    taken = question.taken(Given(by=ANNA, place=TO.place, text="y" * 5000))
    assert taken is not None
    assert len(taken.text or "") == 4000


def test_nothing_to_choose_from_cannot_be_asked_nor_too_much() -> None:
    assert not is_askable(pick())
    assert is_askable(pick(*map(str, range(MOST_OPTIONS))))
    assert not is_askable(pick(*map(str, range(MOST_OPTIONS + 1))))


@given(st.text(max_size=3000), st.lists(st.text(max_size=300), min_size=1, max_size=MOST_OPTIONS))
def test_whatever_is_asked_discord_would_take_it(prompt: str, options: list[str]) -> None:
    for request in (
        pick(*options, prompt=prompt),
        Confirm(prompt=prompt),
        Input(prompt=prompt, default=options[0]),
    ):
        content = asked(replace(of(request), id="x" * 60))
        assert len(content.text) <= 2000
        assert view_of(content) is not None
        assert len(content.menus) + -(-len(content.buttons) // 5) <= 5


def test_secrets_are_taken_out_of_all_that_is_shown() -> None:
    def redact(text: str) -> str:
        return text.replace("hunter2", "***")

    requests = (
        pick("hunter2", prompt="hunter2"),
        Confirm(prompt="hunter2"),
        Input(prompt="hunter2", default="hunter2"),
        Input(prompt="hunter2"),
    )
    assert all("hunter2" not in f"{redacted(request, redact)}" for request in requests)
