"""Who may do what: one policy for every way in. Pure.

docs/authorisation.md shows `TABLE` to people.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

from bot.config import DiscordConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody on Discord."""

    id: int
    name: str
    """As others see it; never used to decide anything."""
    is_automatic: bool = False
    """Whether it is a bot or a webhook."""
    guild_id: int | None = None
    """The server as a member of which they act; `None` in a direct message."""
    role_ids: frozenset[int] = frozenset()
    """The roles that they have in that server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where something is said."""

    guild_id: int | None
    """`None` in a direct message."""
    channel_id: int
    """Of a channel, a thread, or direct messages."""
    parent_id: int | None = field(default=None, compare=False)
    """The channel that a thread belongs to, as far as it is known; `None` for all others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Belonging:
    """Whose something is: a job, a session, a question."""

    person_id: int
    """Who asked for it, or opened it."""
    guild_id: int | None
    """The server in which; `None`: in a direct message."""


class Action(StrEnum):
    """What somebody may want to do."""

    TALK = "talk"
    SPAWN = "spawn"
    SEE_JOB = "see_job"
    CANCEL_JOB = "cancel_job"
    ANSWER = "answer"
    """Answer what a job, or a speaker, asks."""
    CHANGE_SESSION = "change_session"
    """Close or change a session; to open one is to talk."""
    RUN_FREELY = "run_freely"
    """Have a speaker act without anybody being asked, in its jail."""
    BIND = "bind"
    """Have every message of a channel answered."""
    ADMINISTER = "administer"
    """Change how Papercup works in a server."""
    HEAR_OF_ALL = "hear_of_all"
    """Be told of every job, whoever asked for it."""


class Standing(StrEnum):
    """What somebody is to Papercup in one place, the highest first."""

    OWNER = "owner"
    ADMIN = "admin"
    OPERATOR = "operator"
    USER = "user"
    STRANGER = "stranger"
    AUTOMATON = "bot or webhook"


class Reach(StrEnum):
    """How much of what there is an action may be about."""

    ALL = "yes"
    SERVER = "of the server"
    """What belongs to the server where it is asked for; and one's own."""
    OWN = "own"
    NONE = "no"


def _row(owner: Reach, admin: Reach, operator: Reach, user: Reach) -> Mapping[Standing, Reach]:
    return {
        Standing.OWNER: owner,
        Standing.ADMIN: admin,
        Standing.OPERATOR: operator,
        Standing.USER: user,
        Standing.STRANGER: Reach.NONE,
        Standing.AUTOMATON: Reach.NONE,
    }


_ALL, _SERVER, _OWN, _NONE = Reach.ALL, Reach.SERVER, Reach.OWN, Reach.NONE

TABLE: Mapping[Action, Mapping[Standing, Reach]] = {
    #                           owner  admin    operator  user
    Action.TALK: _row(          _ALL,  _ALL,    _ALL,     _ALL),
    Action.SPAWN: _row(         _ALL,  _ALL,    _ALL,     _ALL),
    Action.SEE_JOB: _row(       _ALL,  _SERVER, _SERVER,  _OWN),
    Action.CANCEL_JOB: _row(    _ALL,  _SERVER, _SERVER,  _OWN),
    Action.ANSWER: _row(        _ALL,  _SERVER, _OWN,     _OWN),
    Action.CHANGE_SESSION: _row(_ALL,  _SERVER, _OWN,     _OWN),
    Action.RUN_FREELY: _row(    _ALL,  _NONE,   _NONE,    _NONE),
    Action.BIND: _row(          _ALL,  _ALL,    _NONE,    _NONE),
    Action.ADMINISTER: _row(    _ALL,  _ALL,    _NONE,    _NONE),
    Action.HEAR_OF_ALL: _row(   _ALL,  _NONE,   _NONE,    _NONE),
}  # fmt: skip
"""How far each standing reaches with each action."""


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
        about: Belonging | None = None,
    ) -> Verdict:
        """Say whether all `actors` together may do `action` in `place`.

        Args:
            actors: Everyone in whose name it is done; what one of them may not do, none may.
            action: What is to be done.
            place: Where it was asked for.
            about: Whose the thing is that it is about, if it is about one; what is only being
                made belongs to whoever makes it.
        """
        ...


