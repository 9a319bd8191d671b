from typing import Any

import pytest

from simulator.discord.command_rules import check_commands
from simulator.discord.commands import autocomplete_data, call_data, command_names, menu_data
from simulator.discord.errors import ApiError, BadOptionError, UnknownCommandError

STATE: dict[str, Any] = {
    "type": 3,
    "name": "state",
    "description": "Which",
    "required": True,
    "choices": [{"name": "On", "value": "on"}, {"name": "Off", "value": "off"}],
}
NOTIFY = {"id": "1", "name": "notify", "description": "Notices", "options": [STATE]}
SHOW: dict[str, Any] = {
    "type": 1,
    "name": "show",
    "description": "One job",
    "options": [{"type": 3, "name": "job", "description": "Which", "autocomplete": True}],
}
JOBS = {
    "id": "2",
    "name": "jobs",
    "description": "Jobs",
    "guild_id": "5",
    "options": [
        {"type": 1, "name": "list", "description": "All"},
        {"type": 2, "name": "one", "description": "One", "options": [SHOW]},
    ],
}
ASK: dict[str, Any] = {"id": "3", "name": "Ask Me", "type": 3}
COMMANDS: list[dict[str, Any]] = [NOTIFY, JOBS]


def test_commands_are_called_by_their_whole_name() -> None:
    assert command_names(COMMANDS) == ["notify", "jobs list", "jobs one show"]


def test_calling_a_command_sends_its_options() -> None:
    assert call_data(COMMANDS, "notify", {"state": "on"}) == {
        "id": "1",
        "name": "notify",
        "type": 1,
        "options": [{"type": 3, "name": "state", "value": "on"}],
    }


def test_a_subcommand_is_nested_in_its_group() -> None:
    assert autocomplete_data(COMMANDS, "jobs one show", "job", "fib") == {
        "id": "2",
        "name": "jobs",
        "type": 1,
        "guild_id": "5",
        "options": [
            {
                "type": 2,
                "name": "one",
                "options": [
                    {
                        "type": 1,
                        "name": "show",
                        "options": [
                            {"type": 3, "name": "job", "value": "fib", "focused": True},
                        ],
                    }
                ],
            }
        ],
    }


def test_a_command_in_a_menu_is_about_its_target() -> None:
    assert menu_data([*COMMANDS, ASK], "Ask Me", 3, 77) == {
        "id": "3",
        "name": "Ask Me",
        "type": 3,
        "target_id": "77",
    }
    with pytest.raises(UnknownCommandError, match="there are none"):
        menu_data([*COMMANDS, ASK], "Ask Me", 2, 77)


@pytest.mark.parametrize(
    ("needed", "permissions", "is_shown"),
    [(None, 0, True), ("32", 0, False), ("32", 32, True), ("0", 32, False), ("0", 8, True)],
)
def test_who_may_too_little_is_not_shown_a_command(
    needed: str | None,
    permissions: int,
    is_shown: bool,  # noqa: FBT001 - pytest fills it in
) -> None:
    commands = [{**NOTIFY, "default_member_permissions": needed}]
    if is_shown:
        call_data(commands, "notify", {"state": "on"}, permissions=permissions)
    else:
        with pytest.raises(UnknownCommandError):
            call_data(commands, "notify", {"state": "on"}, permissions=permissions)


def test_as_many_commands_of_each_kind_as_discord_takes_are_taken() -> None:
    slash = [{**NOTIFY, "name": f"n{number}"} for number in range(100)]
    menus = [{**ASK, "name": f"N {number}"} for number in range(15)]
    check_commands([*slash, *menus, *({**menu, "type": 2} for menu in menus)])


def test_what_the_other_options_hold_comes_with_what_is_typed() -> None:
    other = {"type": 4, "name": "count", "description": "How many"}
    commands = [{**SHOW, "id": "4", "type": 1, "options": [*SHOW["options"], other]}]
    data = autocomplete_data(commands, "show", "job", "f", filled={"count": 3})
    assert data["options"] == [
        {"type": 4, "name": "count", "value": 3},
        {"type": 3, "name": "job", "value": "f", "focused": True},
    ]


