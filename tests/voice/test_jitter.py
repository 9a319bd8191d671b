"""Packets of one person: order, loss, silence, and senders that begin anew."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from voice.events import SILENCE, HeardPacket
from voice.jitter import JitterBuffer, Lost, Playable, Received, Silent


def packet(number: int, *, at: float | None = None, opus: bytes | None = None) -> HeardPacket:
    return HeardPacket(
        person_id=1,
        sequence=number % 65_536,
        timestamp=960 * number % 2**32,
        opus=opus or b"%d" % number,
        at=number * 0.02 if at is None else at,
    )


def received(number: int, *, at: float | None = None) -> Received:
    return Received(opus=b"%d" % number, at=number * 0.02 if at is None else at)


def put(buffer: JitterBuffer, *packets: HeardPacket) -> list[Playable]:
    due: list[Playable] = []
    for one in packets:
        buffer.put(one)
        due += buffer.due(one.at)
    return due


def test_packets_in_order_go_on_at_once() -> None:
    assert put(JitterBuffer(), packet(0), packet(1), packet(2)) == [
        received(0),
        received(1),
        received(2),
    ]


def test_a_packet_that_was_overtaken_is_put_back_in_its_place() -> None:
    counts = Counter[str]()
    buffer = JitterBuffer(counts)
    due = put(buffer, packet(0), packet(2, at=0.021), packet(1, at=0.039), packet(3))
    assert due == [received(0), received(1, at=0.039), received(2, at=0.021), received(3)]
    assert counts["lost"] == 0


def test_a_gap_is_waited_for_for_60_ms_and_then_given_up() -> None:
    counts = Counter[str]()
    buffer = JitterBuffer(counts)
    assert put(buffer, packet(0), packet(2)) == [received(0)]
    assert buffer.next_at == 0.04 + 0.06
    assert buffer.due(0.099) == []
    assert buffer.due(0.1) == [Lost(next_opus=b"2", at=0.04), received(2)]
    assert counts == {"packets": 2, "lost": 1}


def test_of_several_lost_packets_only_the_last_can_be_recovered_from_the_next() -> None:
    buffer = JitterBuffer()
    put(buffer, packet(0), packet(3, at=0.03))
    assert buffer.due(0.09) == [
        Lost(next_opus=None, at=0.03),
        Lost(next_opus=b"3", at=0.03),
        received(3, at=0.03),
    ]


def test_a_packet_that_comes_too_late_or_twice_is_left_out() -> None:
    counts = Counter[str]()
    buffer = JitterBuffer(counts)
    put(buffer, packet(0), packet(2))
    buffer.due(0.1)
    assert put(buffer, packet(1, at=0.11), packet(2, at=0.11), packet(0, at=0.11)) == []
    assert put(buffer, packet(4, at=0.111), packet(4, at=0.112)) == []
    assert counts["late"] == 4


def test_sequence_numbers_begin_again_after_the_last() -> None:
    due = put(JitterBuffer(), packet(65_534), packet(65_536), packet(65_535), packet(65_537))
    assert [item.opus for item in due if isinstance(item, Received)] == [
        b"65534",
        b"65535",
        b"65536",
        b"65537",
    ]


def test_a_sender_that_begins_anew_far_away_is_followed_at_once() -> None:
    counts = Counter[str]()
    buffer = JitterBuffer(counts)
    put(buffer, packet(100), packet(101))
    assert put(buffer, packet(5000, at=3.0), packet(5001, at=3.02))[-2:] == [
        received(5000, at=3.0),
        received(5001, at=3.02),
    ]
    assert counts["lost"] == 0
    assert counts["restarts"] == 1


def test_a_sender_that_begins_anew_a_little_behind_is_known_by_its_timestamp() -> None:
    buffer = JitterBuffer()
    put(buffer, packet(100), packet(101))
    anew = HeardPacket(person_id=1, sequence=90, timestamp=2**31, opus=b"new", at=3.0)
    assert put(buffer, anew)[-1] == Received(opus=b"new", at=3.0)


def test_a_sender_that_counts_from_the_beginning_again_is_followed_after_a_second() -> None:
    buffer = JitterBuffer()
    put(buffer, *map(packet, range(4)))
    assert put(buffer, packet(0, at=1.05)) == [Silent(since=0.16)]
    assert put(buffer, packet(1, at=1.07), packet(2, at=1.09)) == [
        received(1, at=1.07),
        received(2, at=1.09),
    ]


def test_the_first_silence_packet_tells_that_somebody_is_silent_and_the_others_nothing() -> None:
    buffer = JitterBuffer()
    silence = [packet(number, opus=SILENCE) for number in range(1, 6)]
    assert put(buffer, packet(0), *silence) == [received(0), Silent(since=0.02)]
    assert buffer.next_at is None
    assert buffer.due(100.0) == []


def test_somebody_of_whom_no_packet_comes_for_100_ms_is_silent_from_then_on() -> None:
    buffer = JitterBuffer()
    put(buffer, packet(0))
    assert buffer.next_at == 0.1
    assert buffer.due(0.099) == []
    assert buffer.due(0.11) == [Silent(since=0.1)]
    assert put(buffer, packet(1, at=5.0)) == [received(1, at=5.0)]


def test_lost_silence_packets_are_not_concealed() -> None:
    buffer = JitterBuffer()
    assert put(buffer, packet(0), packet(3, opus=SILENCE)) == [received(0)]
    assert buffer.due(0.12) == [Silent(since=0.06)]
    assert buffer.next_at is None
    assert put(buffer, packet(5, opus=SILENCE)) == []
    assert buffer.due(0.3) == []


def test_after_silence_one_lost_packet_is_recovered_and_the_others_are_silence() -> None:
    counts = Counter[str]()
    buffer = JitterBuffer(counts)
    put(buffer, packet(0), packet(1, opus=SILENCE))
    assert put(buffer, packet(8, at=4.0)) == []
    assert buffer.due(4.06)[:2] == [Lost(next_opus=b"8", at=4.0), received(8, at=4.0)]
    assert counts["lost"] == 6


def test_a_long_gap_is_concealed_for_a_fifth_of_a_second_only() -> None:
    counts = Counter[str]()
    buffer = JitterBuffer(counts)
    put(buffer, packet(0), packet(60, at=0.02))
    assert sum(isinstance(item, Lost) for item in buffer.due(0.08)) == 10
    assert counts["lost"] == 59


@given(
    order=st.lists(st.integers(0, 40), max_size=60),
    steps=st.lists(st.floats(0, 0.016), min_size=60, max_size=60),
)
def test_whatever_arrives_goes_on_in_order_and_at_most_once_and_nothing_is_kept_for_long(
    order: list[int], steps: list[float]
) -> None:
    buffer, now, heard = JitterBuffer(), 0.0, list[int]()
    for number, step in zip(order, steps, strict=False):
        now += step
        buffer.put(packet(number, at=now))
        heard += [int(item.opus) for item in buffer.due(now) if isinstance(item, Received)]
    heard += [int(item.opus) for item in buffer.due(now + 0.1) if isinstance(item, Received)]
    assert heard == sorted(set(heard))
    assert buffer.due(now + 1) == buffer.due(now + 2) == []
    assert buffer.next_at is None


def test_of_a_flood_only_so_much_is_heard_as_somebody_can_say() -> None:
    counts = Counter[str]()
    buffer = JitterBuffer(counts)
    put(buffer, *(packet(number, at=number * 0.001) for number in range(10_000)))
    assert counts["packets"] - counts["too many"] == 250 + 10 * 75 - 1


def test_what_a_network_held_back_for_seconds_is_heard() -> None:
    counts = Counter[str]()
    buffer = JitterBuffer(counts)
    put(buffer, *(packet(number) for number in range(1_000)))
    put(buffer, *(packet(number, at=25.0) for number in range(1_000, 1_250)))
    put(buffer, *(packet(number) for number in range(1_251, 2_000)))
    assert "too many" not in counts
