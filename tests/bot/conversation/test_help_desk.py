"""What `/help` and `/whoami` tell."""

import pytest

from bot.access import TABLE, Action, Person, Place, Reach, Standing
from bot.commands.spec import CommandKind, CommandSpec, Completes
from bot.commands.table import COMMANDS
from bot.conversation.help_desk import HelpDesk
from bot.conversation.incoming import CommandCall, Completion

HERE = Place(guild_id=1, channel_id=2)
OLGA = Person(id=3, name="olga", guild_id=1)


def desk_for(standing: Standing) -> HelpDesk:
    return HelpDesk(standing_of=lambda _, __: standing, mention=lambda name: f"</{name}:7>")


async def told(standing: Standing, command: str, /, **options: str) -> str:
    call = CommandCall(name=command, options=options, person=OLGA, place=HERE)
    content = await desk_for(standing).offer().commands[command](call)
    assert len(content.text) <= 2000
    return content.text


@pytest.mark.parametrize("standing", [Standing.OWNER, Standing.USER])
async def test_help_names_every_command_that_one_may_call_and_no_other(standing: Standing) -> None:
    text = await told(standing, "help")
    for spec in COMMANDS:
        shown = f"</{spec.name}:7>" if spec.kind is CommandKind.SLASH else f"*{spec.name}*"
        assert (shown in text) == (TABLE[spec.action][standing] is not Reach.NONE), spec.name


async def test_a_stranger_is_offered_nothing_but_help_itself() -> None:
    text = await told(Standing.STRANGER, "help")
    assert "</pickup:7>" not in text
    assert "Jobs" not in text


@pytest.mark.parametrize("spec", COMMANDS, ids=lambda spec: spec.name)
async def test_help_with_a_name_tells_the_options_and_who_may(spec: CommandSpec) -> None:
    text = await told(Standing.USER, "help", command=spec.name)
    assert spec.description in text
    for option in spec.options:
        assert f"`{option.name}`" in text
    assert "-# For: owner" in text


async def test_an_unknown_command_is_said_to_be_unknown() -> None:
    text = await told(Standing.USER, "help", command="/fly")
    assert text == "There is no command `fly`. </help:7> lists them all."


@pytest.mark.parametrize("standing", list(Standing))
async def test_whoami_shows_each_right_as_the_table_has_it(standing: Standing) -> None:
    first, *rights = (await told(standing, "whoami")).splitlines()
    assert first == f"You are **olga**; here that is: **{standing}**."
    assert len(rights) == len(Action)
    for action, line in zip(Action, rights, strict=True):
        assert line.startswith("🚫") == (TABLE[action][standing] is Reach.NONE)


async def test_commands_are_completed_from_what_was_typed() -> None:
    completer = desk_for(Standing.USER).offer().completers[Completes.COMMAND]
    completion = Completion(command="help", option="command", typed="/job", person=OLGA, place=HERE)
    found = await completer(completion)
    assert {each.value for each in found} == {
        "jobs list",
        "jobs show",
        "jobs logs",
        "jobs files",
        "jobs cancel",
        "Start a job",
    }
