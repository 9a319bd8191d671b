from bot.cards.card import EditPace


def test_turns_in_a_channel_come_one_after_another() -> None:
    pace = EditPace(1.0)

    assert [pace.wait(7, now=100.0) for _ in range(3)] == [0.0, 1.0, 2.0]
    assert pace.wait(7, now=102.5) == 0.5
    assert pace.wait(7, now=200.0) == 0.0


def test_channels_do_not_wait_for_each_other() -> None:
    pace = EditPace(1.0)

    assert [pace.wait(channel, now=100.0) for channel in (7, 8, 9)] == [0.0, 0.0, 0.0]


def test_a_channel_is_left_alone_as_long_as_discord_says() -> None:
    pace = EditPace(1.0)
    pace.hold(7, 30.0, now=100.0)

    assert pace.wait(7, now=110.0) == 20.0
    assert pace.wait(8, now=110.0) == 0.0


def test_channels_in_which_nothing_waits_are_forgotten() -> None:
    pace = EditPace(1.0)
    for channel in range(1001):
        pace.wait(channel, now=float(channel))

    # The last of them alone is still within its second.
    assert pace.wait(1000, now=1000.0) == 1.0
    assert pace.wait(5, now=5.0) == 0.0
