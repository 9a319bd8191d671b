from bot.plugin_services.plugin_pace import MOST_A_MINUTE, MOST_IN_A_ROW, PluginPace


def test_a_plugin_posts_so_much_a_minute_in_each_session() -> None:
    pace = PluginPace()

    at_once = [pace.may_say("todo", "s1", at=0.0) for _ in range(MOST_A_MINUTE + 1)]

    assert at_once == [*[True] * MOST_A_MINUTE, False]
    assert pace.may_say("todo", "s2", at=0.0)
    assert pace.may_say("dice", "s1", at=0.0)
    assert not pace.may_say("todo", "s1", at=59.9)
    assert pace.may_say("todo", "s1", at=60.0)


def test_plugins_do_not_answer_each_other_for_ever() -> None:
    pace = PluginPace()

    row = [pace.may_begin_turn("s1", out_of_own=number > 0) for number in range(MOST_IN_A_ROW + 2)]

    assert row == [*[True] * MOST_IN_A_ROW, False, False]
    assert pace.may_begin_turn("s2", out_of_own=True)


def test_what_a_person_says_ends_a_row() -> None:
    pace = PluginPace()
    for _ in range(MOST_IN_A_ROW):
        assert pace.may_begin_turn("s1", out_of_own=True)

    assert pace.may_begin_turn("s1", out_of_own=False)

    assert pace.may_begin_turn("s1", out_of_own=True)
