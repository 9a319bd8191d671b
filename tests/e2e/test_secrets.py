"""No secret gets out of a whole bot: into its log, its data, Discord, or a child."""

import asyncio
import base64
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import pytest

from bot.redaction import REDACTED
from simulator.demo.bot_process import API_KEY, running_bot
from simulator.discord.journal import Journal
from simulator.messages_api import Answer, HttpError, ModelRequest, Say, Use
from tests.fakes.house import BOT_COMMAND, open_house
from tests.fakes.model_script import TwoVoices, as_speaker

PEM_LINE = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
PEM = f"-----BEGIN PRIVATE KEY-----\n{PEM_LINE}\n{PEM_LINE}\n-----END PRIVATE KEY-----"
FOUND_KEY = "sk-ant-api03-" + "a1B2_-" * 12


def forms_of(secret: str) -> list[bytes]:
    """Return how a secret may be written: as it is, in an address, in base64, as numbers."""
    raw = secret.encode()
    # In base64 it looks different after no, one or two other bytes; its ends mix with others.
    in_base64 = [base64.b64encode(b"\0" * before + raw)[4:-4] for before in range(3)]
    urlsafe = [one.replace(b"+", b"-").replace(b"/", b"_") for one in in_base64]
    return [raw, quote(secret, safe="").encode(), raw.hex().encode(), *in_base64, *urlsafe]


def holds_one(content: bytes, secrets: Sequence[str]) -> bool:
    """Say whether a secret stands somewhere in `content`."""
    return any(form in content for secret in secrets for form in forms_of(secret))


def files_with(folder: Path, secrets: Sequence[str]) -> list[str]:
    """Return the files below `folder` that hold a secret."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    assert len(files) > 10
    return [str(path) for path in files if holds_one(path.read_bytes(), secrets)]


def entries_with(journal: Journal, secrets: Sequence[str]) -> list[str]:
    """Return what Discord was told that holds a secret."""
    entries = [repr(entry) for entry in journal]
    return [entry[:200] for entry in entries if holds_one(entry.encode(), secrets)]


async def test_a_whole_run_with_all_its_faults_leaves_no_secret_anywhere(tmp_path: Path) -> None:
    def job(request: ModelRequest) -> Answer:
        if request.step == 0:
            return Use("Bash", {"command": "env; false", "description": "Fail"})
        return Say("It failed, as it should.")

    refusals = [HttpError(400, "invalid_request_error", "no such thing")]

    def speaker(request: ModelRequest) -> Answer:
        if "fail" in request.last_user_text and refusals:
            return refusals.pop()
        return as_speaker(request)

    async with asyncio.timeout(58), open_house(tmp_path, TwoVoices(job, speaker)) as house:
        token = house.discord.token
        async with house.bot(log__level='"debug"') as bot:
            await house.notify()
            await house.ask("please fail")
            await house.ask("job leaky: print the environment", '"id"')
            # Each of these ends in an exception that is logged.
            house.discord.fail_next("POST /webhooks|PATCH /webhooks", 400)
            await house.slash("status")
            house.discord.cut_next("POST /channels/[0-9]+/messages")
            await house.sees("🔔 **leaky**")
            house.discord.send_odd_event()
            house.discord.refuse_next_connection(503)
            await asyncio.sleep(0)
            await house.ask("are you back?", "You said")
        async with house.bot(log__level='"debug"', log__format='"json"'):
            await house.ask("and again", "You said")
        log = bot.log.read_text()

        assert "Traceback" in log
        assert len(log.splitlines()) > 50
        assert files_with(tmp_path, [token, API_KEY]) == []
        assert entries_with(house.discord.journal, [token, API_KEY]) == []


async def test_secrets_that_a_job_found_are_neither_shown_nor_stored_of_its_end(
    tmp_path: Path,
) -> None:
    async with asyncio.timeout(58), open_house(tmp_path, TwoVoices(lambda _: Say("hi"))) as house:
        known = [house.discord.token, API_KEY, FOUND_KEY, PEM_LINE]
        secrets = f"{house.discord.token} {API_KEY} {FOUND_KEY}\n{PEM}"

        def job(request: ModelRequest) -> Answer:
            if request.step == 0:
                report = {"message": f"found {secrets}", "fraction": 0.5}
                return Use("mcp__papercup__report_progress", report)
            return Say(f"It is {secrets}")

        house.api.script = TwoVoices(job)
        async with house.bot():
            await house.notify()
            await house.ask("job finder: find the keys", '"id"')
            notice = await house.sees("🔔 **finder** just finished")
            assert await house.olga.click(notice, label="Rundown") is None
            whole = await house.olga.sees(
                house.channel, lambda message: message.reply_to == notice.id, timeout_seconds=30
            )
            told = await house.ask("how is finder", '"status": "completed"')
        data = tmp_path / "data"
        with sqlite3.connect(data / "papercup.db") as database:
            rows = repr(database.execute("SELECT summary, error FROM runs").fetchall())
        database.close()
        stored = (data / "extensions.json").read_text()

        said = entries_with(house.discord.journal, known)

    assert said == []
    for text in (notice.text.replace("\\", ""), whole.text, rows, stored, told.text):
        assert REDACTED in text
        assert not holds_one(text.encode(), known)


@pytest.mark.parametrize("when", ["running", "starting"])
async def test_a_token_that_is_revoked_ends_the_bot_with_a_clear_word(
    tmp_path: Path, when: str
) -> None:
    async with asyncio.timeout(58), open_house(tmp_path, TwoVoices(lambda _: Say("hi"))) as house:
        async with running_bot(BOT_COMMAND, tmp_path, house.discord, house.api, {}) as bot:
            if when == "running":
                await bot.connected(house.discord, timeout_seconds=30)
            house.discord.revoke_token()
            code = await bot.process.wait()
        log = bot.log.read_text()

    assert code == 1
    assert "Discord does not know the bot's token" in log.splitlines()[-1]
    assert "Traceback" not in log
