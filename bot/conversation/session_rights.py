"""What people may do with sessions, beyond the one that is open where they are. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from bot.access import Action, Allowed, Authorize, Belonging, Person, Place, Refused, Verdict
from bot.conversation.session import Session
from bot.speaker.speaker import PermissionMode

_NOBODY = 0
"""No person has this id."""

RefusalOf = Callable[[PermissionMode], str | None]
"""Says why a permission mode cannot be had on this machine; `None` if it can."""

OWNERS_ALONE = Refused(
    "What is said in this session is done without anybody being asked, so only Papercup's owners"
    " are answered in it."
)


def session_belonging(session: Session) -> Belonging:
    """Return whose `session` is."""
    return Belonging(person_id=session.opened_by, guild_id=session.place.guild_id)


def may_resume(session: Session, person: Person, place: Place, authorize: Authorize) -> bool:
    """Say whether `person` may go on with `session` in `place`, and so be told that it exists.

    Somebody else's never leaves its server for another one, nor direct messages for a server. A
    server's session holds what others said there, too: it leaves for an owner alone, whoever
    opened it. From direct messages everybody takes their own wherever they may talk.
    """
    is_own = session.opened_by == person.id
    leaves = session.place.guild_id != place.guild_id
    if leaves and not is_own and place.guild_id is not None:
        return False
    about = session_belonging(session)
    if leaves and session.place.guild_id is not None:
        about = replace(about, person_id=_NOBODY)
    verdict = authorize([person], Action.CHANGE_SESSION, place, about=about)
    return isinstance(verdict, Allowed)


def may_take(session: Session, people: Sequence[Person], authorize: Authorize) -> Verdict:
    """Say whether a turn of `people` may be taken in `session`.

    Where its speaker was set to act without asking, whoever talks to it acts without being
    asked; only those may do so who may have a speaker act like that.
    """
    mode = session.knobs.permission_mode
    if mode is None or not mode.needs_jail:
        return Allowed()
    verdict = authorize(people, Action.RUN_FREELY, session.place)
    return OWNERS_ALONE if isinstance(verdict, Refused) else verdict


def mode_refusal(
    mode: PermissionMode, person: Person, place: Place, authorize: Authorize, refusal_of: RefusalOf
) -> str | None:
    """Say why `person` may not set that permission mode in `place`; `None` if they may."""
    if not mode.needs_jail:
        return None
    verdict = authorize([person], Action.RUN_FREELY, place)
    return verdict.reason if isinstance(verdict, Refused) else refusal_of(mode)
