from bot.conversation.refusals import RefusalLimit


def test_a_person_is_refused_aloud_once_a_minute_in_a_channel() -> None:
    limit = RefusalLimit(seconds=60.0)

    said = [limit.may_say(1, 11, at=at) for at in (0.0, 1.0, 59.9, 60.0, 61.0)]

    assert said == [True, False, False, True, False]


def test_another_person_and_another_channel_have_a_minute_of_their_own() -> None:
    limit = RefusalLimit(seconds=60.0)

    assert [limit.may_say(*who, at=0.0) for who in ((1, 11), (2, 11), (1, 12))] == [True] * 3


def test_only_so_many_are_remembered() -> None:
    limit = RefusalLimit()
    for person_id in range(1001):
        limit.may_say(person_id, 11, at=0.0)

    assert limit.may_say(0, 11, at=1.0)
    assert not limit.may_say(1000, 11, at=1.0)
