"""What becomes of a datagram; those that are encrypted end to end are tested in the simulator."""

from collections import Counter
from dataclasses import dataclass, field
from typing import cast

import davey

from bot.discord_io.voice import rtp, transport
from bot.discord_io.voice.deafness import Deafness, DeafnessOptions
from bot.discord_io.voice.transport import TransportMode
from bot.discord_io.voice.unsealing import Unsealer
from voice.events import SILENCE, HeardPacket

KEY = bytes(range(32))
BOT, ALICE, BOB = 1, 2, 3
OWN_STREAM, STREAM = 90, 91


@dataclass
class Keys:
    """As those of a connection on a stage."""

    mode: str = TransportMode.XCHACHA
    secret_key: list[int] = field(default_factory=lambda: list(KEY))
    ssrc: int = OWN_STREAM
    dave_session: davey.DaveSession | None = None
    dave_protocol_version: int = 0


class Ear:
    def __init__(self, keys: Keys | None = None) -> None:
        self.keys = keys or Keys()
        self.counts = Counter[str]()
        self.deaf: list[bool] = []
        options = DeafnessOptions(packets=3, seconds=1.0)
        self.unsealer = Unsealer(
            self.keys, BOT, self.counts, Deafness(options), lambda: self.deaf.append(True)
        )

    def hear(
        self, audio: bytes, *, number: int = 1, at: float = 0.0, ssrc: int = STREAM
    ) -> HeardPacket | None:
        header = rtp.header(sequence=number, timestamp=960 * number, ssrc=ssrc)
        datagram = transport.sealed(self.keys.mode, KEY, number, header, audio)
        return self.unsealer.heard(datagram, at)


def packet(audio: bytes, *, number: int = 1, at: float = 0.0, by: int = ALICE) -> HeardPacket:
    return HeardPacket(person_id=by, sequence=number, timestamp=960 * number, opus=audio, at=at)


def test_what_is_said_on_a_stage_is_that_of_whoever_is_named() -> None:
    ear = Ear()
    assert ear.unsealer.learn(STREAM, ALICE) == []
    assert ear.hear(b"audio", at=3.0) == packet(b"audio", at=3.0)
    assert ear.hear(SILENCE, number=2) == packet(SILENCE, number=2)
    assert ear.counts == {"received": 1, "silence": 1}


def test_what_the_network_delivers_twice_is_heard_once() -> None:
    ear = Ear()
    ear.unsealer.learn(STREAM, ALICE)
    heard = [ear.hear(b"audio", number=number) for number in (1, 2, 1, 3, 2)]
    assert [said and said.sequence for said in heard] == [1, 2, None, 3, None]
    assert ear.counts == {"received": 3, "twice": 2}
    ear.unsealer.begin_anew()
    ear.unsealer.learn(STREAM, ALICE)
    assert ear.hear(b"audio", number=3) == packet(b"audio", number=3)


def test_what_came_before_somebody_was_named_is_theirs_if_it_is_not_old() -> None:
    ear = Ear()
    for number, at in ((1, 0.0), (2, 0.5), (3, 1.2)):
        assert ear.hear(b"audio", number=number, at=at) is None
    assert ear.hear(SILENCE, number=4, at=1.2) is None
    expected = [packet(b"audio", number=2, at=0.5), packet(b"audio", number=3, at=1.2)]
    assert ear.unsealer.learn(STREAM, ALICE) == expected
    assert ear.counts == {"received": 2, "silence": 1, "unknown speaker": 1}


def test_only_so_much_is_kept_of_only_so_many() -> None:
    ear = Ear()
    for number in range(100):
        ear.hear(b"audio", number=number)
    assert len(ear.unsealer.learn(STREAM, ALICE)) == 50
    for ssrc in range(100, 200):
        ear.hear(b"audio", ssrc=ssrc)
    kept = [ssrc for ssrc in range(100, 200) if ear.unsealer.learn(ssrc, ssrc)]
    assert kept == list(range(100, 116))


def test_who_has_left_and_who_was_before_is_nobody() -> None:
    ear = Ear()
    ear.unsealer.learn(STREAM, ALICE)
    ear.unsealer.forget(ALICE)
    assert ear.hear(b"audio") is None
    ear.unsealer.begin_anew()
    assert ear.unsealer.learn(STREAM, BOB) == []


