import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from extensions.hooks import Blocked, Changed, HookPoint, Occasion, Pass, Payload, Ruling
from extensions.plugins.dialects.dialect import Blocks, Continues, HookAnswer, Modifies, Unusable
from extensions.plugins.hook_chain import PluginHookChain
from extensions.plugins.services import AuditKind
from tests.fakes.plugin_host import HERE
from tests.fakes.plugin_services import FakeAudit

IDS = {"agent_id": "speaker", "session_id": "chat"}


@dataclass
class FakePlugin:
    """Implements `AskedPlugin`."""

    id: str
    answer: HookAnswer | Exception = field(default_factory=Continues)
    points: frozenset[HookPoint] = frozenset(HookPoint)
    saw: list[Payload] = field(default_factory=list)

    def may_be_asked(self, point: HookPoint) -> bool:
        return point in self.points

    async def ask_hook(self, _point: HookPoint, value: Payload, _occasion: Occasion) -> HookAnswer:
        self.saw.append(dict(value))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@dataclass
class House:
    plugins: list[FakePlugin]
    audit: FakeAudit = field(default_factory=FakeAudit)

    async def fire(self, point: HookPoint, value: Payload) -> Ruling:
        chain = PluginHookChain(
            lambda: self.plugins,
            owner_of={"ext_dice_roll": "dice"}.get,
            audit=self.audit,
            is_loading=lambda: False,
            loaded=self.loaded,
        )
        return await chain.fire(point, value, HERE)

    async def loaded(self) -> None:
        await asyncio.sleep(0)


async def test_without_anything_to_say_it_passes() -> None:
    plugin = FakePlugin("a")
    deaf = FakePlugin("b", Blocks("no"), points=frozenset())

    assert await House([plugin, deaf]).fire(HookPoint.INPUT, {"text": "hi"}) == Pass()
    assert plugin.saw == [{**IDS, "text": "hi"}]
    assert deaf.saw == []


async def test_each_plugin_sees_what_those_before_it_changed() -> None:
    first = FakePlugin("a", Modifies({"text": "two", "mood": "bad"}))
    second = FakePlugin("b", Modifies({"text": "three"}))

    ruling = await House([first, second]).fire(HookPoint.INPUT, {"text": "one", "images": 1})

    assert ruling == Changed({**IDS, "text": "three", "images": 1}, ("a", "b"))
    assert second.saw == [{**IDS, "text": "two", "images": 1}]


RUN = {"command": "rm -rf /", "argv": ["rm", "-rf", "/"], "cwd": None, "plugin": "todo"}


@pytest.mark.parametrize(
    ("patch", "command", "argv"),
    [
        ({"command": "echo 'a b' c"}, "echo 'a b' c", ["echo", "a b", "c"]),
        ({"command": "ls", "argv": RUN["argv"]}, "ls", ["ls"]),
        ({"argv": ["ls", "a b"]}, "ls 'a b'", ["ls", "a b"]),
        ({"argv": ["ls"], "command": RUN["command"]}, "ls", ["ls"]),
        ({"argv": ["ls"], "command": "echo"}, "ls", ["ls"]),
    ],
)
async def test_a_program_is_named_by_its_command_as_well_as_by_its_words(
    patch: dict[str, Any], command: str, argv: list[str]
) -> None:
    after = FakePlugin("b")

    ruling = await House([FakePlugin("a", Modifies(patch)), after]).fire(HookPoint.USER_BASH, RUN)

    assert ruling == Changed({**IDS, **RUN, "command": command, "argv": argv}, ("a",))
    assert after.saw == [{**IDS, **RUN, "command": command, "argv": argv}]


@pytest.mark.parametrize(
    "patch", [{"command": "echo 'a"}, {"command": " "}, {"command": 5}, {"argv": []}]
)
async def test_a_program_that_cannot_be_told_is_not_run(patch: dict[str, Any]) -> None:
    ruling = await House([FakePlugin("a", Modifies(patch))]).fire(HookPoint.USER_BASH, RUN)

    assert ruling == Blocked("user_bash hook failed (fail-closed)", "a")


async def test_the_first_that_forbids_it_ends_the_chain() -> None:
    after = FakePlugin("c")
    house = House([FakePlugin("a"), FakePlugin("b", Blocks("not so")), after])

    assert await house.fire(HookPoint.INPUT, {"text": "x"}) == Blocked("not so", "b")
    assert after.saw == []
    assert house.audit.notes == [(AuditKind.BLOCKED, "b", "input: not so")]


async def test_without_a_reason_the_point_is_the_reason() -> None:
    ruling = await House([FakePlugin("a", Blocks(None))]).fire(HookPoint.CONTEXT, {})

    assert ruling == Blocked("blocked by context hook", "a")


