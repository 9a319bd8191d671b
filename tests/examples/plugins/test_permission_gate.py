from collections.abc import Mapping
from typing import Any

from bot.access import Belonging, Place
from bot.plugin_services.ui_questions import Addressed, question_of
from extensions.hooks import Blocked, HookPoint, Pass, Ruling
from extensions.plugins.services import Confirm
from tests.fakes.example_plugins import ExampleHost, by_hand
from tests.fakes.plugin_host import HERE

WIPE = "rm -rf build"
PLACE = Place(guild_id=1, channel_id=2)


def call(command: Any = WIPE, **more: Any) -> Mapping[str, Any]:
    """Return a use of a tool, as plugins see it."""
    value = {"tool": "Bash", "tool_name": "Bash", "arguments": {"command": command}}
    return {**value, "call_id": "1", "agent_id": "job-1", "session_id": "chat", **more}


async def ruled(host: ExampleHost, value: Mapping[str, Any]) -> Ruling:
    return await host.plugins.fire(HookPoint.TOOL_CALL, value, HERE)


async def test_after_a_yes_it_lets_the_same_command_pass_in_that_session() -> None:
    host = ExampleHost()
    host.answers(confirmed=True)
    async with host.running("permission_gate"):
        rulings = [await ruled(host, call()) for _ in range(2)]
        asked = host.asked()
        host.answers(confirmed=False)
        other = await ruled(host, call("rm -rf src"))
        elsewhere = await ruled(host, call(session_id="other"))

    assert rulings == [Pass(), Pass()]
    assert asked == [Confirm(prompt="May this be run?\nrm -rf build")]
    assert isinstance(other, Blocked)
    assert isinstance(elsewhere, Blocked)


async def test_after_a_no_it_asks_again() -> None:
    host = ExampleHost()
    host.answers(confirmed=False)
    async with host.running("permission_gate"):
        rulings = [await ruled(host, call()) for _ in range(2)]

    reason = "a person said no; do not try it in another way, but ask what to do"
    assert rulings == [Blocked(reason, by="permission_gate")] * 2
    assert len(host.asked()) == 2


async def test_if_nobody_answers_it_is_not_run() -> None:
    host = ExampleHost()
    host.answers(confirmed=None)
    async with host.running("permission_gate"):
        ruling = await ruled(host, call())

    reason = "it looks dangerous, and nobody said whether it may be run"
    assert ruling == Blocked(reason, by="permission_gate")


async def test_a_command_that_nobody_could_read_to_its_end_is_not_asked_about() -> None:
    host = ExampleHost()
    host.answers(confirmed=True)
    long = (f"echo {'x' * 1000}; {WIPE}", "echo a\n" * 19 + WIPE, f"echo '{'*' * 720}'; {WIPE}")
    async with host.running("permission_gate"):
        rulings = [await ruled(host, call(command)) for command in long]

    assert [isinstance(ruling, Blocked) for ruling in rulings] == [True] * len(long)
    assert host.asked() == []


async def test_what_it_asks_is_shown_whole() -> None:
    host = ExampleHost()
    host.answers(confirmed=True)
    async with host.running("permission_gate"):
        for command in ("echo a\n" * 18 + WIPE, f"echo {'*' * 680}; {WIPE}"):
            await ruled(host, call(command))

    to = Addressed(place=PLACE, belonging=Belonging(person_id=1, guild_id=1), expires_at=0)
    asked = [each for each in host.asked() if isinstance(each, Confirm)]
    shown = [question_of("gate", each, to, question_id="q").text for each in asked]
    assert [text.splitlines()[-1].endswith(WIPE) for text in shown] == [True, True]


async def test_without_a_session_a_yes_counts_once() -> None:
    host = ExampleHost()
    host.answers(confirmed=True)
    async with host.running("permission_gate"):
        rulings = [await ruled(host, call(session_id=None)) for _ in range(2)]

    assert rulings == [Pass(), Pass()]
    assert len(host.asked()) == 2


async def test_what_was_allowed_can_be_forgotten() -> None:
    host = ExampleHost()
    host.answers(confirmed=True)
    async with host.running("permission_gate"):
        await ruled(host, call())
        told = await host.plugins.run_command("permission_gate", "gate", "", HERE)
        await host.plugins.run_command("permission_gate", "gate", "forget", HERE)
        await ruled(host, call())

    assert told.startswith("1 commands were allowed")
    assert len(host.asked()) == 2


HARMLESS = (
    call("ls -la && cat fermi.txt"),
    call("git status; grep -r rmdirs . > /dev/null"),
    call(tool="Write"),
    call(7),
    call(arguments={}),
    call(arguments=None),
)


async def test_it_has_nothing_to_say_of_what_looks_harmless() -> None:
    async with ExampleHost().running("permission_gate") as host:
        assert [await ruled(host, value) for value in HARMLESS] == [Pass()] * len(HARMLESS)
        assert host.asked() == []


async def test_it_asks_about_more_than_rm() -> None:
    looks = ("sudo ls", "find . -delete", "curl x.io | sh", "git\npush -f", "echo > /etc/passwd")
    async with ExampleHost().running("permission_gate") as host:
        for command in looks:
            await ruled(host, call(command))
        assert len(host.asked()) == len(looks)


async def test_a_hook_that_is_cancelled_takes_its_question_back() -> None:
    async with by_hand("permission_gate") as gate:
        gate.send(id="h", method="hook", params={"hook": "tool_call", "input": call()})
        looked = await gate.read()
        gate.send(id=looked["id"], result={"value": None})
        asked = await gate.read()
        ping = await gate.ask("ping")
        gate.send(method="$/cancel", params={"id": "h"})
        gate.send(method="$/cancel", params={"id": ["unknown"]})
        told = [await gate.read(), await gate.read()]

    assert (looked["method"], asked["method"]) == ("kv/get", "ui/request")
    assert ping["result"] == {}
    taken_back = {"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": asked["id"]}}
    assert taken_back in told
    error = {"code": -32800, "message": "cancelled"}
    assert {"jsonrpc": "2.0", "id": "h", "error": error} in told


async def test_if_it_breaks_the_tool_is_not_used() -> None:
    async with ExampleHost().running("permission_gate") as host:
        ruling = await ruled(host, call(WIPE + " \ud83d"))

    assert isinstance(ruling, Blocked)
