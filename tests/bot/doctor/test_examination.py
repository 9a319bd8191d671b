"""The whole examination, as `papercup doctor` runs it, on the stand-ins."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.data_folder import held_data_folder
from simulator.discord import DiscordSimulator, running_discord
from simulator.messages_api import Say, running_messages_api
from tests.bot.cli.test_main import papercup

KEY = "sk-ant-hush-3f9c1b7e"

CHECKS = [
    "Python",
    "Configuration",
    "Secrets",
    "claude",
    "Login",
    "Jail",
    "Limits",
    "API key",
    "Discord token",
    "Intents",
    "Invitation",
    "Data folder",
    "Lock",
    "Disk",
    "Voice",
    "Hearing",
    "Opus",
    "Speech",
]


@dataclass
class Patient:
    folder: Path
    discord: DiscordSimulator
    environment: Mapping[str, str]

    async def examined(self, **changed: str) -> tuple[int, dict[str, Any], str]:
        """Return the exit code, what is said as JSON, and all that was printed."""
        environment = {**self.environment, **changed}
        human = await asyncio.to_thread(papercup, self.folder, "doctor", environment=environment)
        machine = await asyncio.to_thread(
            papercup, self.folder, "doctor", "--json", environment=environment
        )
        assert human.exit_code == machine.exit_code
        return machine.exit_code, json.loads(machine.stdout), human.output + machine.output


@asynccontextmanager
async def a_patient(folder: Path) -> AsyncGenerator[Patient, None]:
    async with (
        asyncio.timeout(50),
        running_discord(folder) as discord,
        running_messages_api(lambda _: Say("never"), keys=frozenset({KEY})) as api,
    ):
        environment = {
            "DISCORD_TOKEN": discord.token,
            "ANTHROPIC_API_KEY": KEY,
            "PAPERCUP_DATA_DIR": str(folder / "data"),
            "PAPERCUP_ENDPOINTS__DISCORD": f"{discord.host}:{discord.tls_port}",
            "PAPERCUP_ENDPOINTS__DISCORD_CA": str(discord.ca_path),
            "PAPERCUP_ENDPOINTS__MESSAGES_API": api.url,
            "PAPERCUP_JOBS__JAIL": "off",
            "PAPERCUP_SPEECH__ENGINE": "hibari",
        }
        yield Patient(folder, discord, environment)


def failed(report: Mapping[str, Any]) -> list[str]:
    return [each["check"] for each in report["findings"] if each["grade"] == "FAIL"]


def _write_openly(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(text)
    path.chmod(0o644)


async def test_a_healthy_set_up_is_fine_while_a_bot_runs_and_shows_no_secret(
    tmp_path: Path,
) -> None:
    async with a_patient(tmp_path) as patient:
        with held_data_folder(tmp_path / "data"):
            code, report, printed = await patient.examined()

    assert code == 0
    assert report["ok"] is True
    assert [each["check"] for each in report["findings"]] == CHECKS
    assert "No check of 18 failed" in printed
    assert "held by process" in printed
    assert KEY not in printed
    assert patient.discord.token not in printed
    assert "Traceback" not in printed


async def test_all_that_is_wrong_is_found_at_once(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with held_data_folder(data):
        pass
    async with a_patient(tmp_path) as patient:
        await asyncio.to_thread(data.chmod, 0o755)
        code, report, printed = await patient.examined(
            ANTHROPIC_API_KEY="sk-ant-wrong-4711",
            DISCORD_TOKEN="MTIz.wrong.4711",
            PAPERCUP_SPEAKER__CLAUDE="/nowhere/claude",
        )

    assert code == 1
    assert failed(report) == ["claude", "API key", "Discord token", "Data folder"]
    assert all(each["mend"] for each in report["findings"] if each["grade"] == "FAIL")
    assert "4711" not in printed


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({"PAPERCUP_JOBS__LIMIT": "x"}, ["Configuration"]),
        ({"DISCORD_TOKEN": "", "ANTHROPIC_API_KEY": ""}, ["Secrets"]),
    ],
)
async def test_what_is_not_set_up_is_said_and_the_rest_is_looked_at(
    tmp_path: Path, changed: Mapping[str, str], wrong: list[str]
) -> None:
    async with a_patient(tmp_path) as patient:
        code, report, _ = await patient.examined(**changed)

    assert code == 1
    assert failed(report) == wrong
    assert report["findings"][0]["check"] == "Python"


async def test_secrets_that_others_may_read_are_found(tmp_path: Path) -> None:
    secrets = tmp_path / ".config" / "papercup" / "secrets.toml"
    async with a_patient(tmp_path) as patient:
        await asyncio.to_thread(_write_openly, secrets, 'DISCORD_TOKEN = "hush-4711"')
        code, report, printed = await patient.examined()

    assert code == 1
    assert failed(report) == ["Secrets"]
    assert "chmod 600" in printed
    assert "hush-4711" not in printed