@pytest.mark.parametrize("point", list(HookPoint))
@pytest.mark.parametrize("answer", [Unusable("broken"), ZeroDivisionError()])
async def test_a_plugin_that_fails_stops_tools_and_programs_and_nothing_else(
    point: HookPoint, answer: Any
) -> None:
    after = FakePlugin("b")
    ruling = await House([FakePlugin("a", answer), after]).fire(point, {})

    if point in {HookPoint.TOOL_CALL, HookPoint.USER_BASH}:
        assert ruling == Blocked(f"{point} hook failed (fail-closed)", "a")
    else:
        assert ruling == Pass()
    assert len(after.saw) == (ruling == Pass())


@pytest.mark.parametrize(
    ("point", "patch", "kept"),
    [
        (HookPoint.INPUT, {"text": "x", "source": "voice"}, {"text": "x"}),
        (
            HookPoint.BEFORE_AGENT_START,
            {"prompt": "p", "system_prompt": "s"},
            {"prompt": "p", "system_prompt": "s"},
        ),
        (HookPoint.CONTEXT, {"messages": [{}]}, {"messages": [{}]}),
        (HookPoint.BEFORE_PROVIDER_REQUEST, {"payload": {"a": 1}}, {"payload": {"a": 1}}),
        (
            HookPoint.TOOL_RESULT,
            {"content": "c", "is_error": True, "duration_ms": 0},
            {"content": "c", "is_error": True},
        ),
        (HookPoint.MESSAGE_END, {"text": "x", "role": "user"}, {"text": "x"}),
        (
            HookPoint.USER_BASH,
            {"argv": ["ls"], "cwd": "/"},
            {"argv": ["ls"], "command": "ls"},
        ),
        (
            HookPoint.SESSION_BEFORE_COMPACT,
            {"custom_instructions": "short", "trigger": "auto"},
            {"custom_instructions": "short"},
        ),
    ],
)
async def test_a_patch_has_effect_on_some_members_alone(
    point: HookPoint, patch: dict[str, Any], kept: dict[str, Any]
) -> None:
    ruling = await House([FakePlugin("a", Modifies(patch))]).fire(point, {})

    assert ruling == Changed({**IDS, **kept}, ("a",))


@pytest.mark.parametrize(
    ("point", "patch"),
    [
        (HookPoint.INPUT, {"text": 1}),
        (HookPoint.CONTEXT, {"messages": "x"}),
        (HookPoint.CONTEXT, {"messages": ["x"]}),
        (HookPoint.BEFORE_PROVIDER_REQUEST, {"payload": []}),
        (HookPoint.TOOL_RESULT, {"is_error": "yes"}),
        (HookPoint.SESSION_BEFORE_TREE, {"target": 1}),
    ],
)
async def test_a_patch_of_another_kind_has_no_effect(
    point: HookPoint, patch: dict[str, Any]
) -> None:
    assert await House([FakePlugin("a", Modifies(patch))]).fire(point, {}) == Pass()


async def test_whoever_takes_the_place_of_one_that_was_waited_for_is_asked() -> None:
    house = House([])

    @dataclass
    class Leaving(FakePlugin):
        async def ask_hook(
            self, _point: HookPoint, _value: Payload, _occasion: Occasion
        ) -> HookAnswer:
            house.plugins = [FakePlugin("gate", Blocks("no"))]
            return Continues()

    house.plugins.append(Leaving("gate"))
    assert await house.fire(HookPoint.TOOL_CALL, {"tool": "Bash"}) == Blocked("no", "gate")


@pytest.mark.parametrize("argv", ["ls", [], [1]])
async def test_a_program_is_not_run_if_what_is_wanted_instead_is_no_command(argv: Any) -> None:
    ruling = await House([FakePlugin("a", Modifies({"argv": argv}))]).fire(
        HookPoint.USER_BASH, {"argv": ["ls"]}
    )

    assert ruling == Blocked("user_bash hook failed (fail-closed)", "a")


async def test_a_tools_arguments_are_changed_by_its_own_plugin_alone() -> None:
    patch = Modifies({"arguments": {"n": 2}, "tool": "Bash"})
    house = House([FakePlugin("dice", patch), FakePlugin("other", patch)])
    value = {"tool": "ext_dice_roll", "arguments": {"n": 1}}

    ruling = await house.fire(HookPoint.TOOL_CALL, value)

    assert ruling == Changed({**IDS, "tool": "ext_dice_roll", "arguments": {"n": 2}}, ("dice",))
    assert await house.fire(HookPoint.TOOL_CALL, {"tool": "Bash", "arguments": {}}) == Pass()


async def test_whoever_wants_a_program_run_is_not_asked_whether_it_may() -> None:
    own, other = FakePlugin("own", Blocks("no")), FakePlugin("other")

    ruling = await House([own, other]).fire(HookPoint.USER_BASH, {"plugin": "own"})

    assert ruling == Pass()
    assert (own.saw, len(other.saw)) == ([], 1)
