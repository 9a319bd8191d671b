"""The call in one voice channel: who takes part, and what they get of each other."""

import asyncio
import logging
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from simulator.discord.journal import Journal
from simulator.discord.model import Account, Channel, ChannelKind
from simulator.discord.voice.deliveries import (
    Delivery,
    Execute,
    SendCommit,
    SendProposals,
    SendWelcome,
    StartAnew,
)
from simulator.discord.voice.group import Group
from simulator.discord.voice.happenings import CallRekeyed, SpeakingStarted
from simulator.discord.voice.member import Frame, Member
from simulator.discord.voice.mls import ExternalSender, MlsError
from simulator.discord.voice.settings import VoiceSettings
from simulator.discord.world import World

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Commit:
    """A commit that one was given as an answer."""

    by: int
    data: bytes


class Call:
    """Forwards audio between its members, and keys for it."""

    def __init__(
        self, channel: Channel, world: World, journal: Journal, settings: VoiceSettings
    ) -> None:
        self.channel = channel
        self._world = world
        self._journal = journal
        self._settings = settings
        self._members: dict[int, Member] = {}
        self._sender = ExternalSender(channel.id)
        self._group = Group(self._sender)
        self._waiting: asyncio.TimerHandle | None = None

    @property
    def dave_version(self) -> int:
        """Of its end-to-end encryption; 0: it has none."""
        return 0 if self.channel.kind is ChannelKind.STAGE else self._settings.dave_version

    @property
    def members(self) -> list[Member]:
        """Who takes part, in the order in which they came."""
        return list(self._members.values())

    @property
    def is_settled(self) -> bool:
        """Whether all who take part can hear each other."""
        if not self.dave_version or len(self._members) < 2:  # noqa: PLR2004 - one alone needs no keys
            return True
        return self._group.is_settled and set(self._group.members) == set(self._members)

    def join(self, member: Member) -> None:
        """Let somebody take part."""
        others = self.members
        self._members[member.account.id] = member
        for other in others:
            other.meet([member])
        member.meet(others)
        if self.dave_version:
            self._begin(member, is_anew=False)

    def drop(self, account: Account) -> None:
        """Let somebody take part no more, if they do."""
        if member := self._members.get(account.id):
            self.leave(member)

    def leave(self, member: Member) -> None:
        """Let somebody take part no more."""
        if self._members.get(member.account.id) is not member:
            return
        del self._members[member.account.id]
        for other in self.members:
            other.part_from(member)
        self._carry_out(self._group.leave(member.account.id))

    def restart(self) -> None:
        """Forget the group, as another server would know nothing of it, and all remote members."""
        remote = [member for member in self.members if member.is_remote]
        for member in remote:
            del self._members[member.account.id]
        self._sender = ExternalSender(self.channel.id)
        self._group = Group(self._sender)
        if self.dave_version:
            for member in self.members:
                self._begin(member, is_anew=True)

    def close(self) -> None:
        """Wait for nobody any more."""
        if self._waiting is not None:
            self._waiting.cancel()

    def announce_speaking(self, member: Member) -> None:
        """Tell the others that somebody is about to speak."""
        now = self._world.clock.seconds()
        self._journal.record(SpeakingStarted(at_seconds=now, account=member.account))
        for other in self._others(member.account):
            if self._settings.is_speaking_told or not other.is_remote:
                other.notice_speaking(member)

    def forward(self, frame: Frame) -> None:
        """Let the others have somebody's audio."""
        state = self._world.voice_states.get(frame.sender.id)
        if state is None or not state.can_speak:
            return
        for other in self._others(frame.sender):
            listener = self._world.voice_states.get(other.account.id)
            if listener is not None and listener.can_hear:
                other.hear(frame)

    def offer(self, account: Account, key_package: bytes) -> None:
        """Take a key package that came later."""
        self._carry_out(self._group.offer(account.id, key_package))

    def commit(self, account: Account, data: bytes) -> None:
        """Take a commit that came later."""
        self._carry_out([_Commit(by=account.id, data=data)])

    def ready(self, account: Account, transition_id: int) -> None:
        """Take note that somebody has new keys."""
        self._carry_out(self._group.ready(account.id, transition_id))

    def _others(self, account: Account) -> list[Member]:
        return [member for key, member in self._members.items() if key != account.id]

    def _begin(self, member: Member, *, is_anew: bool) -> None:
        package = member.begin(self._sender.package(), is_anew=is_anew)
        if package is not None:
            self._carry_out(self._group.offer(member.account.id, package))

    def _carry_out(self, deliveries: Iterable[Delivery | _Commit]) -> None:
        """Deliver, and whatever comes of it.

        Who answers at once is heard only when all have got what was to be delivered: a commit may
        not reach anybody before the proposals that it carries out.
        """
        waiting = deque(deliveries)
        while waiting:
            waiting.extend(self._deliver(waiting.popleft()))
        self._watch_transition()

    def _deliver(self, delivery: Delivery | _Commit) -> Iterable[Delivery | _Commit]:
        if isinstance(delivery, _Commit):
            return self._take_commit(delivery)
        if isinstance(delivery, Execute):
            self._execute(delivery)
            return ()
        member = self._members.get(delivery.to)
        if member is None:
            return ()
        if isinstance(delivery, SendProposals):
            return self._propose(member, delivery)
        if isinstance(delivery, StartAnew):
            package = member.begin(self._sender.package(), is_anew=True)
            return () if package is None else self._group.offer(delivery.to, package)
        return self._bring_keys(member, delivery)

    def _take_commit(self, commit: _Commit) -> list[Delivery]:
        try:
            return self._group.commit(commit.by, commit.data)
        except MlsError as error:
            logger.warning("a commit of %s was refused: %s", commit.by, error)
            return []

    def _propose(self, member: Member, proposals: SendProposals) -> list[_Commit]:
        data = member.propose(proposals.payload, self._members.keys())
        if data is None or self._is_left_to_remote():
            return []
        return [_Commit(by=proposals.to, data=data)]

    def _is_left_to_remote(self) -> bool:
        asked = (self._members.get(user) for user in self._group.committers)
        has_remote = any(member is not None and member.is_remote for member in asked)
        return self._settings.does_bot_commit and has_remote

    def _bring_keys(self, member: Member, keys: SendCommit | SendWelcome) -> list[Delivery]:
        if isinstance(keys, SendCommit):
            is_ready = member.announce(keys.transition_id, keys.commit)
        else:
            is_ready = member.welcome(keys.transition_id, keys.welcome, self._members.keys())
        return self._group.ready(keys.to, keys.transition_id) if is_ready else []

    def _execute(self, execution: Execute) -> None:
        for user in execution.to:
            if member := self._members.get(user):
                member.execute(execution.transition_id, execution.to)
        self._journal.record(
            CallRekeyed(
                at_seconds=self._world.clock.seconds(),
                channel=self.channel,
                epoch=execution.epoch,
                members=execution.to,
                committed_by=execution.committed_by,
            )
        )

    def _watch_transition(self) -> None:
        """Wait for those who are not ready, but not for ever."""
        self.close()
        transition_id = self._group.transition_id
        if transition_id is not None:
            self._waiting = asyncio.get_running_loop().call_later(
                self._settings.ready_seconds, self._give_up_waiting, transition_id
            )

    def _give_up_waiting(self, transition_id: int) -> None:
        self._carry_out(self._group.give_up_waiting(transition_id))
