"""Speakers that ask plugins before they do things: the real `claude`, in a jail and in none."""

from pathlib import Path

from bot.speaker.speaker import Answered, Knobs, PermissionMode
from extensions.hooks import Blocked, HookPoint, Pass, Payload, Ruling
from simulator.messages_api import Answer, ModelRequest, Say, Use
from tests.fakes.hook_chain import FakeChain, patching
from tests.fakes.speaker_house import said, speaker_house, words
from tests.fakes.waiting import until


def nothing_called_private(value: Payload) -> Ruling:
    """Forbid what has to do with one file."""
    is_private = "private" in str(value["arguments"])
    return Blocked("that is private", "gate") if is_private else Pass()


async def test_in_a_jail_a_speaker_that_may_do_everything_does_not_do_what_a_plugin_forbids(
    tmp_path: Path,
) -> None:
    chain = FakeChain(
        {
            HookPoint.TOOL_CALL: nothing_called_private,
            HookPoint.TOOL_RESULT: lambda value: patching(content=value["content"].upper())(value),
        }
    )
    folder = tmp_path / "sessions/5e55"
    folder.mkdir(parents=True)
    for name in ("public.txt", "private.txt"):
        (folder / name).write_text(f"my {name}", encoding="utf-8")

    def script(request: ModelRequest) -> Answer:
        names = ["public.txt", "private.txt"][request.step :]
        if names:
            return Use("Read", {"file_path": str(folder / names[0])})
        return Say("; ".join(result.text for result in request.tool_results))

    async with speaker_house(tmp_path, script, is_jail_wanted=True, hooks=chain.hooks) as house:
        events = await said(
            house.speaker(knobs=Knobs(permission_mode=PermissionMode.BYPASS)), "olga: look"
        )

    assert events[-1] == Answered()
    assert words(events) == (
        "1\tMY PUBLIC.TXT; PreToolUse:Read hook error: "
        "tool `Read` blocked by plugin `gate`: that is private"
    )
    assert {value["agent_id"] for _, value in chain.fired} == {"speaker"}
    assert {occasion.person_id for occasion in chain.occasions} == {77}


async def test_a_speaker_that_began_before_there_were_plugins_asks_them_from_the_next_turn_on(
    tmp_path: Path,
) -> None:
    chain = FakeChain({HookPoint.TOOL_CALL: nothing_called_private})
    has_plugins = False

    def script(request: ModelRequest) -> Answer:
        if request.step == 0:
            return Use("Read", {"file_path": "private.txt"})
        return Say("refused" if "blocked" in (request.last_tool_result or "") else "read")

    async with speaker_house(
        tmp_path, script, hooks=chain.hooks, asks_plugins=lambda: has_plugins
    ) as house:
        speaker = house.speaker()
        before = words(await said(speaker, "olga: look"))
        first = house.process_id()
        has_plugins = True
        after = words(await said(speaker, "olga: look"))
        second = house.process_id()
        has_plugins = False
        await said(speaker, "olga: look")
        await until(lambda: house.process_id() == second)

    assert (before, after) == ("read", "refused")
    assert first != second
