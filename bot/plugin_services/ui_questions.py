"""What plugins ask, as questions; and what people answered, as plugins are told it. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, assert_never

from bot.access import Belonging, Place
from bot.messenger import ButtonStyle
from bot.plugin_services.ui_view import name_of
from bot.questions.question import (
    MOST_BUTTONS,
    MOST_CHOICES,
    Answer,
    Cancelled,
    Choice,
    FreeText,
    Question,
    TooManyQuestions,
)
from bot.quoting import cleaned, is_quoted_whole, plain, quotation
from bot.wording import shortened
from extensions.plugins.services import CANCELLED, Confirm, Input, Select, UiAnswer

PURPOSE = "plugin"
"""Of the questions that plugins ask; nobody waits for them after a restart."""
YES, NO, DISMISSED = "yes", "no", "dismissed"
MOST_OPTIONS = MOST_CHOICES - 1
"""One more takes the whole question away."""
MOST_LISTED = 10

CUT = "-# ⚠️ There is more, which is not shown here."
"""Stands below a question that is too long: what it ends with may be what matters."""

Asking: TypeAlias = Select | Confirm | Input
"""What people are asked."""

_PROMPT_CHARACTERS = 1500
_PROMPT_CHARACTERS_ABOVE_A_LIST = 800
_LIST_CHARACTERS = 900
_LISTED_LABEL_CHARACTERS = 30
"""Of a button whose whole text stands above it."""
_LABEL_CHARACTERS = 80
_OPTION_CHARACTERS = 300
"""More than is ever shown of one."""
_DESCRIPTION_CHARACTERS = 100
_TITLE_CHARACTERS = 45
_LONGEST_TEXT = 4000
"""So much Discord takes in a field."""

_CANCEL = Choice(value=DISMISSED, label="Cancel", stands_apart=True)
_YES = Choice(value=YES, label="Yes", style=ButtonStyle.PRIMARY)
_NO = Choice(value=NO, label="No")


@dataclass(frozen=True, slots=True, kw_only=True)
class Addressed:
    """Who is asked, and where."""

    place: Place
    belonging: Belonging
    expires_at: float
    """Unix time, in seconds."""


def is_askable(request: Asking) -> bool:
    """Say whether there is anything to answer, and no more than can be offered."""
    return not isinstance(request, Select) or 0 < len(request.options) <= MOST_OPTIONS


def redacted(request: Asking, redact: Callable[[str], str]) -> Asking:
    """Return what a plugin asks with its texts redacted, before anything seen is cut off them."""
    shown = replace(request, prompt=redact(request.prompt))
    match shown:
        case Select(options=options):
            kept = tuple(redact(option[:_OPTION_CHARACTERS]) for option in options)
            return replace(shown, options=kept)
        case Input(default=str(default)):
            return replace(shown, default=redact(default))
        case _:
            return shown


def question_of(plugin_id: str, request: Asking, to: Addressed, *, question_id: str) -> Question:
    """Return the question that a plugin asks; it has to be askable."""
    return Question(
        id=question_id,
        purpose=PURPOSE,
        subject=plugin_id,
        text=_text(plugin_id, request, to),
        place=to.place,
        choices=_choices(request),
        free_text=_free_text(plugin_id, request) if isinstance(request, Input) else None,
        belonging=to.belonging,
        expires_at=to.expires_at,
    )


def answer_of(request: Asking, end: Answer | Cancelled | TooManyQuestions) -> UiAnswer:
    """Return what the plugin is told."""
    if not isinstance(end, Answer) or end.value == DISMISSED:
        return CANCELLED
    match request:
        case Select(options=options):
            return UiAnswer(value=options[int(end.value or 0)])
        case Confirm():
            return UiAnswer(confirmed=end.value == YES)
        case Input():
            return UiAnswer(text=end.text or "")
        case _:
            assert_never(request)


def _text(plugin_id: str, request: Asking, to: Addressed) -> str:
    # It is shown as a name, and pings nobody.
    whom = "" if to.place.guild_id is None else f" <@{to.belonging.person_id}>"
    head = f"❔ {name_of(plugin_id)} asks{whom}:"
    listed = request.options if isinstance(request, Select) and _is_listed(request.options) else ()
    room = _PROMPT_CHARACTERS_ABOVE_A_LIST if listed else _PROMPT_CHARACTERS
    items = [
        f"> {number}\\. {plain(option, _LIST_CHARACTERS // len(listed))}"
        for number, option in enumerate(listed, start=1)
    ]
    prompt = quotation(request.prompt, room)
    note = "" if is_quoted_whole(request.prompt, room) else CUT
    return "\n".join(line for line in (head, prompt, note, *items) if line)


def _choices(request: Asking) -> tuple[Choice, ...]:
    match request:
        case Select(options=options):
            return (*_offered(options), _CANCEL)
        case Confirm():
            return (_YES, _NO)
        case Input():
            return (_CANCEL,)
        case _:
            assert_never(request)


def _offered(options: Sequence[str]) -> list[Choice]:
    labels = [_one_line(option) for option in options]
    longest = _LISTED_LABEL_CHARACTERS if _is_listed(options) else _LABEL_CHARACTERS
    # Where two would look the same, their numbers tell them apart.
    are_numbered = _need_numbers(labels)
    return [
        Choice(
            value=str(number),
            label=shortened(f"{number + 1}. {label}" if are_numbered else label, longest),
            description=_rest(label) if len(options) > MOST_BUTTONS else None,
        )
        for number, label in enumerate(labels)
    ]


def _is_listed(options: Sequence[str]) -> bool:
    return len(options) <= MOST_LISTED and _need_numbers([_one_line(each) for each in options])


def _need_numbers(labels: Sequence[str]) -> bool:
    return (
        not all(labels)
        or len({label[:_LABEL_CHARACTERS] for label in labels}) < len(labels)
        or (any(len(label) > _LABEL_CHARACTERS for label in labels))
    )


def _rest(label: str) -> str | None:
    """Return the end of what has no room in a label of a menu."""
    if len(label) <= _LABEL_CHARACTERS - len("99. "):
        return None
    return "…" + label[-(_DESCRIPTION_CHARACTERS - 1) :]


def _free_text(plugin_id: str, request: Input) -> FreeText:
    default = None if request.default is None else cleaned(request.default)[:_LONGEST_TEXT]
    return FreeText(
        button="Answer…",
        title=shortened(plugin_id, _TITLE_CHARACTERS),
        label=shortened(_one_line(request.prompt), _TITLE_CHARACTERS) or "Answer",
        prefill=default or None,
        is_long=True,
        longest=_LONGEST_TEXT,
    )


def _one_line(text: str) -> str:
    return " ".join(cleaned(text).split())
