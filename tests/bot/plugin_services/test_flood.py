from bot.plugin_services.flood import FloodLimit


def test_so_many_pass_in_a_while_and_no_more() -> None:
    limit = FloodLimit(2, 60.0)

    assert [limit.passes("a", now=now) for now in (0.0, 1.0, 2.0, 59.9)] == [
        True,
        True,
        False,
        False,
    ]
    assert [limit.passes("a", now=now) for now in (60.0, 60.5, 61.0)] == [True, False, True]
    assert limit.passes("b", now=2.0)


def test_that_something_was_refused_is_news_once_in_a_while() -> None:
    limit = FloodLimit(1, 60.0)

    assert [limit.is_news("a", now=now) for now in (0.0, 1.0, 61.0)] == [True, False, True]


def test_those_that_are_not_heard_of_any_more_are_forgotten() -> None:
    limit = FloodLimit(1, 60.0)
    for number in range(1001):
        assert limit.passes(number, now=0.0)
        assert limit.is_news(number, now=0.0)

    assert limit.passes(0, now=1.0)
    assert limit.is_news(0, now=1.0)
    assert not limit.passes(1000, now=1.0)
