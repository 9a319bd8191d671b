from dataclasses import replace
from typing import Any

import pytest

from bot.access import Action
from bot.commands.locales import LOCALES
from bot.commands.spec import CommandKind, CommandSpec, Completes, OptionKind, OptionSpec
from bot.commands.table import COMMANDS, GROUPS
from bot.discord_io.command_table import (
    Registration,
    TypedOption,
    called_command,
    check_number,
    digest_of,
    registration,
    same_registration,
    typed_option,
)
from bot.discord_io.errors import TooManyCommandsError

JOB = OptionSpec(
    name="job", description="Which one.", required=True, completes=Completes.JOB, longest=100
)
CHANNEL = OptionSpec(name="where", description="In which.", kind=OptionKind.TEXT_CHANNEL)
STATE = OptionSpec(name="how", description="How.", required=True, choices=("on", "off"))
FEW = (
    CommandSpec(name="tell", description="Tell.", action=Action.TALK, options=(STATE, CHANNEL)),
    CommandSpec(name="things show", description="Show.", action=Action.TALK, options=(JOB,)),
    CommandSpec(name="things list", description="List.", action=Action.TALK),
    CommandSpec(name="Ask it", description="Ask.", action=Action.TALK, kind=CommandKind.MESSAGE),
)
FEW_GROUPS = {"things": "Things."}


def as_discord_returns(item: dict[str, Any]) -> dict[str, Any]:
    """Return a command, or an option of one, without what says nothing, as Discord does."""
    returned = {key: value for key, value in item.items() if value not in ([], False)}
    returned["description_localizations"] = item.get("description_localizations") or None
    if "options" in item:
        returned["options"] = [as_discord_returns(option) for option in item["options"]]
    return {"id": "1", "version": "2", "nsfw": False, "name_localizations": None} | returned


def test_every_command_is_registered_under_its_first_word_and_its_kind() -> None:
    told = registration(COMMANDS, GROUPS, in_guild=False)
    slash = dict.fromkeys(
        command.name.split()[0] for command in COMMANDS if command.kind is CommandKind.SLASH
    )
    menus = [command.name for command in COMMANDS if command.kind is CommandKind.MESSAGE]
    assert [command["name"] for command in told if command["type"] == 1] == list(slash)
    assert [command["name"] for command in told if command["type"] == 3] == menus


def test_each_kind_of_option_is_told_with_all_that_discord_knows_of_it() -> None:
    tell, things, ask = registration(FEW, FEW_GROUPS, in_guild=True)
    none: dict[str, str] = {}
    assert tell == {
        "type": 1,
        "name": "tell",
        "description": "Tell.",
        "description_localizations": none,
        "options": [
            {
                "type": 3,
                "name": "how",
                "description": "How.",
                "description_localizations": none,
                "required": True,
                "choices": [{"name": "on", "value": "on"}, {"name": "off", "value": "off"}],
            },
            {
                "type": 7,
                "name": "where",
                "description": "In which.",
                "description_localizations": none,
                "required": False,
                "channel_types": [0, 5],
            },
        ],
    }
    assert [one["name"] for one in things["options"]] == ["show", "list"]
    assert things["options"][0]["options"] == [
        {
            "type": 3,
            "name": "job",
            "description": "Which one.",
            "description_localizations": none,
            "required": True,
            "autocomplete": True,
            "max_length": 100,
        }
    ]
    assert ask == {"type": 3, "name": "Ask it", "description": ""}


def test_where_commands_show_is_told_of_those_for_everywhere_alone() -> None:
    for command in registration(FEW, FEW_GROUPS, in_guild=False):
        assert (command["contexts"], command["integration_types"]) == ([0, 1], [0])
    for command in registration(FEW, FEW_GROUPS, in_guild=True):
        assert "contexts" not in command


def test_every_description_that_people_see_comes_in_all_languages() -> None:
    def check(item: dict[str, Any]) -> None:
        assert set(item["description_localizations"]) == set(LOCALES), item["name"]
        for option in item.get("options", ()):
            check(option)

    for command in registration(COMMANDS, GROUPS, in_guild=False):
        if command["type"] == 1:
            check(command)