NOT_ON_THE_LIST = Refused("You are not on this Papercup's list. Ask its owner to add you.")
NOT_YOURS = Refused("That is somebody else's, and your role here does not reach that far.")
NOT_YOUR_RANK = Refused("Your role here does not allow that.")
NOT_THIS_SERVER = Refused("This Papercup does not answer in this server.")
NO_AUTOMATONS = Refused("Bots and webhooks are not answered.")
NOT_THIS_USER = Refused("Only the user that runs Papercup may ask it here.")


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessPolicy:
    """The facts that decide."""

    owner_ids: frozenset[int]
    """The owners of the Discord application, or those that the configuration names."""
    allowed_user_ids: frozenset[int]
    """Who may talk to it wherever they are; empty means nobody but the owners."""
    admin_role_ids: frozenset[int] = frozenset()
    operator_role_ids: frozenset[int] = frozenset()
    user_role_ids: frozenset[int] = frozenset()
    guild_ids: frozenset[int] = frozenset()
    """The servers in which it answers; empty means all."""

    def authorize(
        self,
        actors: Sequence[Person],
        action: Action,
        place: Place,
        *,
        about: Belonging | None = None,
    ) -> Verdict:
        """Answer as `Authorize` says."""
        if not actors:
            return NOT_ON_THE_LIST
        for actor in actors:
            verdict = self._authorize_one(actor, action, place, about)
            if isinstance(verdict, Refused):
                return verdict
        return Allowed()

    def standing_of(self, actor: Person, place: Place) -> Standing:
        """Return what `actor` is in `place`. A role counts in its own server alone."""
        if actor.is_automatic:
            return Standing.AUTOMATON
        if actor.id in self.owner_ids:
            return Standing.OWNER
        is_member_here = place.guild_id is not None and actor.guild_id == place.guild_id
        roles = actor.role_ids if is_member_here else frozenset[int]()
        if roles & self.admin_role_ids:
            return Standing.ADMIN
        if roles & self.operator_role_ids:
            return Standing.OPERATOR
        if roles & self.user_role_ids or actor.id in self.allowed_user_ids:
            return Standing.USER
        return Standing.STRANGER

    def _authorize_one(
        self, actor: Person, action: Action, place: Place, about: Belonging | None
    ) -> Verdict:
        standing = self.standing_of(actor, place)
        if standing is Standing.AUTOMATON:
            return NO_AUTOMATONS
        if self.guild_ids and place.guild_id is not None and place.guild_id not in self.guild_ids:
            return NOT_THIS_SERVER
        if standing is Standing.STRANGER:
            return NOT_ON_THE_LIST
        reach = TABLE[action][standing]
        if reach is Reach.NONE:
            return NOT_YOUR_RANK
        return Allowed() if _reaches(reach, actor, place, about) else NOT_YOURS


def _reaches(reach: Reach, actor: Person, place: Place, about: Belonging | None) -> bool:
    """Say whether `reach`, from `place`, goes as far as what the action is about."""
    if reach is Reach.ALL:
        return True
    if about is None:
        return False
    is_of_server = place.guild_id is not None and about.guild_id == place.guild_id
    return about.person_id == actor.id or (reach is Reach.SERVER and is_of_server)


def policy_of(config: DiscordConfig) -> AccessPolicy:
    """Return the policy that a configuration asks for."""
    return AccessPolicy(
        owner_ids=frozenset(config.owner_ids),
        allowed_user_ids=frozenset(config.allowed_user_ids),
        admin_role_ids=frozenset(config.admin_role_ids),
        operator_role_ids=frozenset(config.operator_role_ids),
        user_role_ids=frozenset(config.user_role_ids),
        guild_ids=frozenset(config.guild_ids),
    )


def authorize_process(user_id: int, *, own_user_id: int) -> Verdict:
    """Say whether a process of this machine may do all that an owner may.

    Whoever is the bot's own user could read its secrets, and so could root: to refuse them
    would protect nothing. Nobody else may do anything.

    Args:
        user_id: The system's number of the user whose process it is.
        own_user_id: That of the user as whom the bot runs.
    """
    return Allowed() if user_id in {own_user_id, 0} else NOT_THIS_USER


class Access:
    """The policy that is in force at present."""

    def __init__(self, policy: AccessPolicy) -> None:
        self._policy = policy

    @property
    def owner_ids(self) -> frozenset[int]:
        """The owners, as far as they are known."""
        return self._policy.owner_ids

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
        about: Belonging | None = None,
    ) -> Verdict:
        """Answer as `Authorize` says, by the policy that is in force."""
        return self._policy.authorize(actors, action, place, about=about)

    def standing_of(self, actor: Person, place: Place) -> Standing:
        """Return what `actor` is in `place`, by the policy that is in force."""
        return self._policy.standing_of(actor, place)
