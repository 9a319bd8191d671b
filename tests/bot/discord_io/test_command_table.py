from typing import Any

import pytest

from bot.discord_io.command_table import (
    COMMANDS,
    GROUPS,
    called_command,
    registration,
    same_registration,
)


def as_discord_returns(command: dict[str, Any]) -> dict[str, Any]:
    options = [
        {key: value for key, value in option.items() if value not in ([], False)}
        for option in command["options"]
    ]
    more = {"id": "1", "version": "2", "nsfw": False, "default_member_permissions": None}
    return {**command, **more, "options": options}


def test_every_command_is_registered_under_its_first_word() -> None:
    told = registration(COMMANDS, GROUPS, in_guild=False)
    assert [command["name"] for command in told] == [
        "pickup",
        "hangup",
        "status",
        "cancel",
        "notify",
        "jobs",
    ]


def test_a_command_of_a_group_is_a_subcommand() -> None:
    jobs = registration(COMMANDS, GROUPS, in_guild=True)[-1]
    assert jobs == {
        "type": 1,
        "name": "jobs",
        "description": "Background jobs.",
        "options": [
            {
                "type": 1,
                "name": "list",
                "description": "List the newest background jobs.",
                "options": [],
            }
        ],
    }


@pytest.mark.parametrize("in_guild", [True, False])
def test_what_discord_returns_of_the_same_commands_is_the_same(*, in_guild: bool) -> None:
    wanted = registration(COMMANDS, GROUPS, in_guild=in_guild)
    assert same_registration(wanted, [as_discord_returns(one) for one in reversed(wanted)])


def changed(**changes: Any) -> list[dict[str, Any]]:
    first, *others = registration(COMMANDS, GROUPS, in_guild=False)
    return [{**first, **changes}, *others]


@pytest.mark.parametrize(
    "registered",
    [
        [],
        registration(COMMANDS[1:], GROUPS, in_guild=False),
        changed(name="other"),
        changed(description="other"),
        changed(contexts=[0]),
        changed(options=[{"type": 3, "name": "more", "description": "More."}]),
    ],
)
def test_other_commands_are_not_the_same(registered: list[dict[str, Any]]) -> None:
    assert not same_registration(registration(COMMANDS, GROUPS, in_guild=False), registered)


def test_a_call_is_named_whole_and_has_its_options() -> None:
    assert called_command(
        {"name": "notify", "options": [{"name": "state", "type": 3, "value": "on"}]}
    ) == ("notify", {"state": "on"})
    assert called_command({"name": "jobs", "options": [{"name": "list", "type": 1}]}) == (
        "jobs list",
        {},
    )
    assert called_command({"name": "status"}) == ("status", {})
