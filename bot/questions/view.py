"""How a question looks, while it is open and afterwards. Pure."""

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
    Answer,
    CancelReason,
    End,
    FreeText,
    Question,
)
from bot.quoting import plain, quotation
from bot.wording import shortened

ANSWER_VERB = "answer"
"""Of a button that stands for a choice; its subject ends with the number of the choice."""
CHOOSE_VERB = "choose"
"""Of a menu."""
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
    CancelReason.STOPPED: "Papercup is just stopping. Try again in a minute.",
}
_NAME_LENGTH = 60
_WORDS_LENGTH = 500


def asked(question: Question) -> MessageContent:
    """Return an open question."""
    is_menu = len(question.choices) > MOST_BUTTONS
    return MessageContent(
        text=question.text,
        buttons=(*(() if is_menu else _choice_buttons(question)), *_write_button(question)),
        menus=(_menu(question),) if is_menu else (),
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
        longest=free_text.longest,
    )
    action = ButtonAction(verb=WRITTEN_VERB, subject=question_id)
    return Form(title=shortened(free_text.title, 45), action=action, fields=(field,))


def pressed_choice(subject: str) -> tuple[str, int] | None:
    """Return which choice, by its number, of which question a button stands for."""
    question_id, _, number = subject.rpartition(":")
    return (question_id, int(number)) if question_id and number.isdecimal() else None


def _choice_buttons(question: Question) -> tuple[Button, ...]:
    return tuple(
        Button(
            label=choice.label,
            action=ButtonAction(verb=ANSWER_VERB, subject=f"{question.id}:{number}"),
            style=choice.style,
        )
        for number, choice in enumerate(question.choices)
    )


def _write_button(question: Question) -> tuple[Button, ...]:
    if question.free_text is None:
        return ()
    action = ButtonAction(verb=WRITE_VERB, subject=question.id)
    return (Button(label=question.free_text.button, action=action),)


def _menu(question: Question) -> Menu:
    options = tuple(
        MenuOption(label=choice.label, value=choice.value, description=choice.description)
        for choice in question.choices
    )
    return Menu(action=ButtonAction(verb=CHOOSE_VERB, subject=question.id), options=options)


def _answered(question: Question, answer: Answer) -> str:
    by = plain(f"@{answer.by.name}", _NAME_LENGTH)
    if (choice := question.choice(answer.value)) is not None:
        return f"-# ✅ {plain(choice.label, 100)} · {by}"
    if answer.text is not None:
        return f"-# ✅ {by} wrote:\n{quotation(answer.text, _WORDS_LENGTH)}"
    return f"-# ✅ {by}"
