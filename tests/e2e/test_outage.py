"""The bot is killed, stays away for a while and comes back: its jobs go on as if nothing was."""

import asyncio
import json
import os
import signal
from pathlib import Path

import pytest

from simulator.demo.bot_process import BotProcess
from simulator.messages_api import Answer, Hang, ModelRequest, Say, Use
from tests.fakes.house import House, open_house
from tests.fakes.model_script import TwoVoices, is_speaker
from tests.fakes.waiting import until

AWAY_SECONDS = float(os.environ.get("PAPERCUP_OUTAGE_SECONDS", "2"))
"""How long the bot is away each time; a long outage is tried by setting it to 60."""

WORDS = "one two three four five six seven eight"
COUNT = "for n in 1 2 3 4; do sleep 0.5; echo $n; done"


async def kill(bot: BotProcess) -> None:
    """Kill the bot with all that it keeps in memory."""
    bot.process.send_signal(signal.SIGKILL)
    await bot.process.wait()


def output_of(house: House) -> str:
    """Return what the first run of the only job has printed so far."""
    paths = (house.folder / "data" / "run").glob("*/1/out.jsonl")
    return "".join(path.read_text() for path in paths)


def notices(house: House) -> list[str]:
    return [m.text for m in house.discord.bot_messages(house.channel) if "🔔" in m.text]


@pytest.mark.timeout(90 + 2 * AWAY_SECONDS)
async def test_an_outage_in_a_tool_and_one_in_a_stream_change_nothing(tmp_path: Path) -> None:
    streaming = asyncio.Event()

    def job(request: ModelRequest) -> Answer:
        if request.step == 0:
            return Use("Bash", {"command": COUNT, "description": "Count"})
        streaming.set()
        return Say(WORDS, chunk_seconds=0.3)

    async with (
        asyncio.timeout(80 + 2 * AWAY_SECONDS),
        open_house(tmp_path, TwoVoices(job)) as house,
    ):
        async with house.bot() as bot:
            await house.notify()
            await house.ask("job count: count", '"id"')
            await until(lambda: '"tool_use"' in output_of(house))
            await kill(bot)
        assert not streaming.is_set()
        await asyncio.sleep(AWAY_SECONDS)
        async with house.bot() as bot:
            async with asyncio.timeout(30):
                await streaming.wait()
            await kill(bot)
        await asyncio.sleep(AWAY_SECONDS)
        async with house.bot() as bot:
            await house.sees("🔔 **count** just finished")
            stored = bot.job("count")

        by_job = [request for request in house.api.model_requests if not is_speaker(request)]
        results = [request.last_tool_result for request in by_job if request.step == 1]

    assert (stored["status"], stored["summary"], stored.get("error")) == ("completed", WORDS, None)
    assert len(notices(house)) == 1
    # The tool ran once, and the answer that was cut was asked for again.
    assert results == ["1\n2\n3\n4"] * 2


async def test_a_job_whose_runner_was_killed_is_resumed_by_its_button(tmp_path: Path) -> None:
    def job(request: ModelRequest) -> Answer:
        if request.step == 0:
            return Use("Bash", {"command": "echo half > made.txt", "description": "Begin"})
        if "interrupted" not in request.last_user_text:
            return Hang(60)
        return Say("It is whole now.")

    async with (
        asyncio.timeout(55),
        open_house(tmp_path, TwoVoices(job)) as house,
        house.bot() as bot,
    ):
        await house.notify()
        await house.ask("job whole: make it", '"id"')
        await until(lambda: '"tool_result"' in output_of(house))
        (record,) = (tmp_path / "data" / "run").glob("*/1/runner.json")
        os.kill(json.loads(record.read_text())["runner_pid"], signal.SIGKILL)
        notice = await house.sees("🔔 **whole** was interrupted")
        pressed = await house.olga.click(notice, label="Resume")
        await house.sees("🔔 **whole** just finished")
        card = await house.sees("✅ **whole** · completed")
        stored = bot.job("whole")

    assert pressed is not None
    assert pressed.text == "**whole** goes on where it was interrupted."
    assert (stored["status"], stored["summary"]) == ("completed", "It is whole now.")
    assert "🔁 Run 2: it was told to go on where it was interrupted." in card.text
    assert len(notices(house)) == 2


async def test_a_job_without_a_jail_finds_the_bot_that_had_to_move(tmp_path: Path) -> None:
    def job(request: ModelRequest) -> Answer:
        return Say("Found.") if "interrupted" in request.last_user_text else Hang(60)

    async with asyncio.timeout(55), open_house(tmp_path, TwoVoices(job)) as house:
        async with house.bot(jobs__jail='"off"') as bot:
            await house.notify()
            await house.ask("job lost: look for me", '"id"')
            await until(lambda: '"init"' in output_of(house))
            ports = listening_ports(bot.process.pid)
            await kill(bot)
        others = [await take_port(port) for port in ports]
        async with house.bot(jobs__jail='"off"') as bot:
            await house.sees("🔔 **lost** just finished")
            card = await house.sees("✅ **lost** · completed")
            log = bot.log.read_text()
        for other in others:
            other.close()
            await other.wait_closed()

    assert "as Papercup had to take another address" in card.text
    assert "it cannot find Papercup's new address" in log
    assert "goes on in run 2 (address_lost)" in log
    assert len(notices(house)) == 1


def listening_ports(pid: int) -> list[int]:
    """Return the loopback ports on which a process listens."""
    inodes = {
        target.removeprefix("socket:[").removesuffix("]")
        for link in Path(f"/proc/{pid}/fd").iterdir()
        if (target := str(link.readlink())).startswith("socket:")
    }
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [int(r[1].split(":")[1], 16) for r in rows if r[3] == "0A" and r[9] in inodes]


async def take_port(port: int) -> asyncio.Server:
    """Be another program that has taken a port."""

    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    return await asyncio.start_server(hang_up, "127.0.0.1", port)
