"""Claude's own hooks, with the real `claude`: what plugins decide is what it does."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from extensions.claude.binary import bundled_claude
from extensions.claude.command import JobOptions, claude_environment, job_command
from extensions.claude.events import TurnEnded
from extensions.claude.process import running_claude
from extensions.hooks import Blocked, HookPoint, Pass, Payload, Ruling
from extensions.process.interpreter import program_command
from extensions.server.gateway import serving_gateway
from extensions.server.http import loopback_socket
from extensions.server.ledger import AnswerLedger
from extensions.server.mcp import serving_mcp
from extensions.tools import ToolRegistry
from simulator.messages_api import (
    Answer,
    MessagesApi,
    ModelRequest,
    Say,
    Tokens,
    ToolResult,
    Use,
    echo,
    running_messages_api,
)
from tests.extensions.claude.real_claude import MESSAGE, SESSION, Place, turn_of
from tests.fakes.hook_chain import FakeChain, blocking, passing, patching
from tests.fakes.server_clients import JOB_TOKEN, callers, say_who, tool
from tests.fakes.waiting import until

KEY = "the-real-key"
TOOLS = ("Read", "Write", "Edit", "Glob", "Grep", "Bash")
EVENTS = frozenset({"tool_execution_start", "tool_execution_end", "session_compact"})
Call = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class House:
    """A `claude` that asks plugins, and all that it calls."""

    place: Place
    chain: FakeChain
    api: MessagesApi
    environment: Mapping[str, str]
    relay: Sequence[str] = field(default_factory=lambda: program_command("hook_relay"))

    def command(self, *extra: str) -> list[str]:
        options = JobOptions(
            claude=self.place.claude,
            claude_session_id=SESSION,
            is_resumed=False,
            append_system_prompt_file=self.place.prompt,
            tools=TOOLS,
            hook_relay=self.relay,
        )
        return [*job_command(options), *extra]

    async def results_of(self, *calls: Call) -> tuple[ToolResult, ...]:
        """Return what the model sees of these uses of tools."""

        def script(request: ModelRequest) -> Answer:
            return Use(*calls[request.step]) if request.step < len(calls) else Say("Done.")

        self.api.script = script
        async with running_claude(
            self.command(), cwd=self.place.work, env=self.environment
        ) as claude:
            await claude.say("Go", uuid=MESSAGE)
            await turn_of(claude.events())
        return self.api.model_requests[-1].tool_results


@asynccontextmanager
async def built(
    root: Path, chain: FakeChain, relay: Sequence[str] | None = None
) -> AsyncGenerator[House, None]:
    claude = bundled_claude()
    assert claude is not None
    place, registry, admitted = Place(claude, root), ToolRegistry(), callers()
    registry.offer(tool("who", say_who))
    async with (
        running_messages_api(echo, keys=frozenset({KEY})) as api,
        serving_mcp(registry, admitted, loopback_socket(), hooks=chain.hooks) as mcp,
        serving_gateway(
            admitted,
            AnswerLedger(),
            upstream=api.url,
            api_key=KEY,
            sock=loopback_socket(),
            hooks=chain.hooks,
        ) as gateway,
    ):
        environment = claude_environment(
            home=place.home,
            tmp=place.tmp,
            path="/usr/local/bin:/usr/bin:/bin",
            token=JOB_TOKEN,
            mcp_url=mcp.url,
            api_url=gateway.url,
            max_retries=0,
        )
        yield House(place, chain, api, environment, relay or program_command("hook_relay"))


def no_touching(value: Payload) -> Ruling:
    """Forbid what touches a file."""
    if "touch" in str(value["arguments"]):
        return Blocked("nobody touches  \n anything", "gate")
    return Pass()


async def test_a_tool_that_a_plugin_forbids_is_not_used_and_none_is_asked_about_twice(
    tmp_path: Path,
) -> None:
    chain = FakeChain({HookPoint.TOOL_CALL: no_touching, HookPoint.TOOL_RESULT: passing})
    async with built(tmp_path, chain) as house:
        results = await house.results_of(
            ("Bash", {"command": "touch made"}),
            ("Bash", {"command": "echo hi; echo oh >&2"}),
            ("mcp__papercup__who", {}),
            ("Bash", {"command": "exit 3"}),
        )

    assert [result.is_error for result in results] == [True, False, False, True]
    assert results[0].text == (
        "PreToolUse:Bash hook error: tool `Bash` blocked by plugin `gate`: nobody touches anything"
    )
    assert results[1].text == "hi\noh"
    assert list(house.place.work.iterdir()) == []
    asked = chain.values_at(HookPoint.TOOL_CALL)
    assert [value["tool"] for value in asked] == ["Bash", "Bash", "who", "Bash"]
    assert asked[1] == {
        "tool": "Bash",
        "tool_name": "Bash",
        "arguments": {"command": "echo hi; echo oh >&2"},
        "call_id": asked[1]["call_id"],
        "agent_id": "0a1b2c3d",
        "session_id": "5e55",
    }
    gave = chain.values_at(HookPoint.TOOL_RESULT)
    assert [(v["tool"], v["content"], v["is_error"]) for v in gave] == [
        ("Bash", "hi\noh", False),
        ("who", f"job:0a1b2c3d {asked[2]['call_id']}", False),
        ("Bash", "Exit code 3", True),
    ]
    assert gave[0]["call_id"] == asked[1]["call_id"]


async def test_what_a_plugin_makes_of_a_result_is_what_the_model_sees(tmp_path: Path) -> None:
    chain = FakeChain({HookPoint.TOOL_RESULT: patching(content="one\ntwo")})
    async with built(tmp_path, chain) as house:
        (house.place.work / "a.txt").write_text("a secret\n", encoding="utf-8")
        results = await house.results_of(
            ("Bash", {"command": "cat a.txt"}),
            ("Read", {"file_path": str(house.place.work / "a.txt")}),
            ("Grep", {"pattern": "secret", "output_mode": "content"}),
            ("Grep", {"pattern": "secret"}),
            ("Glob", {"pattern": "*"}),
            ("mcp__papercup__who", {}),
            ("Write", {"file_path": str(house.place.work / "b.txt"), "content": "x"}),
            ("Bash", {"command": "exit 3"}),
        )
        said = json.dumps(house.api.model_requests[-1].body)

    assert [result.text for result in results[:6]] == [
        "one\ntwo",
        "1\tone\n2\ttwo",
        "one\ntwo",
        "Found 2 files\none\ntwo",
        "one\ntwo",
        "one\ntwo",
    ]
    assert "a secret" not in said
    # These are as Claude wrote them; the plugin's text stands beside them.
    assert results[6].text.startswith("File created successfully")
    assert results[7].text == "Exit code 3"
    assert "PostToolUse:Write hook additional context: one\\ntwo" in said
    assert "PostToolUseFailure:Bash hook additional context: one\\ntwo" in said


async def test_each_use_of_a_tool_is_told_from_its_beginning_to_its_end(tmp_path: Path) -> None:
    chain = FakeChain({HookPoint.TOOL_CALL: no_touching}, observed=EVENTS)
    async with built(tmp_path, chain) as house:
        await house.results_of(
            ("Bash", {"command": "true"}),
            ("Bash", {"command": "touch made"}),
            ("Write", {"file_path": "/nowhere/outside", "content": "x"}),
            ("mcp__papercup__who", {}),
            ("Bash", {"command": "false"}),
        )
        # That Claude itself refused one is told besides, and it waits for nobody to hear it.
        await until(lambda: len(chain.told) == 10)

    ends = {p["call_id"]: p["is_error"] for e, p in chain.told if e == "tool_execution_end"}
    begun = [(p["tool"], p["call_id"]) for e, p in chain.told if e == "tool_execution_start"]
    assert [(name, ends[call_id]) for name, call_id in begun] == [
        ("Bash", False),
        ("Bash", True),
        ("Write", True),
        ("who", False),
        ("Bash", True),
    ]
    assert {payload["agent_id"] for _, payload in chain.told} == {"0a1b2c3d"}


FAULTY_RELAY = """
import json, os, signal, sys
told = sys.stdin.read()
fault = json.loads(told).get("tool_input", {}).get("command", "").partition("#")[2]
if sys.argv[2] == "open":
    sys.exit(0)
