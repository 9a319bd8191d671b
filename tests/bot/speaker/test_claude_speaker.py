"""The real `claude`, on a Messages API that the tests script."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.conversation.draft import Draft
from bot.speaker.claude_speaker import ClaudeSpeaker
from bot.speaker.pool import SpeakerPool, SpeakerSettings
from bot.speaker.sentences import AFRESH, CANCELLED, LOST
from bot.speaker.speaker import Answered, Failed, SpeakerEvent, TextCame, Warned
from extensions.callers import Callers
from extensions.claude.binary import find_claude
from extensions.server.http import loopback_socket
from extensions.server.mcp import serving_mcp
from extensions.tools import ToolRegistry
from simulator.messages_api import (
    Answer,
    Cut,
    Hang,
    HttpError,
    MessagesApi,
    ModelRequest,
    Say,
    Script,
    StreamError,
    echo,
    running_messages_api,
)
from tests.fakes.waiting import until


@dataclass
class Setting:
    speaker: ClaudeSpeaker
    api: MessagesApi
    folder: Path
    began: list[str] = field(default_factory=list)

    @property
    def process_id(self) -> int:
        """Of the `claude` that has the session's folder as its working folder."""
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and _cwd(entry) == self.folder / "sessions" / "5e55":
                return int(entry.name)
        raise LookupError("no claude runs")


def _cwd(process: Path) -> Path | None:
    try:
        return (process / "cwd").readlink()
    except OSError:
        return None


@asynccontextmanager
async def speaking(
    folder: Path,
    script: Script,
    *,
    claude_session_id: str | None = None,
    turn_timeout_seconds: float = 30.0,
    mcp_url: str | None = None,
) -> AsyncGenerator[Setting, None]:
    callers = Callers()
    claude = await find_claude(None)
    async with (
        asyncio.timeout(50),
        running_messages_api(script) as api,
        serving_mcp(ToolRegistry(), callers, loopback_socket()) as mcp,
        asyncio.TaskGroup() as tasks,
    ):
        settings = SpeakerSettings(
            claude=claude.path,
            mcp_url=mcp_url or mcp.url,
            api_url=api.url,
            home=folder / "home",
            sessions=folder / "sessions",
            model=None,
            effort=None,
            turn_timeout_seconds=turn_timeout_seconds,
            search_path=os.environ["PATH"],
        )
        began: list[str] = []
        speaker = SpeakerPool(settings, callers).speaker(
            "5e55", claude_session_id=claude_session_id, session_began=began.append
        )
        running = tasks.create_task(speaker.run())
        yield Setting(speaker, api, folder, began)
        running.cancel()


async def said(speaker: ClaudeSpeaker, text: str) -> list[SpeakerEvent]:
    return [event async for event in speaker.answer(text)]


def words(events: list[SpeakerEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextCame))


def last_line(request: ModelRequest) -> Say:
    """What was interrupted and what is said next come to the model as one message."""
    return Say(request.last_user_text.splitlines()[-1])


async def test_one_warm_process_answers_turn_after_turn(tmp_path: Path) -> None:
    async with speaking(tmp_path, echo) as setting:
        setting.speaker.warm_up()
        first = await said(setting.speaker, "olga: one")
        process_id = setting.process_id
        second = await said(setting.speaker, "olga: two")

        assert setting.process_id == process_id
    assert words(first) == "You said: olga: one"
    assert words(second) == "You said: olga: two"
    assert second[-1] == Answered()
    assert len(set(setting.began)) == 1


async def test_the_model_is_told_how_to_answer_and_has_only_tools_to_look(tmp_path: Path) -> None:
    async with speaking(tmp_path, echo) as setting:
        await said(setting.speaker, "olga: hi")
        request = await setting.api.asked(1)

    assert "You are Papercup" in request.system_text
    # Claude adds a placeholder of its own where tools may still be announced.
    assert set(request.tools) - {"DeferredToolPlaceholder"} == {"Read", "Glob", "Grep"}


