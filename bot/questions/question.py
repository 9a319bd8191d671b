"""A question to people, and how it ends. Pure."""

import re
from dataclasses import dataclass, field, replace
from enum import StrEnum

from bot.access import Action, Belonging, Person, Place
from bot.messenger import ButtonStyle, MessageRef

MOST_CHOICES = 100
"""Four menus; below them is room for buttons."""
MOST_IN_A_MENU = 25
MOST_BUTTONS = 5
"""More choices than these are offered in menus."""
MOST_CHARACTERS = 2000

_ID = re.compile(r"[A-Za-z0-9_-]{1,60}")
_PURPOSE = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Something that may be answered."""

    value: str
    """What the answer says; at most 100 characters."""
    label: str
    """What people see; at most 80 characters."""
    style: ButtonStyle = ButtonStyle.PLAIN
    description: str | None = None
    """Shown in a menu alone; at most 100 characters."""
    stands_apart: bool = False
    """Whether it is a button below all others, and does not count as one of them."""

    def __post_init__(self) -> None:
        """Refuse what Discord would not take.

        Raises:
            ValueError: If something is too long, or empty.
        """
        too_long = len(self.value) > 100 or len(self.label) > 80  # noqa: PLR2004 - as said above
        if too_long or not self.value or not self.label:
            raise ValueError(f"nobody can be offered {self!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeText:
    """That people may write their answer, in a form."""

    button: str = "Other…"
    """What opens the form; at most 80 characters."""
    title: str = "Your answer"
    """At most 45 characters."""
    label: str = "Answer"
    """At most 45 characters."""
    placeholder: str | None = None
    """At most 100 characters."""
    prefill: str | None = None
    """What stands in the form at first."""
    is_long: bool = False
    """Whether it may have several lines."""
    longest: int = 1000
    """How many characters it may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Something that people are asked."""

    id: str
    """Up to 60 letters, digits, dashes and underscores; no two questions ever have the same."""
    purpose: str
    """One lower-case word by which it is known what an answer brings about."""
    subject: str
    """The id of the thing that it is about."""
    text: str
    """At most 2,000 characters of Discord's markdown."""
    place: Place
    choices: tuple[Choice, ...] = ()
    """At most 100: up to five are buttons, more are menus."""
    free_text: FreeText | None = None
    belonging: Belonging
    """Whose it is."""
    actions: tuple[Action, ...] = (Action.ANSWER,)
    """What one must be allowed to do, with what is theirs, to answer it: all of these."""
    expires_at: float | None = None
    """Unix time, in seconds; `None`: never."""
    reply_to: MessageRef | None = None
    """What it is posted as a reply to."""

    def __post_init__(self) -> None:
        """Refuse what could not be asked, or not be answered.

        Raises:
            ValueError: If it is so.
        """
        values = {choice.value for choice in self.choices}
        is_askable = (
            _ID.fullmatch(self.id)
            and _PURPOSE.fullmatch(self.purpose)
            and 0 < len(self.text) <= MOST_CHARACTERS
            and self.actions
        )
        is_answerable = self.choices or self.free_text
        if not is_askable or not is_answerable or len(self.choices) > MOST_CHOICES:
            raise ValueError(f"question {self.id!r} cannot be asked")
        if len(values) < len(self.choices):
            raise ValueError(f"question {self.id!r} offers the same value twice")

    def taken(self, given: "Given") -> "Given | None":
        """Return what somebody answers as it is stored; `None` if it is no answer to this."""
        if given.number is not None:
            if given.number >= len(self.choices):
                return None
            return replace(given, number=None, value=self.choices[given.number].value)
        if given.value is not None:
            return None if self.choice(given.value) is None else given
        text = (given.text or "").strip()
        if self.free_text is None or not text:
            return None
        return replace(given, text=text[: self.free_text.longest])

    def choice(self, value: str | None) -> Choice | None:
        """Return the choice of that value, if there is one."""
        return next((choice for choice in self.choices if choice.value == value), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What somebody answers: one of the choices, or words."""

    by: Person
    place: Place
    """Where they did."""
    number: int | None = None
    """Of the choice, counted from 0."""
    value: str | None = None
    """Of the choice."""
    text: str | None = None
    """What they wrote instead."""
    message: MessageRef | None = None
    """Under which message they did, if it was under one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer that won."""

    question_id: str
    by: Person
    value: str | None = None
    """Of the choice; `None` if words were written."""
    text: str | None = None
    """What was written: data, that nobody has looked at."""
    at: float
    """Unix time, in seconds."""
    message: MessageRef | None = field(default=None, compare=False)
    """Where the question stands, as far as it is known."""
    is_tried: bool = field(default=False, compare=False)
    """Whether somebody began to act upon it before, and may have got anywhere with it."""


class CancelReason(StrEnum):
    """Why nobody answered."""

    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    """Whoever asked does not want to know any more."""
    UNDELIVERABLE = "undeliverable"
    """It could not be posted."""
    ABANDONED = "abandoned"
    """Whoever asked did not outlive the end of Papercup's program."""
    STOPPED = "stopped"
    """Papercup ends. The question stays open, and may be answered at its next start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled:
    """That there is no answer to wait for."""

    question_id: str
    reason: CancelReason


@dataclass(frozen=True, slots=True, kw_only=True)
class TooManyQuestions:
    """That a question was not asked, as so many are open in its place."""

    question_id: str
    limit: int


End = Answer | Cancelled
"""How a question ended."""
