"""How a question looks, while it is open and afterwards. Pure."""

from collections.abc import Iterator

from bot.messenger import (
    Button,
    ButtonAction,
    Form,
    FormField,
    Menu,
    MenuOption,
    MessageContent,
)
from bot.questions.question import (
    MOST_BUTTONS,
    MOST_CHARACTERS,
    MOST_IN_A_MENU,
    Answer,
    CancelReason,
    Choice,
    End,
    FreeText,
    Question,
)
from bot.quoting import plain, quotation
from bot.wording import shortened

ANSWER_VERB = "answer"
"""Of a button that stands for a choice; its subject ends with the number of the choice."""
CHOOSE_VERB = "choose"
"""Of a menu; the subject of any but the first of a question ends with the menu's number."""
WRITE_VERB = "write_answer"
"""Of the button that opens the form."""
WRITTEN_VERB = "written_answer"
"""Of the form."""
TEXT_FIELD = "answer"

UNKNOWN = "That question is not known any more."
NOTHING_CHOSEN = "That cannot be chosen here."
NOTHING_WRITTEN = "There is nothing in your answer. Write something, or choose."

_ENDS = {
    CancelReason.EXPIRED: "Nobody answered in time.",
    CancelReason.WITHDRAWN: "This is not asked any more.",
    CancelReason.UNDELIVERABLE: "This could not be asked.",
    CancelReason.ABANDONED: "Papercup was restarted, so this is not asked any more.",
    CancelReason.STOPPED: "Papercup is just stopping. Try again in a minute.",
}
_NAME_LENGTH = 60
_WORDS_LENGTH = 500


def asked(question: Question) -> MessageContent:
    """Return an open question, with how long it can be answered."""
    apart = _choice_buttons(question, stand_apart=True)
    return MessageContent(
        text=_with_deadline(question),
        buttons=(
            *(() if _has_menus(question) else _choice_buttons(question, stand_apart=False)),
            *_write_button(question),
            *apart,
        ),
        menus=tuple(_menus(question)) if _has_menus(question) else (),
    )


def ended(question: Question, end: End) -> MessageContent:
    """Return a question that has ended: what was answered and by whom, or why nobody did."""
    tail = _answered(question, end) if isinstance(end, Answer) else f"-# ⌛ {_ENDS[end.reason]}"
    room = MOST_CHARACTERS - len(tail) - 1
    return MessageContent(text=f"{shortened(question.text, room)}\n{tail}")


def too_late(end: End) -> str:
    """Return what is said to somebody whose answer came after the question had ended."""
    match end:
        case Answer():
            return f"{plain(end.by.name, _NAME_LENGTH)} was first to answer that."
        case _:
            return _ENDS[end.reason]


def form_of(question_id: str, free_text: FreeText) -> Form:
    """Return the form in which an answer is written."""
    field = FormField(
        key=TEXT_FIELD,
        label=shortened(free_text.label, 45),
        is_long=free_text.is_long,
        placeholder=free_text.placeholder,
        value=free_text.prefill,
        longest=free_text.longest,
    )
    action = ButtonAction(verb=WRITTEN_VERB, subject=question_id)
    return Form(title=shortened(free_text.title, 45), action=action, fields=(field,))


def pressed_choice(subject: str) -> tuple[str, int] | None:
    """Return which choice, by its number, of which question a button stands for."""
    question_id, _, number = subject.rpartition(":")
    return (question_id, int(number)) if question_id and number.isdecimal() else None


def chosen_in(subject: str) -> str:
    """Return the id of the question to which a menu belongs."""
    return subject.partition(":")[0]


def _with_deadline(question: Question) -> str:
    if question.expires_at is None:
        return question.text
    # Discord counts down by itself.
    tail = f"-# ⌛ Closes <t:{int(question.expires_at)}:R>"
    return f"{shortened(question.text, MOST_CHARACTERS - len(tail) - 1)}\n{tail}"


def _has_menus(question: Question) -> bool:
    return len(_offered(question)) > MOST_BUTTONS


def _offered(question: Question) -> list[Choice]:
    return [choice for choice in question.choices if not choice.stands_apart]


def _choice_buttons(question: Question, *, stand_apart: bool) -> tuple[Button, ...]:
    return tuple(
        Button(
            label=choice.label,
            action=ButtonAction(verb=ANSWER_VERB, subject=f"{question.id}:{number}"),
            style=choice.style,
        )
        for number, choice in enumerate(question.choices)
        if choice.stands_apart == stand_apart
    )


def _write_button(question: Question) -> tuple[Button, ...]:
    if question.free_text is None:
        return ()
    action = ButtonAction(verb=WRITE_VERB, subject=question.id)
    return (Button(label=question.free_text.button, action=action),)


def _menus(question: Question) -> Iterator[Menu]:
    offered = _offered(question)
    for number, first in enumerate(range(0, len(offered), MOST_IN_A_MENU)):
        choices = offered[first : first + MOST_IN_A_MENU]
        options = tuple(
            MenuOption(label=choice.label, value=choice.value, description=choice.description)
            for choice in choices
        )
        subject = f"{question.id}:{number}" if number else question.id
        is_one = len(offered) <= MOST_IN_A_MENU
        yield Menu(
            action=ButtonAction(verb=CHOOSE_VERB, subject=subject),
            options=options,
            placeholder=None if is_one else f"{first + 1} to {first + len(choices)}",
        )


def _answered(question: Question, answer: Answer) -> str:
    by = plain(f"@{answer.by.name}", _NAME_LENGTH)
    if (choice := question.choice(answer.value)) is not None:
        mark = "🚫" if choice.stands_apart else "✅"
        return f"-# {mark} {plain(choice.label, 100)} · {by}"
    if answer.text is not None:
        return f"-# ✅ {by} wrote:\n{quotation(answer.text, _WORDS_LENGTH)}"
    return f"-# ✅ {by}"
