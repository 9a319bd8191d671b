"""The delivery service of one end-to-end encrypted call (DAVE): who gets which keys, and when.

It keeps track of which member sits at which leaf of the group's tree, has joins and leaves made
into commits one after another, and lets new keys be used once everybody has them. What comes in
are the messages of clients, what comes out are those to deliver. Pure but for the signing.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from simulator.discord.voice.deliveries import (
    Delivery,
    Execute,
    SendCommit,
    SendProposals,
    SendWelcome,
    StartAnew,
)
from simulator.discord.voice.mls import (
    Commit,
    ExternalSender,
    MlsError,
    Proposal,
    proposals_payload,
    read_commit,
)

_TRANSITIONS = (1 << 16) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """What one proposal does."""

    user_id: int
    leaf: int | None = None
    """Which leaf it empties; `None`: it adds the user."""
    key_package: bytes = b""
    """With which it adds the user."""


@dataclass(slots=True, kw_only=True)
class _Transition:
    id: int
    epoch: int
    committed_by: int
    to: tuple[int, ...]
    awaited: set[int] = field(default_factory=set[int])


class Group:
    """One group; `members` share the keys of `epoch`."""

    def __init__(self, sender: ExternalSender) -> None:
        self._sender = sender
        self.epoch: int | None = None
        """`None`: there is no group."""
        self._leaves: list[int | None] = []
        self._key_packages: dict[int, bytes] = {}
        """Of those who are to be added."""
        self._leaving: set[int] = set()
        """Leaves to be emptied."""
        self._proposed: dict[bytes, _Change] = {}
        """What was proposed in this epoch, by reference."""
        self.committers: frozenset[int] = frozenset()
        """Who was asked for a commit that has not come yet."""
        self._transition: _Transition | None = None
        self._transitions = 0

    @property
    def members(self) -> list[int]:
        """Who is in it, and is to stay."""
        return [
            user
            for leaf, user in enumerate(self._leaves)
            if user is not None and leaf not in self._leaving
        ]

    @property
    def transition_id(self) -> int | None:
        """Of the keys that not everybody is ready for yet; `None` if there are none."""
        return None if self._transition is None else self._transition.id

    @property
    def is_settled(self) -> bool:
        """Whether nothing is left to do: whoever offered a key package is in, if there are two."""
        is_lonely = self.epoch is None and len(self._key_packages) < 2  # noqa: PLR2004 - two make a group
        has_plans = bool(self._key_packages or self._leaving) and not is_lonely
        return not (has_plans or self.committers or self._transition)

    def offer(self, user_id: int, key_package: bytes) -> list[Delivery]:
        """Take somebody's key package: they are to be in the group, anew if they are already."""
        deliveries = self._withdraw(user_id)
        self._key_packages[user_id] = key_package
        return deliveries + self._go_on()

    def leave(self, user_id: int) -> list[Delivery]:
        """Let somebody be in the group no more."""
        deliveries = self._withdraw(user_id)
        if self._transition is not None:
            deliveries += self.ready(user_id, self._transition.id)
        return deliveries + self._go_on()

    def commit(self, user_id: int, data: bytes) -> list[Delivery]:
        """Take a commit; only the first of an epoch that was asked for counts.

        Raises:
            MlsError: If it is none, or carries out what was not proposed.
        """
        commit = read_commit(data)
        if user_id not in self.committers or commit.epoch != (self.epoch or 0):
            return []
        if any(reference not in self._proposed for reference in commit.references):
            raise MlsError("a commit of what was not proposed")
        changes = [self._proposed[reference] for reference in commit.references]
        return self._carry_out(user_id, commit, changes)

    def ready(self, user_id: int, transition_id: int) -> list[Delivery]:
        """Take note that somebody has new keys."""
        transition = self._transition
        if transition is None or transition.id != transition_id:
            return []
        transition.awaited.discard(user_id)
        return [] if transition.awaited else self._execute(transition)

    def give_up_waiting(self, transition_id: int) -> list[Delivery]:
        """Let new keys be used although not everybody said that they have them."""
        transition = self._transition
        if transition is None or transition.id != transition_id:
            return []
        return self._execute(transition)

    def _withdraw(self, user_id: int) -> list[Delivery]:
        """Forget somebody's key package, and plan to empty their leaf."""
        self._leaving.update(leaf for leaf, user in enumerate(self._leaves) if user == user_id)
        was_offered = self._key_packages.pop(user_id, None) is not None
        if self.epoch is None:
            # Those who stay have proposals about a key package that is good no more.
            is_stale = was_offered and bool(self.committers)
            return self._start_anew(list(self._key_packages)) if is_stale else []
        if not self.committers.intersection(self.members):
            self.committers = frozenset()
        return []

    def _execute(self, transition: _Transition) -> list[Delivery]:
        self._transition = None
        done = Execute(
            to=transition.to,
            transition_id=transition.id,
            epoch=transition.epoch,
            committed_by=transition.committed_by,
        )
        return [done, *self._go_on()]

    def _go_on(self) -> list[Delivery]:
        """Have the next changes committed, unless others are on their way."""
        if self.committers or self._transition is not None:
            return []
        if self.epoch is None:
            return self._found()
        if not (self._key_packages or self._leaving):
            return []
        staying = self.members
        if not staying or (len(staying) == 1 and not self._key_packages):
            return [*self._start_anew(staying), *self._go_on()]
        return self._propose(staying)

    def _found(self) -> list[Delivery]:
        """Let two or more make a group: each is proposed to all others, one of them commits."""
        if len(self._key_packages) < 2:  # noqa: PLR2004 - two make a group
            return []
        adds = {
            user: self._proposal(
                self._sender.add(0, package), _Change(user_id=user, key_package=package)
            )
            for user, package in self._key_packages.items()
        }
        self.committers = frozenset(adds)
        return [
            SendProposals(
                to=one,
                payload=proposals_payload([add for user, add in adds.items() if user != one]),
            )
            for one in adds
        ]

    def _propose(self, staying: list[int]) -> list[Delivery]:
        epoch = self.epoch or 0
        proposals: list[Proposal] = []
        for leaf in sorted(self._leaving):
            change = _Change(user_id=self._leaves[leaf] or 0, leaf=leaf)
            proposals.append(self._proposal(self._sender.remove(epoch, leaf), change))
        for user, package in self._key_packages.items():
            change = _Change(user_id=user, key_package=package)
            proposals.append(self._proposal(self._sender.add(epoch, package), change))
        self.committers = frozenset(staying)
        payload = proposals_payload(proposals)
        return [SendProposals(to=user, payload=payload) for user in staying]

    def _proposal(self, proposal: Proposal, change: _Change) -> Proposal:
        self._proposed[proposal.reference] = change
        return proposal

    def _carry_out(self, user_id: int, commit: Commit, changes: list[_Change]) -> list[Delivery]:
        if self.epoch is None:
            self._leaves = [user_id]
            del self._key_packages[user_id]
        self._empty(change.leaf for change in changes if change.leaf is not None)
        old = self.members
        joining = [change for change in changes if change.leaf is None]
        welcomed = [change.user_id for change in joining if self._seat(change)]
        self.epoch = commit.epoch + 1
        self._proposed.clear()
        self.committers = frozenset()
        transition = self._next_transition(user_id, (*old, *welcomed))
        deliveries: list[Delivery] = [
            SendCommit(to=user, transition_id=transition.id, commit=commit.message) for user in old
        ]
        deliveries += [
            SendWelcome(to=user, transition_id=transition.id, welcome=commit.welcome)
            for user in welcomed
        ]
        return deliveries if transition.awaited else [*deliveries, *self._execute(transition)]

    def _empty(self, leaves: Iterable[int]) -> None:
        for leaf in leaves:
            self._leaves[leaf] = None
            self._leaving.discard(leaf)

    def _seat(self, change: _Change) -> bool:
        """Put somebody on the leaf that MLS gives them: the leftmost that is empty.

        Returns:
            Whether they are to stay there: they may have gone or begun anew meanwhile.
        """
        if None not in self._leaves:
            self._leaves.append(None)
        leaf = self._leaves.index(None)
        self._leaves[leaf] = change.user_id
        if self._key_packages.get(change.user_id) == change.key_package:
            del self._key_packages[change.user_id]
            return True
        self._leaving.add(leaf)
        return False

    def _next_transition(self, by: int, to: tuple[int, ...]) -> _Transition:
        # Transition 0 is that of a group that starts anew.
        self._transitions = self._transitions % _TRANSITIONS + 1
        self._transition = _Transition(
            id=self._transitions,
            epoch=self.epoch or 0,
            committed_by=by,
            to=to,
            awaited=set(to),
        )
        return self._transition

    def _start_anew(self, staying: list[int]) -> list[Delivery]:
        self.epoch = None
        self._leaves.clear()
        self._leaving.clear()
        self._proposed.clear()
        self.committers = frozenset()
        self._transition = None
        for user in staying:
            self._key_packages.pop(user, None)
        return [StartAnew(to=user) for user in staying]