def test_a_value_that_is_no_choice_cannot_be_sent() -> None:
    with pytest.raises(BadOptionError, match="'maybe' is none of"):
        call_data(COMMANDS, "notify", {"state": "maybe"})


def test_an_option_without_autocomplete_does_not_complete() -> None:
    with pytest.raises(BadOptionError, match="does not complete"):
        autocomplete_data(COMMANDS, "notify", "state", "o")


def test_a_guilds_command_is_not_there_in_direct_messages() -> None:
    with pytest.raises(UnknownCommandError, match=r"there are notify$"):
        call_data(COMMANDS, "jobs list", {}, is_direct=True)


@pytest.mark.parametrize(
    ("commands", "path"),
    [
        ([{**NOTIFY, "name": "Notify"}], ["0", "name"]),
        ([{**NOTIFY, "name": "no tify"}], ["0", "name"]),
        ([{**NOTIFY, "description": ""}], ["0", "description"]),
        ([{**NOTIFY, "description": "d" * 101}], ["0", "description"]),
        ([NOTIFY, NOTIFY], ["1"]),
        ([{**NOTIFY, "options": [{**STATE, "name": ""}]}], ["0", "options", "0", "name"]),
        (
            [{**NOTIFY, "options": [{**STATE, "name": "a", "required": False}, STATE]}],
            ["0", "options"],
        ),
        ([{**NOTIFY, "name": f"n{number}"} for number in range(101)], ["commands"]),
        ([{**ASK, "name": f"n{number}"} for number in range(16)], ["commands"]),
        ([{**ASK, "description": "no"}], ["0", "description"]),
        ([{**ASK, "options": [STATE]}], ["0", "options"]),
        ([{**ASK, "name": "n" * 33}], ["0", "name"]),
        ([ASK, ASK], ["1"]),
        ([{**ASK, "type": 5}], ["0", "type"]),
        (
            [{**NOTIFY, "description_localizations": {"tlh": "nuqneH"}}],
            ["0", "description_localizations", "tlh"],
        ),
        (
            [{**NOTIFY, "description_localizations": {"de": "d" * 101}}],
            ["0", "description_localizations", "de"],
        ),
        ([{**NOTIFY, "name_localizations": {"de": "Hinweise"}}], ["0", "name"]),
        ([{**NOTIFY, "options": [STATE] * 2}], ["0", "options"]),
        (
            [{**NOTIFY, "options": [{**STATE, "name": f"n{n}"} for n in range(26)]}],
            ["0", "options"],
        ),
        ([{**NOTIFY, "options": [SHOW, STATE]}], ["0", "options"]),
        (
            [{**NOTIFY, "options": [{**STATE, "autocomplete": True}]}],
            ["0", "options", "0", "autocomplete"],
        ),
        ([{**NOTIFY, "options": [{**STATE, "type": 12}]}], ["0", "options", "0", "type"]),
        (
            [{**NOTIFY, "options": [{**STATE, "choices": [{"name": "One", "value": 1}]}]}],
            ["0", "options", "0", "choices", "0", "value"],
        ),
        (
            [{**NOTIFY, "options": [{**STATE, "choices": STATE["choices"] * 13}]}],
            ["0", "options", "0", "choices"],
        ),
        (
            [
                {
                    **NOTIFY,
                    "options": [
                        {**STATE, "name": f"n{n}", "choices": [], "description": "d" * 100}
                        | {
                            "choices": [
                                {"name": f"{k}" + "c" * 90, "value": f"{k}"} for k in range(9)
                            ]
                        }
                        for n in range(9)
                    ],
                }
            ],
            ["0"],
        ),
    ],
)
def test_commands_that_discord_would_refuse_are_refused(
    commands: list[dict[str, Any]], path: list[str]
) -> None:
    with pytest.raises(ApiError) as refused:
        check_commands(commands)
    found: Any = refused.value.errors
    for part in path:
        found = found[part]