if fault == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
if fault == "crashed":
    raise ValueError
if fault == "garbage":
    os.environ["PAPERCUP_MCP_URL"] = os.environ["ANTHROPIC_BASE_URL"] + "/mcp"
if fault == "stranger":
    os.environ["PAPERCUP_TOKEN"] = "of nobody"
if fault == "gone":
    os.environ["PAPERCUP_MCP_URL"] = "http://127.0.0.1:9/mcp"
read, write = os.pipe()
os.write(write, told.encode())
os.close(write)
os.dup2(read, 0)
os.execv(sys.executable, [sys.executable, "-ISE", sys.argv[1], "closed", "0.5"])
"""


async def test_whatever_becomes_of_the_relay_no_tool_is_used_that_nobody_permitted(
    tmp_path: Path,
) -> None:
    async def never(_value: Payload) -> Ruling:
        await asyncio.Event().wait()
        raise AssertionError

    def rule(value: Payload) -> Any:
        return never(value) if "#late" in str(value["arguments"]) else Pass()

    faults = ["killed", "crashed", "garbage", "stranger", "gone", "late", "none"]
    chain = FakeChain({HookPoint.TOOL_CALL: rule})
    relay = [sys.executable, "-ISE", "-c", FAULTY_RELAY, program_command("hook_relay")[-1]]
    async with built(tmp_path, chain, relay) as house:
        results = await house.results_of(
            *(("Bash", {"command": f"touch {fault} #{fault}"}) for fault in faults)
        )

        assert [path.name for path in house.place.work.iterdir()] == ["none"]
        assert [result.is_error for result in results] == [True] * 6 + [False]
        # Whoever was asked for nothing is let go.
        await until(lambda: chain.cancelled == [HookPoint.TOOL_CALL])


async def test_when_claude_is_interrupted_the_plugins_need_not_answer_any_more(
    tmp_path: Path,
) -> None:
    asked = asyncio.Event()

    async def never(_value: Payload) -> Ruling:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    chain = FakeChain({HookPoint.TOOL_CALL: never})
    async with built(tmp_path, chain) as house:
        house.api.script = lambda _request: Use("Bash", {"command": "touch made"})
        async with running_claude(
            house.command(), cwd=house.place.work, env=house.environment
        ) as claude:
            await claude.say("Go", uuid=MESSAGE)
            await asked.wait()
            await claude.interrupt()
            told = await turn_of(claude.events())
            await until(lambda: chain.cancelled == [HookPoint.TOOL_CALL])

    assert isinstance(told[-1], TurnEnded)
    assert told[-1].terminal_reason == "aborted_tools"
    assert list(house.place.work.iterdir()) == []


async def test_no_settings_that_lie_about_switch_the_hooks_off(tmp_path: Path) -> None:
    chain = FakeChain({HookPoint.TOOL_CALL: blocking("no")})
    off = json.dumps({"disableAllHooks": True, "allowManagedHooksOnly": True})
    async with built(tmp_path, chain) as house:
        for folder in (house.place.home, house.place.work):
            (folder / ".claude").mkdir()
            for name in ("settings.json", "settings.local.json"):
                (folder / ".claude" / name).write_text(off, encoding="utf-8")
        (result,) = await house.results_of(("Bash", {"command": "touch made"}))

    assert result.is_error
    assert not (house.place.work / "made").exists()


async def test_plugins_are_asked_before_claude_sums_its_session_up_and_told_after(
    tmp_path: Path,
) -> None:
    rules = [blocking("not now"), patching(custom_instructions="{Heed the cat}")]

    def rule(value: Payload) -> Any:
        return rules.pop(0)(value)

    chain = FakeChain({HookPoint.SESSION_BEFORE_COMPACT: rule}, observed=EVENTS)

    def script(request: ModelRequest) -> Answer:
        is_long = request.last_user_text in {"two", "three"}
        return Say("Yes.", tokens=Tokens(input_tokens=190_000 if is_long else 100))

    async with built(tmp_path, chain) as house:
        house.api.script = script
        command = house.command("--autocompact=100000")
        async with running_claude(command, cwd=house.place.work, env=house.environment) as claude:
            for number, text in enumerate(("one", "two", "three", "four")):
                await claude.say(text, uuid=f"{MESSAGE[:-1]}{number}")
                await turn_of(claude.events())
            await until(lambda: bool(chain.told))

    assert chain.values_at(HookPoint.SESSION_BEFORE_COMPACT) == 2 * [
        {
            "trigger": "auto",
            "custom_instructions": "",
            "agent_id": "0a1b2c3d",
            "session_id": "5e55",
        }
    ]
    assert chain.told == [("session_compact", {"agent_id": "0a1b2c3d", "session_id": "5e55"})]
    bodies = [json.dumps(request.body) for request in house.api.model_requests]
    assert any("Note: {Heed the cat}" in body for body in bodies)
