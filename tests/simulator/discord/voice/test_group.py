"""The delivery service, with two independent implementations of DAVE as its members."""

import random
from collections import deque
from collections.abc import Callable, Iterable

import pytest

from simulator.discord.voice.deliveries import (
    Delivery,
    Execute,
    SendCommit,
    SendProposals,
    SendWelcome,
    StartAnew,
)
from simulator.discord.voice.group import Group
from simulator.discord.voice.mls import (
    ExternalSender,
    MlsError,
    proposals_payload,
    read_commit,
    user_of_key_package,
)
from simulator.discord.voice.peers import DaveyPeer, Peer
from tests.fakes.libdave_peer import LibdavePeer

CHANNEL = 927310423890473011
ALICE, BOB, CAROL, DAN = (158049329150427136 + number for number in range(4))
OPUS = bytes(range(60))
Maker = Callable[[int, int, int], Peer]


class Party:
    """People in one call, to whom everything is delivered at once."""

    def __init__(self) -> None:
        self.sender = ExternalSender(CHANNEL)
        self.group = Group(self.sender)
        self.peers: dict[int, Peer] = {}
        self.quiet: set[int] = set()
        """Who answers no proposals."""
        self.slow: set[int] = set()
        """Who does not say that they are ready."""
        self.executed: list[tuple[int, tuple[int, ...]]] = []

    def join(self, user: int, make: Maker = DaveyPeer) -> None:
        self.peers[user] = make(user, CHANNEL, user % 1000)
        self.begin(user)

    def begin(self, user: int) -> None:
        key_package = self.peers[user].begin(self.sender.package())
        assert user_of_key_package(key_package) == user
        self.deliver(self.group.offer(user, key_package))

    def leave(self, user: int) -> None:
        del self.peers[user]
        self.deliver(self.group.leave(user))

    def deliver(self, deliveries: Iterable[Delivery]) -> None:
        waiting: deque[Delivery | tuple[int, bytes]] = deque(deliveries)
        while waiting:
            one = waiting.popleft()
            if isinstance(one, tuple):
                waiting.extend(self.group.commit(*one))
            else:
                waiting.extend(self._deliver(one))

    def _deliver(self, one: Delivery) -> Iterable[Delivery | tuple[int, bytes]]:
        match one:
            case SendProposals(to=to, payload=payload):
                data = self.peers[to].propose(payload, self.peers)
                return [] if data is None or to in self.quiet else [(to, data)]
            case SendCommit(to=to, transition_id=number, commit=commit):
                self.peers[to].announce(commit)
                return [] if to in self.slow else self.group.ready(to, number)
            case SendWelcome(to=to, transition_id=number, welcome=welcome):
                self.peers[to].welcome(welcome, self.peers)
                return [] if to in self.slow else self.group.ready(to, number)
            case Execute(to=members, epoch=epoch):
                self.executed.append((epoch, members))
                for user in members:
                    if user in self.peers:
                        self.peers[user].execute(members)
                return []
            case StartAnew(to=to):
                key_package = self.peers[to].begin(self.sender.package())
                return self.group.offer(to, key_package)

    def unheard(self) -> list[tuple[int, int]]:
        """Return who cannot hear whom."""
        pairs = [(one, other) for one in self.peers for other in self.peers if one != other]
        frames = {user: peer.encrypt(OPUS) or b"" for user, peer in self.peers.items()}
        return [
            (listener, speaker)
            for listener, speaker in pairs
            if self.peers[listener].decrypt(speaker, frames[speaker]) != OPUS
        ]


def party_of(*users: int) -> Party:
    party = Party()
    for user in users:
        party.join(user)
    return party


def test_one_alone_makes_no_group() -> None:
    party = party_of(ALICE)
    assert (party.group.epoch, party.group.members, party.group.is_settled) == (None, [], True)


@pytest.mark.parametrize("makers", [(DaveyPeer, LibdavePeer), (LibdavePeer, DaveyPeer)])
def test_two_of_different_makes_hear_each_other(makers: tuple[Maker, Maker]) -> None:
    party = Party()
    for user, make in zip((ALICE, BOB), makers, strict=True):
        party.join(user, make)
    assert party.unheard() == []
    assert party.executed == [(1, (ALICE, BOB))]


def test_whoever_stays_alone_starts_anew_and_can_be_joined_again() -> None:
    party = party_of(ALICE, BOB)
    party.leave(BOB)
    assert party.group.epoch is None
    party.join(CAROL, LibdavePeer)
    assert (party.unheard(), party.group.members) == ([], [ALICE, CAROL])


def test_who_has_left_cannot_read_what_is_said_afterwards() -> None:
    party = party_of(ALICE, BOB, CAROL)
    gone = party.peers[BOB]
    party.leave(BOB)
    frame = party.peers[ALICE].encrypt(OPUS)
    assert frame is not None
    assert gone.decrypt(ALICE, frame) is None
    assert party.peers[CAROL].decrypt(ALICE, frame) == OPUS


def test_a_leaf_that_became_free_is_given_to_the_next() -> None:
    party = party_of(ALICE, BOB, CAROL)
    party.leave(BOB)
    party.join(DAN)
    assert party.group.members == [ALICE, DAN, CAROL]
    party.leave(DAN)
    assert (party.unheard(), party.group.members) == ([], [ALICE, CAROL])