@pytest.mark.parametrize("in_guild", [True, False])
def test_what_discord_returns_of_the_same_commands_is_the_same(*, in_guild: bool) -> None:
    wanted = registration(COMMANDS, GROUPS, in_guild=in_guild)
    assert same_registration(wanted, [as_discord_returns(one) for one in reversed(wanted)])


def changed(**changes: Any) -> Registration:
    first, *others = registration(COMMANDS, GROUPS, in_guild=False)
    return [{**first, **changes}, *others]


def with_option(**changes: Any) -> Registration:
    first, *others = registration(COMMANDS, GROUPS, in_guild=False)
    option, *options = first["options"]
    return [{**first, "options": [{**option, **changes}, *options]}, *others]


@pytest.mark.parametrize(
    "registered",
    [
        [],
        registration(COMMANDS[1:], GROUPS, in_guild=False),
        changed(name="other"),
        changed(type=2),
        changed(description="other"),
        changed(description_localizations=None),
        changed(contexts=[0]),
        changed(options=[{"type": 3, "name": "more", "description": "More."}]),
        with_option(max_length=1),
        with_option(autocomplete=True),
        with_option(type=7),
        with_option(channel_types=[2]),
        with_option(choices=[{"name": "a", "value": "a"}]),
    ],
)
def test_other_commands_are_not_the_same(registered: Registration) -> None:
    assert not same_registration(registration(COMMANDS, GROUPS, in_guild=False), registered)


def test_the_digest_tells_other_commands_and_no_others_apart() -> None:
    digest = digest_of(registration(COMMANDS, GROUPS, in_guild=False))
    assert digest == digest_of(registration(COMMANDS, GROUPS, in_guild=False))
    assert digest != digest_of(registration(COMMANDS, GROUPS, in_guild=True))
    assert digest != digest_of(changed(description="other"))
    assert digest != digest_of(with_option(description_localizations={}))


def test_no_more_commands_are_registered_than_discord_takes() -> None:
    slash = [replace(FEW[0], name=f"tell-{number}") for number in range(101)]
    in_menus = [replace(FEW[-1], name=f"Ask {number}") for number in range(16)]
    check_number(registration(slash[:100] + in_menus[:15], {}, in_guild=False))
    with pytest.raises(TooManyCommandsError, match="101 slash commands, and Discord takes 100"):
        check_number(registration(slash, {}, in_guild=False))
    with pytest.raises(
        TooManyCommandsError, match="16 commands in message menus, and Discord takes 15"
    ):
        check_number(registration(in_menus, {}, in_guild=False))


def test_those_of_one_group_count_as_one() -> None:
    grouped = [replace(FEW[1], name=f"things show-{number}") for number in range(25)]
    check_number(registration([*grouped, *COMMANDS], {**FEW_GROUPS, **GROUPS}, in_guild=False))


def test_a_call_is_named_whole_and_has_its_options() -> None:
    assert called_command(
        {"name": "notify", "options": [{"name": "state", "type": 3, "value": "on"}]}
    ) == ("notify", {"state": "on"})
    assert called_command({"name": "jobs", "options": [{"name": "list", "type": 1}]}) == (
        "jobs list",
        {},
    )
    assert called_command({"name": "status"}) == ("status", {})
    assert called_command({"name": "Ask Papercup", "type": 3, "target_id": "5"}) == (
        "Ask Papercup",
        {},
    )


def test_what_is_typed_is_found_among_the_options_that_are_filled_in() -> None:
    name = {"name": "name", "type": 3, "value": "fix"}
    model = {"name": "model", "type": 3, "value": "op", "focused": True}
    typing = {"name": "pickup", "options": [name, model]}
    assert typed_option(typing) == TypedOption(
        command="pickup", option="model", typed="op", given={"name": "fix"}
    )
    show = {"name": "show", "type": 1, "options": [{"name": "job", "value": "", "focused": True}]}
    assert typed_option({"name": "jobs", "options": [show]}) == TypedOption(
        command="jobs show", option="job", typed="", given={}
    )
    with pytest.raises(ValueError, match="/status"):
        typed_option({"name": "status"})
