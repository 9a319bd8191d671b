"""Has a message carried out as a job, for whoever chose that in its menu."""

from typing import Protocol

from bot.access import Person, Place
from bot.conversation.incoming import CommandCall, IncomingMessage
from bot.conversation.job_texts import refusal_text, started_text
from bot.conversation.session import Session
from bot.messenger import MessageContent, MessageRef
from bot.quoting import cleaned
from extensions.errors import DiskFullError, JobsClosedError, QueueFullError, SpawnRateError
from extensions.jobs.job import JobRequest, Origin
from extensions.jobs.manager import JobManager

NO_TEXT = "That message has no text that a job could be made of."
FILES_STAY = "The files of that message were not handed over."

_CARD_SECONDS = 5.0
_LONGEST_AUTHOR = 100


class CardPlaces(Protocol):
    """Knows where the cards of jobs stand."""

    async def ref_of(self, job_id: str, *, timeout_seconds: float) -> MessageRef | None:
        """Return where the job's card stands; waits for one that is on its way."""
        ...


class Holding(Protocol):
    """A conversation, as far as it matters here."""

    @property
    def session(self) -> Session:
        """Its session."""
        ...


class Opening(Protocol):
    """Opens conversations."""

    async def open(self, place: Place, person: Person) -> tuple[Holding, bool]:
        """Return the conversation in `place`, and whether it was opened just now."""
        ...


class JobStarter:
    """Starts jobs of messages."""

    def __init__(
        self,
        manager: JobManager,
        conversations: Opening,
        cards: CardPlaces,
        *,
        refusal: str | None = None,
    ) -> None:
        """Make it.

        Args:
            manager: All jobs.
            conversations: The open ones; a job belongs to that of its place.
            cards: Where the cards stand.
            refusal: Why no job may be started on this machine; `None` if that is possible.
        """
        self._manager = manager
        self._conversations = conversations
        self._cards = cards
        self._refusal = refusal

    async def start(self, call: CommandCall) -> MessageContent:
        """Start a job of the message in whose menu the command was called, and say so."""
        if self._refusal is not None:
            return MessageContent(text=self._refusal)
        message = call.target
        if message is None or not (text := cleaned(message.text).strip()):
            return MessageContent(text=NO_TEXT)
        request = JobRequest(
            task=_task(message, text), name=text, origin=await self._origin_of(call)
        )
        try:
            job = await self._manager.spawn(request)
        except (DiskFullError, JobsClosedError, QueueFullError, SpawnRateError) as error:
            return MessageContent(text=refusal_text(error))
        card = await self._cards.ref_of(job.id, timeout_seconds=_CARD_SECONDS)
        said = [started_text(job, card), *([FILES_STAY] if message.attachments else [])]
        return MessageContent(text="\n".join(said))

    async def _origin_of(self, call: CommandCall) -> Origin:
        conversation, _ = await self._conversations.open(call.place, call.person)
        place = conversation.session.place
        return Origin(
            session_id=conversation.session.id,
            person_id=call.person.id,
            guild_id=place.guild_id,
            channel_id=place.channel_id,
        )


def _task(message: IncomingMessage, text: str) -> str:
    author = " ".join(cleaned(message.author.name).split())[:_LONGEST_AUTHOR]
    return f"{author} wrote the following. Do what it asks for.\n\n{text}"
