"""The command line beside a running bot."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from simulator.demo.bot_process import API_KEY
from simulator.messages_api import ModelRequest, Say
from tests.fakes.house import House, open_house
from tests.fakes.model_script import TwoVoices


async def papercup(house: House, *arguments: str) -> tuple[int | None, Any]:
    """Run a command, and return its exit code and the JSON that it printed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", *arguments, "--json"),
        *("--config", str(house.folder / "config.toml")),
        env={**os.environ, "DISCORD_TOKEN": house.discord.token, "ANTHROPIC_API_KEY": API_KEY},
        stdout=asyncio.subprocess.PIPE,
    )
    printed, _ = await process.communicate()
    assert house.discord.token.encode() not in printed
    assert API_KEY.encode() not in printed
    return process.returncode, json.loads(printed)


async def test_jobs_are_listed_and_cancelled_and_the_bot_is_examined_while_it_runs(
    tmp_path: Path,
) -> None:
    at_work = asyncio.Event()

    async def never_ends(_: ModelRequest) -> Say:
        at_work.set()
        await asyncio.sleep(50)
        return Say("Done.")

    async with (
        asyncio.timeout(55),
        open_house(tmp_path, TwoVoices(never_ends)) as house,
        house.bot() as bot,
    ):
        await house.ask("job gate: wait", '"id"')
        await at_work.wait()
        _, listed = await papercup(house, "jobs", "list")
        examined, findings = await papercup(house, "doctor")
        cancelled, _ = await papercup(house, "jobs", "cancel", "gate")
        await house.sees("**gate** · cancelled")
        _, shown = await papercup(house, "jobs", "show", "gate")
        pruned, report = await papercup(house, "jobs", "prune", "--dry-run")
        pid = bot.process.pid

    assert [(job["name"], job["status"]) for job in listed["jobs"]] == [("gate", "running")]
    grades = {each["check"]: each["grade"] for each in findings["findings"]}
    assert (examined, "FAIL" in grades.values()) == (0, False), findings
    assert {grades[check] for check in ("API key", "Discord token", "Intents", "Lock")} == {"OK"}
    lock = next(each["text"] for each in findings["findings"] if each["check"] == "Lock")
    assert f"process {pid}," in lock
    assert (cancelled, shown["job"]["status"]) == (0, "cancelled")
    assert (pruned, report["running"], report["removed"]) == (0, True, [])