def test_what_is_not_authentic_or_the_bots_own_is_passed_over() -> None:
    ear = Ear()
    ear.unsealer.learn(STREAM, ALICE)
    assert ear.hear(b"audio", ssrc=OWN_STREAM) is None
    assert ear.unsealer.heard(b"odd", 0.0) is None
    ear.keys.secret_key = list(bytes(32))
    assert ear.hear(b"audio") is None
    ear.keys.secret_key = []
    assert ear.hear(b"audio") is None
    assert ear.counts == {"other": 1, "not authentic": 1}


def test_what_is_not_encrypted_where_it_has_to_be_is_refused() -> None:
    ear = Ear(Keys(dave_protocol_version=1))
    ear.unsealer.learn(STREAM, ALICE)
    assert ear.hear(b"audio") is None
    assert ear.counts == {"undecryptable": 1}


def test_a_stream_that_cannot_be_decrypted_for_long_is_deafness() -> None:
    session = davey.DaveSession(1, BOT, 5)
    ear = Ear(Keys(dave_protocol_version=1, dave_session=session))
    for number, at in enumerate((0.0, 0.5, 0.9)):
        ear.hear(b"audio\xfa\xfa", number=number, at=at)
    assert ear.deaf == []
    ear.hear(b"audio\xfa\xfa", number=4, at=1.0)
    assert (ear.deaf, ear.counts) == ([True], {"unknown speaker": 4})


class Group:
    """Stands in for the group of a call: a frame is what was said, who said it, and the mark."""

    ready = True

    def __init__(self, *people: int, lets_through: bool = False) -> None:
        self.people = people
        self.lets_through = lets_through
        """Whether frames that are not really encrypted come back as they are."""

    def get_user_ids(self) -> list[str]:
        return [str(person_id) for person_id in self.people]

    def decrypt(self, person_id: int, _: object, frame: bytes) -> bytes:
        if frame.endswith(b"|%d\xfa\xfa" % person_id):
            return frame.partition(b"|")[0]
        if self.lets_through and b"|" not in frame:
            return frame
        raise ValueError("it does not fit")


def in_group(group: Group) -> Ear:
    session = cast("davey.DaveSession", group)
    return Ear(Keys(dave_protocol_version=1, dave_session=session))


def test_a_stream_that_nobody_was_named_for_is_that_of_whose_key_fits() -> None:
    ear = in_group(Group(BOT, ALICE, BOB))
    assert ear.hear(b"hello|3\xfa\xfa") == packet(b"hello", by=BOB)
    assert ear.counts == {"speaker found by trial": 1, "received": 1}


def test_what_only_seems_to_be_encrypted_is_nobodys_while_keys_change() -> None:
    ear = in_group(Group(BOT, ALICE, BOB, lets_through=True))
    assert ear.hear(b"hello\xfa\xfa") is None
    assert ear.unsealer.learn(STREAM, BOB) == []


def test_the_key_of_another_person_does_not_make_a_stream_theirs_that_is_somebodys() -> None:
    ear = in_group(Group(BOT, ALICE, BOB))
    ear.unsealer.learn(STREAM, BOB)
    assert ear.hear(b"hello|2\xfa\xfa") is None
    assert ear.hear(b"hello|3\xfa\xfa", number=2) == packet(b"hello", number=2, by=BOB)
    assert ear.counts == {"undecryptable": 1, "received": 1}


def test_the_stream_of_somebody_who_is_gone_may_be_anothers_by_now() -> None:
    ear = in_group(Group(BOT, ALICE))
    ear.unsealer.learn(STREAM, BOB)
    assert ear.hear(b"hello|2\xfa\xfa") == packet(b"hello", by=ALICE)


def test_streams_of_long_ago_leave_room_for_those_of_now() -> None:
    ear = Ear()
    for ssrc in range(100, 116):
        ear.hear(b"audio", ssrc=ssrc)
    ear.hear(b"audio", ssrc=STREAM, at=5.0)
    assert ear.unsealer.learn(STREAM, ALICE) == [packet(b"audio", at=5.0)]
