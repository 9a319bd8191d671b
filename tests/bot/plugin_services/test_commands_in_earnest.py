"""Commands of a real program that runs as a plugin, called and typed."""

from pathlib import Path

from bot.access import AccessPolicy, Person
from bot.commands.offered import OfferedCommands
from bot.conversation.incoming import CommandCall, Completion
from bot.plugin_services.command_front import CommandFront, CommandParts, open_command_front
from bot.plugin_services.plugin_commands import PluginCommands, no_reload
from bot.text.layout import lay_out
from tests.fakes.office import HERE, NOW, Office, open_office
from tests.fakes.plugin_host import HostKit, sep
from tests.fakes.waiting import until

USER = Person(id=7, name="uwe")
POLICY = AccessPolicy(owner_ids=frozenset({1}), allowed_user_ids=frozenset({7}))


def parts(office: Office, plugins: PluginCommands, offered: OfferedCommands) -> CommandParts:
    return CommandParts(
        authorize=office.authorize,
        plugins=plugins,
        reload=no_reload,
        offered=offered,
        conversations=office.conversations,
        messages=office.messages,
        messenger=office.messenger,
        lay_out=lay_out,
        clock=office.house.clock,
    )


async def called(front: CommandFront, name: str, arguments: str) -> str:
    call = CommandCall(name=name, options={"args": arguments}, person=USER, place=HERE)
    return (await front.brought.carry_out(call)).text


async def test_a_program_carries_out_its_commands_and_completes_their_arguments(
    tmp_path: Path,
) -> None:
    offered = OfferedCommands()
    async with (
        open_office(tmp_path, POLICY) as office,
        HostKit().host(sep("echo")) as host,
        open_command_front(parts(office, host, offered)) as front,
    ):
        assert [spec.name for spec in offered.added] == ["greet"]
        told = [await called(front, "greet", raw) for raw in ("you all", "", "fail")]
        typing = Completion(command="greet", option="args", typed="an", person=USER, place=HERE)
        suggested = await front.brought.complete(typing)
        message = office.message(USER, "/echo:greet typed")
        assert await front.typed.take(message, at=NOW) is None
        await until(lambda: bool(office.messenger.messages))
        (answer,) = office.messenger.messages
        await host.unload("echo")
        assert offered.added == ()
    assert told == [
        "-# 🧩 echo\nhello you all",
        "-# 🧩 echo\n/greet: done",
        "⚠️ /greet failed: not that",
    ]
    assert answer.text == "-# 🧩 echo\nhello typed"
    assert [each.value for each in suggested] == ["an-done"]
