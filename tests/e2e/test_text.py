"""A whole bot: the real discord.py, claude, MCP, runner and jail, on the stand-ins."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from simulator.demo.bot_process import API_KEY, BotProcess
from simulator.demo.key_hunt import descendants, places_of
from simulator.messages_api import Answer, HttpError, ModelRequest, Say, Use
from tests.contract.openapi import discord_description
from tests.fakes.house import open_house
from tests.fakes.model_script import TwoVoices
from tests.fakes.waiting import until


def says_done(_: ModelRequest) -> Say:
    return Say("All done.")


def runs_a_command(request: ModelRequest) -> Answer:
    if request.step == 0:
        return Use("Bash", {"command": "echo out > made.txt; cat made.txt", "description": "Make"})
    return Say(f"It printed {request.last_tool_result!r}.")


def is_alive(pid: int) -> bool:
    """Say whether there is such a process."""
    return Path(f"/proc/{pid}").exists()


def speakers_of(bot: BotProcess) -> list[int]:
    """Return the process ids of a bot's speakers."""
    return [
        pid
        for pid in descendants(bot.process.pid)
        if b"--system-prompt-file" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]


class Gate:
    """A job that ends when the test lets it."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.open = asyncio.Event()

    async def __call__(self, request: ModelRequest) -> Answer:
        if request.step == 0:
            return Use("Bash", {"command": "sleep 0.1", "description": "Wait"})
        self.reached.set()
        async with asyncio.timeout(40):
            await self.open.wait()
        return Say("The gate opened.")


async def test_a_job_is_started_looked_at_and_announced_once(tmp_path: Path) -> None:
    gate = Gate()
    async with asyncio.timeout(55), open_house(tmp_path, TwoVoices(gate)) as house:
        async with house.bot() as bot:
            await house.notify()
            await house.ask("job gate: wait for the gate", '"status": "running"')
            await gate.reached.wait()
            running = await house.ask("how is gate", '"status"')
            gate.open.set()
            notice = await house.sees("🔔 **gate** just finished")
            after = await house.ask("how is gate", '"status"')
            stored = bot.job("gate")
        notices = [m for m in house.discord.bot_messages(house.channel) if "🔔" in m.text]

    assert '"status": "running"' in running.text
    assert '"status": "completed"' in after.text
    assert "The gate opened." in notice.text
    assert (stored["status"], stored["summary"]) == ("completed", "The gate opened.")
    assert [m.id for m in notices] == [notice.id]


async def test_with_notices_off_a_settled_job_is_shown_on_its_card_alone(tmp_path: Path) -> None:
    async with asyncio.timeout(55), open_house(tmp_path, TwoVoices(says_done)) as house:
        async with house.bot():
            await house.ask("job quiet: be quiet", '"id"')
            await house.sees("✅ **quiet** · completed")
        messages = house.discord.bot_messages(house.channel)

    assert [m for m in messages if "🔔" in m.text] == []


async def test_without_a_jail_a_job_has_no_bash_and_everyone_is_told(tmp_path: Path) -> None:
    async with (
        asyncio.timeout(55),
        open_house(tmp_path, TwoVoices(runs_a_command)) as house,
        house.bot(jobs__jail='"off"') as bot,
    ):
        await house.notify()
        answer = await house.ask("job bare: run a command", '"note"')
        card = await house.sees("It runs without a jail, so it has no Bash.")
        status = await house.slash("status")
        await house.sees("🔔 **bare**")
        made = Path(bot.job("bare")["dir"]) / "made.txt"
        log = bot.log.read_text()

    assert "no Bash" in answer.text
    assert "**bare**" in card.text
    assert "no jail" in status
    assert "there is no jail" in log
    assert not made.exists()


async def test_the_cancel_button_ends_the_job_and_every_process_of_it(tmp_path: Path) -> None:
    gate = Gate()
    async with (
        asyncio.timeout(55),
        open_house(tmp_path, TwoVoices(gate)) as house,
        house.bot() as bot,
    ):
        await house.notify()
        await house.ask("job gate: wait for the gate", '"id"')
        await gate.reached.wait()
        pid = bot.job("gate")["pid"]
        card = await house.sees("**gate** · running")
        pressed = await house.olga.click(card, label="Cancel")
        await house.sees("🔔 **gate** was cancelled")
        stored = bot.job("gate")["status"]

    assert pressed is not None
    assert pressed.text == "Cancelling **gate**."
    assert stored == "cancelled"
    assert not is_alive(pid)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
async def test_a_job_outlives_the_bot_and_is_announced_by_the_next(
    tmp_path: Path, how: signal.Signals
) -> None:
    gate = Gate()
    async with asyncio.timeout(58), open_house(tmp_path, TwoVoices(gate)) as house:
        async with house.bot() as bot:
            await house.notify()
            await house.ask("job gate: wait for the gate", '"id"')
            await gate.reached.wait()
            bot.process.send_signal(how)
            await bot.process.wait()
        async with house.bot() as bot:
            gate.open.set()
            await house.sees("🔔 **gate** just finished")
            stored = bot.job("gate")
        notices = [m for m in house.discord.bot_messages(house.channel) if "🔔" in m.text]

    assert (stored["status"], stored["summary"]) == ("completed", "The gate opened.")
    assert len(notices) == 1


async def test_a_crashed_speaker_says_so_and_comes_back(tmp_path: Path) -> None:
    hangs = asyncio.Event()

    async def speaker(request: ModelRequest) -> Answer:
        if "hang" in request.last_user_text and not hangs.is_set():
            hangs.set()
            await asyncio.sleep(40)
        return Say("Here I am.")

    script = TwoVoices(says_done, speaker)
    async with (
        asyncio.timeout(55),
        open_house(tmp_path, script) as house,
        house.bot() as bot,
        asyncio.TaskGroup() as tasks,
    ):
        await house.ask("hello", "Here I am.")
        crashing = tasks.create_task(house.ask("hang", "⚠️"))
        await hangs.wait()
        for pid in speakers_of(bot):
            os.kill(pid, signal.SIGKILL)
        crashed = await crashing
        back = await house.ask("are you there?", "Here I am.")

    assert "My process ended" in crashed.text
    assert back.text == "Here I am."


@pytest.mark.parametrize(
    ("refusal", "sentence"),
    [
        (HttpError(401, "authentication_error", "invalid x-api-key"), "API key"),
        (HttpError(529, "overloaded_error", "Overloaded"), "overloaded"),
        (
            HttpError(429, "rate_limit_error", "Too much", retry_after_seconds=7200),
            "usage limit is reached; it resets at",
        ),
        (HttpError(400, "invalid_request_error", "no such thing"), "no such thing"),
    ],
)
async def test_a_failure_of_the_model_is_one_clear_sentence(
    tmp_path: Path, refusal: HttpError, sentence: str
) -> None:
    def speaker(_: ModelRequest) -> HttpError:
        return refusal

    script = TwoVoices(says_done, speaker)
    async with asyncio.timeout(55), open_house(tmp_path, script) as house, house.bot():
        answer = await house.ask("hello", "⚠️")

    assert sentence in answer.text
    assert len(answer.text.splitlines()) == 1


async def test_the_api_key_is_nowhere_but_in_the_bot(tmp_path: Path) -> None:
    gate = Gate()
    async with (
        asyncio.timeout(55),
        open_house(tmp_path, TwoVoices(gate)) as house,
        house.bot(log__level='"debug"') as bot,
    ):
        await house.ask("job gate: wait for the gate", '"id"')
        await gate.reached.wait()
        found = places_of(API_KEY, ancestor=bot.process.pid, folder=tmp_path)
        children = len(descendants(bot.process.pid))
        keys = {request.api_key for request in house.api.model_requests}
        gate.open.set()
        await house.sees("✅ **gate**")

    assert found == []
    assert children > 0
    assert keys == {API_KEY}


async def test_what_the_bot_asks_of_discord_is_as_discords_description_says(
    tmp_path: Path,
) -> None:
    description = discord_description()
    async with asyncio.timeout(55), open_house(tmp_path, TwoVoices(runs_a_command)) as house:
        async with house.bot():
            await house.notify()
            await house.ask("job small: run a command", '"id"')
            notice = await house.sees("🔔 **small** just finished")
            await house.olga.click(notice, label="Rundown")
            await house.sees("for @olga.")
            fetched = await house.olga.click(notice, label="Files")
            assert await house.slash("hangup")

        assert house.discord.journal.unknown_routes == []
        assert description.violations(house.discord.journal) == []
    assert fetched is not None
    assert [file.name for file in fetched.files] == ["made.txt"]


async def test_status_of_the_command_line_asks_the_running_bot(tmp_path: Path) -> None:
    async with (
        asyncio.timeout(55),
        open_house(tmp_path, TwoVoices(says_done)) as house,
        house.bot() as bot,
    ):
        await house.ask("hello", "You said")
        asking = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "status", "--json"),
            *("--config", str(tmp_path / "config.toml")),
            stdout=asyncio.subprocess.PIPE,
        )
        printed, _ = await asking.communicate()
        status = json.loads(printed)
        assert status["pid"] == bot.process.pid

    assert status["discord"] == "connected"
    assert status["conversations"] == 1
    assert status["jail"] == "bubblewrap"


async def test_a_second_bot_on_the_same_data_is_refused_with_the_name_of_the_first(
    tmp_path: Path,
) -> None:
    async with (
        asyncio.timeout(55),
        open_house(tmp_path, TwoVoices(says_done)) as house,
        house.bot() as bot,
    ):
        second = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "run", "--config", str(tmp_path / "config.toml")),
            env={**os.environ, "DISCORD_TOKEN": "t", "ANTHROPIC_API_KEY": "k"},
            stderr=asyncio.subprocess.PIPE,
        )
        _, said = await second.communicate()
        await until(lambda: second.returncode is not None)
        assert str(bot.process.pid) in said.decode()

    assert second.returncode == 1
