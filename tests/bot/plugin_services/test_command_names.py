import re

from bot.plugin_services.command_names import LONGEST_NAME, CommandKey, name_commands

DISCORD_TAKES = re.compile(r"[a-z0-9_-]{1,32}")


def key(plugin_id: str, name: str) -> CommandKey:
    return CommandKey(plugin_id, name)


def test_a_command_has_its_own_name_if_nobody_else_has_it() -> None:
    roll, say = key("dice", "roll"), key("echo", "echo-cmd")
    names = name_commands([roll, say], taken={"jobs"}, room=10)
    assert names.own == {"roll": roll, "echo-cmd": say}
    assert names.typed == {
        "roll": roll,
        "dice:roll": roll,
        "echo-cmd": say,
        "echo:echo-cmd": say,
    }


def test_of_two_of_one_name_the_first_has_it_and_the_other_bears_its_plugins_id() -> None:
    first, second = key("dice", "roll"), key("cinnamon", "roll")
    names = name_commands([first, second], taken=(), room=10)
    assert names.own == {"roll": first, "cinnamon-roll": second}
    assert names.typed["roll"] == first
    assert names.typed["cinnamon-roll"] == names.typed["cinnamon:roll"] == second


def test_no_command_takes_a_name_of_the_bots_own() -> None:
    status = key("ci", "status")
    names = name_commands([status], taken={"status"}, room=10)
    assert names.own == {"ci-status": status}
    assert "status" not in names.typed
    assert names.typed["ci:status"] == status


def test_discord_takes_every_name_that_is_given() -> None:
    odd = ["Réseau State", "x" * 60, "y" * 59 + "1", "y" * 59 + "2", "жук", "--", "a/b:c", "🎲"]
    keys = [key("p", name) for name in odd]
    names = name_commands(keys, taken=(), room=100)
    assert all(DISCORD_TAKES.fullmatch(name) for name in names.own)
    assert all(len(name) <= LONGEST_NAME for name in names.own)
    assert len(names.own) == len(set(names.own.values()))
    assert names.own["r-seau-state"] == keys[0]
    assert {names.typed[str(each)] for each in keys} == set(keys)


def test_what_there_is_no_room_for_can_still_be_typed() -> None:
    keys = [key("many", f"c{number}") for number in range(5)]
    names = name_commands(keys, taken={"jobs"}, room=3)
    assert list(names.own) == ["c0", "c1", "c2"]
    assert names.typed["c4"] == keys[4]


def test_a_plugin_that_brings_a_command_twice_gets_one_name_that_works() -> None:
    roll = key("dice", "roll")
    names = name_commands([roll, key("dice", "Roll")], taken=(), room=10)
    assert names.own["roll"] == roll
    assert names.own["dice-roll"] == key("dice", "Roll")
