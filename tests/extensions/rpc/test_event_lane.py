from extensions.rpc.event_lane import EventLane


def lane(*, limit: int = 3, limit_bytes: int = 100) -> EventLane:
    return EventLane(limit=limit, limit_bytes=limit_bytes, lost_line=lambda n: b"lost %d" % n)


def taken(events: EventLane) -> list[bytes]:
    return list(iter(events.take, None))


def test_events_are_taken_in_their_order() -> None:
    events = lane()
    for line in (b"1", b"2", b"3"):
        events.put(line)

    assert len(events) == 3
    assert taken(events) == [b"1", b"2", b"3"]


def test_the_oldest_are_lost_and_one_line_in_their_place_says_how_many() -> None:
    events = lane()
    for number in range(10):
        events.put(b"%d" % number)

    assert taken(events) == [b"lost 7", b"7", b"8", b"9"]
    events.put(b"10")
    assert taken(events) == [b"10"]
    assert events.lost == 7


def test_large_events_are_lost_sooner() -> None:
    events = lane(limit_bytes=10)
    for line in (b"aaaa", b"bbbb", b"cccc"):
        events.put(line)
    assert taken(events) == [b"lost 1", b"bbbb", b"cccc"]

    events.put(b"x" * 11)
    assert taken(events) == [b"lost 1"]
