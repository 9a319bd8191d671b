"""What a speaker may do with jobs: what everyone in its running turn may."""

from bot.access import Action, Allowed, Authorize, Belonging, Refused
from bot.conversation.conversation import Conversation
from bot.conversation.conversations import Conversations
from extensions.callers import Caller, CallerKind
from extensions.jobs.job import Job, Origin

NO_TURN = "nobody is being answered at present, so there is nobody to start a job for"
NOT_A_SPEAKER = "a job cannot start another job"


def belonging_of(job: Job) -> Belonging:
    """Return whose `job` is."""
    return Belonging(person_id=job.origin.person_id, guild_id=job.origin.guild_id)


class JobRights:
    """Answers the job tools' questions about who calls them."""

    def __init__(
        self, authorize: Authorize, conversations: Conversations, *, refusal: str | None = None
    ) -> None:
        """Make it.

        Args:
            authorize: Who may do what.
            conversations: The open ones, whose turns count.
            refusal: Why nobody may start a job on this machine; `None` if that is possible.
        """
        self._authorize = authorize
        self._conversations = conversations
        self._refusal = refusal

    def origin_of(self, caller: Caller) -> Origin | str:
        """Return for whom `caller` starts a job; if it may not, the reason as a sentence."""
        if caller.kind is not CallerKind.SPEAKER:
            return NOT_A_SPEAKER
        if self._refusal is not None:
            return self._refusal
        conversation = self._conversations.of_session(caller.subject)
        if conversation is None or (turn := conversation.running_turn) is None:
            return NO_TURN
        place = conversation.session.place
        verdict = self._authorize(turn.people, Action.SPAWN, place)
        if isinstance(verdict, Refused):
            return verdict.reason
        return Origin(
            session_id=conversation.session.id,
            person_id=turn.people[0].id,
            guild_id=place.guild_id,
            channel_id=place.channel_id,
        )

    def may_see(self, caller: Caller, job: Job) -> bool:
        """Say whether everyone in the caller's running turn may see `job`."""
        if caller.kind is CallerKind.JOB:
            return caller.subject == job.id
        return self._turn_may(caller, Action.SEE_JOB, job)

    def may_cancel(self, caller: Caller, job: Job) -> bool:
        """Say whether everyone in the caller's running turn may cancel `job`."""
        return caller.kind is CallerKind.SPEAKER and self._turn_may(caller, Action.CANCEL_JOB, job)

    def _turn_may(self, caller: Caller, action: Action, job: Job) -> bool:
        conversation = self._conversations.of_session(caller.subject)
        return conversation is not None and self._all_may(conversation, action, job)

    def _all_may(self, conversation: Conversation, action: Action, job: Job) -> bool:
        turn, place = conversation.running_turn, conversation.session.place
        if turn is None:
            return False
        if place.guild_id is not None and job.origin.guild_id is None:
            return False  # what was asked for in private is not read out before others
        verdict = self._authorize(turn.people, action, place, about=belonging_of(job))
        return isinstance(verdict, Allowed)