def test_changes_that_come_while_a_commit_is_awaited_are_made_together_afterwards() -> None:
    party = party_of(ALICE, BOB, CAROL)
    party.slow.add(ALICE)
    party.leave(CAROL)
    transition = party.group.transition_id
    assert transition is not None
    party.join(DAN)
    party.leave(BOB)
    party.join(CAROL, LibdavePeer)
    party.slow.clear()
    party.deliver(party.group.ready(ALICE, transition))
    assert (party.unheard(), sorted(party.group.members)) == ([], [ALICE, CAROL, DAN])
    assert [epoch for epoch, _ in party.executed] == [1, 2, 3, 4]


def test_a_newcomer_who_leaves_before_the_commit_is_removed_after_it() -> None:
    party = party_of(ALICE, BOB)
    package = DaveyPeer(CAROL, CHANNEL, 1).begin(party.sender.package())
    commits = {
        one.to: party.peers[one.to].propose(one.payload, [ALICE, BOB, CAROL]) or b""
        for one in party.group.offer(CAROL, package)
        if isinstance(one, SendProposals)
    }
    party.deliver(party.group.leave(CAROL))
    party.deliver(party.group.commit(ALICE, commits[ALICE]))
    assert (party.unheard(), party.group.members) == ([], [ALICE, BOB])
    assert party.group.is_settled


def test_who_begins_anew_is_removed_and_added_in_one_commit() -> None:
    party = party_of(ALICE, BOB, CAROL)
    party.begin(BOB)
    assert (party.unheard(), sorted(party.group.members)) == ([], [ALICE, BOB, CAROL])


def test_two_who_both_begin_anew_make_another_group() -> None:
    party = party_of(ALICE, BOB)
    party.slow.add(ALICE)
    party.begin(BOB)
    party.begin(ALICE)
    party.slow.clear()
    assert party.group.transition_id is not None
    party.deliver(party.group.give_up_waiting(party.group.transition_id))
    assert (party.unheard(), sorted(party.group.members)) == ([], [ALICE, BOB])


def test_new_keys_are_used_when_waiting_for_the_last_one_is_given_up() -> None:
    party = party_of(ALICE, BOB)
    party.slow.add(BOB)
    party.join(CAROL)
    assert not party.group.is_settled
    transition = party.group.transition_id
    assert transition is not None
    assert party.group.give_up_waiting(transition + 1) == []
    party.deliver(party.group.give_up_waiting(transition))
    assert (party.unheard(), party.group.is_settled) == ([], True)


def test_a_commit_that_nobody_asked_for_changes_nothing() -> None:
    party = Party()
    party.quiet = {ALICE, BOB}
    for user in (ALICE, BOB):
        party.peers[user] = DaveyPeer(user, CHANNEL, 1)
    packages = [party.peers[user].begin(party.sender.package()) for user in (ALICE, BOB)]
    party.group.offer(ALICE, packages[0])
    proposals = party.group.offer(BOB, packages[1])
    commits = [
        party.peers[one.to].propose(one.payload, [ALICE, BOB]) or b""
        for one in proposals
        if isinstance(one, SendProposals)
    ]
    assert party.group.commit(CAROL, commits[0]) == []
    party.deliver(party.group.commit(ALICE, commits[0]))
    assert party.group.commit(BOB, commits[1]) == []
    assert party.unheard() == []


def test_a_commit_of_what_was_never_proposed_is_refused() -> None:
    party = party_of(ALICE, BOB)
    party.quiet = {ALICE, BOB}
    held: list[bytes] = []
    package = DaveyPeer(CAROL, CHANNEL, 1).begin(party.sender.package())
    unknown = party.sender.add(1, DaveyPeer(DAN, CHANNEL, 2).begin(party.sender.package()))
    party.peers[ALICE].propose(proposals_payload([unknown]), [ALICE, BOB, DAN])
    for one in party.group.offer(CAROL, package):
        assert isinstance(one, SendProposals)
        held.append(party.peers[one.to].propose(one.payload, [ALICE, BOB, CAROL, DAN]) or b"")
    with pytest.raises(MlsError):
        party.group.commit(ALICE, held[0])
    assert party.group.members == [ALICE, BOB]


def test_what_is_no_commit_is_told_apart() -> None:
    for data in (b"", b"\x00\x02", b"\x00\x01\x00\x01\x40", bytes(200)):
        with pytest.raises(MlsError):
            read_commit(data)


def test_forty_joins_and_leaves_of_both_makes_leave_nobody_unheard() -> None:
    chance = random.Random(5)  # noqa: S311 - the same each time
    party = Party()
    users = iter(range(ALICE, ALICE + 100))
    makers: list[Maker] = [DaveyPeer, LibdavePeer]
    for _ in range(40):
        here = list(party.peers)
        if len(here) < 2 or (len(here) < 6 and chance.random() < 0.55):
            party.join(next(users), chance.choice(makers))
        else:
            party.leave(chance.choice(here))
        assert (party.unheard(), party.group.is_settled) == ([], True)
        assert len(party.peers) < 2 or sorted(party.group.members) == sorted(party.peers)
