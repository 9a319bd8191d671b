from typing import Any

import pytest

from simulator.discord.commands import (
    autocomplete_data,
    call_data,
    check_commands,
    command_names,
)
from simulator.discord.errors import ApiError, BadOptionError, UnknownCommandError

STATE = {
    "type": 3,
    "name": "state",
    "description": "Which",
    "required": True,
    "choices": [{"name": "On", "value": "on"}, {"name": "Off", "value": "off"}],
}
NOTIFY = {"id": "1", "name": "notify", "description": "Notices", "options": [STATE]}
SHOW = {
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
