from bot.discord_io.command_ids import CommandIds
from bot.discord_io.command_store import EVERYWHERE

SLASH, MENU = 1, 3


def test_as_long_as_nothing_is_known_a_command_is_only_named() -> None:
    assert CommandIds().mention("jobs show") == "/jobs show"
    assert CommandIds().known() == {}


def test_a_command_is_known_by_its_first_word() -> None:
    ids = CommandIds()
    ids.learn(EVERYWHERE, {(SLASH, "jobs"): 5, (MENU, "Ask it"): 6})
    assert ids.known() == {"jobs": 5, "Ask it": 6}
    assert ids.mention("jobs show") == "</jobs show:5>"
    assert ids.mention("jobs show", guild_id=7) == "</jobs show:5>"


def test_of_two_of_the_same_name_the_one_after_a_slash_is_meant() -> None:
    ids = CommandIds()
    ids.learn(EVERYWHERE, {(SLASH, "ask"): 5, (MENU, "ask"): 6})
    assert ids.known() == {"ask": 5}


def test_the_commands_of_a_guild_are_meant_in_it() -> None:
    ids = CommandIds()
    ids.learn(EVERYWHERE, {})
    ids.learn(7, {(SLASH, "jobs"): 5})
    assert ids.mention("jobs show") == "</jobs show:5>"
    ids.learn(8, {(SLASH, "jobs"): 6})
    # Which of them is meant cannot be told any more.
    assert ids.mention("jobs show") == "/jobs show"
    assert ids.mention("jobs show", guild_id=8) == "</jobs show:6>"
