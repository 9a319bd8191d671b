"""What plugins reach people with."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from bot.access import Place
from bot.messenger import MessageContent, MessageRef
from bot.plugin_services.last_places import LastPlaces
from bot.plugin_services.plugin_cards import KeepsCards
from bot.plugin_services.spoken_asking import AsksAloud
from bot.questions.question import Answer, Cancelled, Given, Question, TooManyQuestions
from extensions.hooks import Occasion
from extensions.plugins.services import AuditLog

AUTO_MODE = "SMOOTH_AUTO_MODE"
"""The variable of the environment that says whether people are asked at all."""


class Asks(Protocol):
    """What asks people; the asker."""

    async def ask(self, question: Question) -> Answer | Cancelled | TooManyQuestions:
        """Ask people, and return the first answer, once there is one."""
        ...

    async def withdraw(self, question_id: str) -> None:
        """Ask no more."""
        ...

    async def answered(self, question_id: str, given: Given) -> str | None:
        """Take what somebody answers, and return what they are told, if anything."""
        ...


class Posts(Protocol):
    """What carries messages, as far as it is needed here; the messenger."""

    async def post(
        self,
        place: Place,
        content: MessageContent,
        *,
        nonce: str,
        reply_to: MessageRef | None = None,
    ) -> MessageRef:
        """Post a message, once; raises MessengerError if it was not taken."""
        ...

    async def direct_messages(self, person_id: int) -> Place:
        """Return where a person is written to; raises MessengerError if nowhere."""
        ...


class GivesTitles(Protocol):
    """What calls sessions and threads as plugins wish."""

    async def want(self, title: str, occasion: Occasion) -> bool:
        """Have the session of an occasion called so; `False` if that cannot be."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class UiParts:
    """What plugins reach people with."""

    asker: Asks
    messenger: Posts
    cards: KeepsCards
    places: LastPlaces
    titles: GivesTitles
    audit: AuditLog
    lines: AsksAloud
    owner_ids: Callable[[], Collection[int]]
    """Gives the ids of Papercup's owners, as far as they are known."""
    clock: Callable[[], float]
    """Gives Unix time, in seconds."""
    timeout_seconds: float = 120.0
    """How long people have for an answer."""
    confirms_itself: bool = False
    """Whether nobody is asked to confirm anything: it is."""
    redact: Callable[[str], str] = str
    """Takes secrets out of a text."""


def confirms_itself(environ: Mapping[str, str]) -> bool:
    """Say whether the environment wants that nobody is asked to confirm anything."""
    return environ.get(AUTO_MODE) == "bypass"
