"""Decides whether something was said to the bot. Pure."""

from dataclasses import dataclass

from voice.events import LineMode
from voice.names import calls_other


@dataclass(frozen=True, slots=True, kw_only=True)
class Windows:
    """For how long nobody has to say the bot's name, in seconds."""

    reply_seconds: float
    """After it has answered them."""
    question_seconds: float
    """After its question, to whomever it was, until somebody has answered."""
    follow_up_seconds: float
    """After they have said something to it themselves, while it thinks."""
    push_seconds: float
    """After they have pressed the button to talk: they have to begin by then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """Something that somebody has said, as far as it matters here."""

    person_id: int
    text: str
    has_name: bool
    """Whether the bot's name is in it."""
    began_at: float
    ended_at: float


class Addressing:
    """Knows to whom the bot has talked, and for how long they will answer it."""

    def __init__(self, windows: Windows) -> None:
        self._windows = windows
        self._answered: dict[int, float] = {}
        self._taken: dict[int, float] = {}
        self._pushed: dict[int, float] = {}
        self._asked_at: float | None = None

    def pushed(self, person_id: int, now: float) -> None:
        """Know that somebody has pressed the button to talk."""
        self._pushed[person_id] = now

    def answered(self, person_id: int | None, now: float, *, asks: bool) -> None:
        """Know that the bot has spoken, to whom, and whether it ended with a question."""
        if person_id is not None:
            self._answered[person_id] = now
            self._taken.pop(person_id, None)
        self._asked_at = now if asks else None

    def turn_taken(self, person_id: int, ended_at: float) -> None:
        """Know that somebody has said something to the bot."""
        self._taken[person_id] = ended_at
        self._pushed.pop(person_id, None)
        self._asked_at = None

    def left(self, person_id: int) -> None:
        """Know that somebody has left the channel."""
        for times in (self._answered, self._taken, self._pushed):
            times.pop(person_id, None)

    @property
    def is_asked(self) -> bool:
        """Whether the bot has asked something that nobody has answered."""
        return self._asked_at is not None

    def is_pushed(self, person_id: int, began_at: float, ended_at: float) -> bool:
        """Say whether somebody has pressed the button to talk for what they say."""
        at = self._pushed.get(person_id)
        return at is not None and ended_at >= at and began_at <= at + self._windows.push_seconds

    def is_addressed(
        self, said: Saying, mode: LineMode, *, is_alone: bool, others: tuple[str, ...]
    ) -> bool:
        """Say whether something was said to the bot.

        Args:
            said: What was said.
            mode: What counts as said to it.
            is_alone: Whether that person is the only one in the channel.
            others: The names of the others.
        """
        if self.is_pushed(said.person_id, said.began_at, said.ended_at):
            return True
        if mode is LineMode.PUSH:
            return self._is_soon(self._taken, said, self._windows.follow_up_seconds)
        if said.has_name or (is_alone and mode is LineMode.OPEN):
            return True
        return self._is_expected(said) and not calls_other(said.text, others)

    def _is_expected(self, said: Saying) -> bool:
        windows = self._windows
        is_question_open = (
            self._asked_at is not None
            and said.ended_at >= self._asked_at
            and said.began_at <= self._asked_at + windows.question_seconds
        )
        return (
            is_question_open
            or self._is_soon(self._answered, said, windows.reply_seconds)
            or self._is_soon(self._taken, said, windows.follow_up_seconds)
        )

    @staticmethod
    def _is_soon(times: dict[int, float], said: Saying, seconds: float) -> bool:
        at = times.get(said.person_id)
        return at is not None and said.began_at <= at + seconds
