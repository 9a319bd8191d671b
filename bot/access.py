"""Who may do what: one policy for every way in. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody on Discord."""

    id: int
    name: str
    """As others see it; never used to decide anything."""
    is_automatic: bool = False
    """Whether it is a bot or a webhook."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where something is said."""

    guild_id: int | None
    """`None` in a direct message."""
    channel_id: int


class Action(StrEnum):
    """What somebody may want to do."""

    TALK = "talk"
    SPAWN = "spawn"
    SEE_JOB = "see_job"
    CANCEL_JOB = "cancel_job"
    CHANGE_SESSION = "change_session"


@dataclass(frozen=True, slots=True)
class Allowed:
    """It may be done."""


@dataclass(frozen=True, slots=True)
class Refused:
    """It may not be done."""

    reason: str
    """One sentence for the person who tried."""


Verdict = Allowed | Refused


class Authorize(Protocol):
    """The one question that every way in asks."""

    def __call__(
        self,
        actors: Sequence[Person],
        action: Action,
        place: Place,
        *,
        job_owner_id: int | None = None,
    ) -> Verdict:
        """Say whether all `actors` together may do `action` in `place`.

        Args:
            actors: Everyone in whose name it is done; what one of them may not do, none may.
            action: What is to be done.
            place: Where it was asked for.
            job_owner_id: Who asked for the job, where the action is about one.
        """
        ...


NOT_ON_THE_LIST = Refused("You are not on this Papercup's list. Ask its owner to add you.")
NOT_YOURS = Refused("Only the person who asked for that job, or the owner, may do this.")
NO_AUTOMATONS = Refused("Bots and webhooks are not answered.")


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessPolicy:
    """The facts that decide."""

    owner_ids: frozenset[int]
    """The owners of the Discord application, or those that the configuration names."""
    allowed_user_ids: frozenset[int]
    """Who else may talk to it; empty means the owners alone."""

    def authorize(
        self,
        actors: Sequence[Person],
        action: Action,
        place: Place,
        *,
        job_owner_id: int | None = None,
    ) -> Verdict:
        """Answer as `Authorize` says."""
        del place  # every place has the same rules so far; those that ask say it already
        if not actors:
            return NOT_ON_THE_LIST
        for actor in actors:
            verdict = self._authorize_one(actor, action, job_owner_id)
            if isinstance(verdict, Refused):
                return verdict
        return Allowed()

    def _authorize_one(self, actor: Person, action: Action, job_owner_id: int | None) -> Verdict:
        if actor.is_automatic:
            return NO_AUTOMATONS
        if actor.id in self.owner_ids:
            return Allowed()
        if actor.id not in self.allowed_user_ids:
            return NOT_ON_THE_LIST
        if action in {Action.SEE_JOB, Action.CANCEL_JOB} and job_owner_id != actor.id:
            return NOT_YOURS
        return Allowed()


class Access:
    """The policy that is in force at present."""

    def __init__(self, policy: AccessPolicy) -> None:
        self._policy = policy

    def learn_owners(self, application_owner_ids: frozenset[int]) -> None:
        """Take the application's owners as ours, unless some were configured."""
        if not self._policy.owner_ids:
            self._policy = replace(self._policy, owner_ids=application_owner_ids)

    def authorize(
        self,
        actors: Sequence[Person],
        action: Action,
        place: Place,
        *,
        job_owner_id: int | None = None,
    ) -> Verdict:
        """Answer as `Authorize` says, by the policy that is in force."""
        return self._policy.authorize(actors, action, place, job_owner_id=job_owner_id)