async def test_after_a_crash_it_says_so_and_comes_back_with_what_was_said(tmp_path: Path) -> None:
    asked: list[tuple[str, ...]] = []

    def script(request: ModelRequest) -> Say | Hang:
        asked.append(request.user_texts)
        return Hang(30.0) if len(asked) == 2 else Say("Fine.")

    async with speaking(tmp_path, script) as setting, asyncio.TaskGroup() as tasks:
        await said(setting.speaker, "olga: my cat is Tom")
        crashing = tasks.create_task(said(setting.speaker, "olga: and my dog?"))
        await until(lambda: len(asked) == 2)
        os.kill(setting.process_id, signal.SIGKILL)
        assert (await crashing)[-1] == Failed(LOST)
        after = await said(setting.speaker, "olga: are you there?")

    assert words(after) == "Fine."
    assert any("my cat is Tom" in text for text in asked[-1])
    assert len(set(setting.began)) == 1


async def test_a_session_that_claude_does_not_have_any_more_is_begun_afresh(
    tmp_path: Path,
) -> None:
    lost = "11111111-2222-4333-8444-555555555555"
    async with speaking(tmp_path, echo, claude_session_id=lost) as setting:
        events = await said(setting.speaker, "olga: hi")

    assert Warned(AFRESH) in events
    assert words(events) == "You said: olga: hi"
    assert setting.began[-1] != lost


async def test_a_failure_of_the_model_is_one_sentence(tmp_path: Path) -> None:
    script_error = HttpError(401, "authentication_error", "invalid x-api-key")
    async with speaking(tmp_path, lambda _: script_error) as setting:
        events = await said(setting.speaker, "olga: hi")

    assert isinstance(events[-1], Failed)
    assert "API key" in events[-1].sentence


async def test_tools_that_cannot_be_reached_are_told_of(tmp_path: Path) -> None:
    async with speaking(tmp_path, echo, mcp_url="http://127.0.0.1:9/mcp") as setting:
        events = await said(setting.speaker, "olga: hi")

    assert [e for e in events if isinstance(e, Warned)] != []
    assert events[-1] == Answered()


@pytest.mark.parametrize(
    "fault",
    [
        StreamError(after_text="No, it"),
        Cut("No, it has failed.", after_words=2),
        Cut("No, it has failed.", after_words=2, is_clean=True),
    ],
)
async def test_what_is_said_anew_after_a_fault_is_shown_whole_and_once(
    tmp_path: Path, fault: StreamError | Cut
) -> None:
    answers: list[Answer] = [fault]

    def script(_: ModelRequest) -> Answer:
        return answers.pop() if answers else Say("No, it has failed.")

    async with speaking(tmp_path, script) as setting:
        draft = Draft()
        for event in await said(setting.speaker, "olga: is it done?"):
            draft.add(event)

    assert draft.text == "No, it has failed."


async def test_what_is_asked_while_the_process_dies_is_asked_of_the_next(tmp_path: Path) -> None:
    async with speaking(tmp_path, echo) as setting:
        await said(setting.speaker, "olga: one")
        os.kill(setting.process_id, signal.SIGKILL)
        events = await said(setting.speaker, "olga: two")

    assert words(events) == "You said: olga: two"


async def test_a_stuck_process_is_ended_when_its_turn_is_cancelled(tmp_path: Path) -> None:
    async with speaking(tmp_path, lambda _: Hang(30.0)) as setting, asyncio.TaskGroup() as tasks:
        turn = tasks.create_task(said(setting.speaker, "olga: think hard"))
        await setting.api.asked(1)
        os.kill(setting.process_id, signal.SIGSTOP)
        assert await setting.speaker.interrupt()
        assert (await turn)[-1] == Failed(CANCELLED)
        assert not await setting.speaker.interrupt()


async def test_an_interrupted_turn_ends_and_the_next_is_answered(tmp_path: Path) -> None:
    async with speaking(tmp_path, lambda _: Hang(30.0)) as setting, asyncio.TaskGroup() as tasks:
        turn = tasks.create_task(said(setting.speaker, "olga: think hard"))
        await setting.api.asked(1)
        await setting.speaker.interrupt()
        events = await turn
        setting.api.script = last_line
        after = await said(setting.speaker, "olga: again")

    assert isinstance(events[-1], Failed)
    assert words(after) == "olga: again"


async def test_a_turn_that_takes_too_long_is_broken_off_and_its_end_is_nobody_elses(
    tmp_path: Path,
) -> None:
    async with speaking(tmp_path, lambda _: Hang(30.0), turn_timeout_seconds=3.0) as setting:
        events = await said(setting.speaker, "olga: think for ever")
        setting.api.script = last_line
        after = await said(setting.speaker, "olga: again")

    assert events == [Failed("I broke off after 3 seconds; work that long belongs in a job.")]
    assert words(after) == "olga: again"
    assert after[-1] == Answered()
