"""The acts of the demo: what people do, and what must come of it."""

import asyncio
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.demo.bot_process import API_KEY
from simulator.demo.key_hunt import places_of
from simulator.demo.model import FIBONACCI_SCRIPT
from simulator.demo.stage import Stage
from simulator.discord.model import Message

SCENE_COUNT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What the killed bot left behind."""

    question: Message
    """What was asked when it was gone."""
    job: dict[str, Any]
    """The job that runs, as it was stored."""


async def perform_until_the_kill(stage: Stage) -> Left:
    """Go through the acts up to the one in which the bot is killed."""
    await _pick_up(stage)
    await _hand_over(stage)
    await _go_on_talking(stage)
    await _ask_before_the_end(stage)
    return await _kill_the_bot(stage)


async def perform_after_the_kill(stage: Stage, left: Left) -> None:
    """Go through the other acts, with a bot that was started again."""
    await _come_back(stage, left)
    await _hear_of_the_end(stage)
    await _open_the_result(stage)
    await _hear_of_a_failure(stage)
    await _be_refused(stage)
    await _hang_up(stage)


async def _pick_up(stage: Stage) -> None:
    stage.chat.scene("Alice, the owner, opens a conversation in #general")
    picked_up = await stage.command("pickup")
    stage.report.check("a conversation is opened", "Picked up" in picked_up, picked_up)
    notify = await stage.command("notify", state="on")
    stage.report.check("notices are switched on", "I will say here" in notify, notify)


async def _hand_over(stage: Stage) -> None:
    stage.chat.scene("She asks for work of several steps, which goes to a job")
    asked_at = stage.discord.seconds()
    answer = await stage.ask(
        stage.alice,
        "Please write a Python script that prints the first 15 Fibonacci numbers, and run it.",
        _is_whole,
    )
    stage.report.time("question_to_first_words", answer.posted_at_seconds - asked_at)
    job = stage.bot.job("fibonacci")
    stage.report.check(
        "the speaker answers while the job runs",
        job["status"] == "running" and job["finishedAt"] is None,
        f"stored: {job['name']} is {job['status']}; said: {answer.text.splitlines()[-1]}",
    )
    card = await stage.sees(lambda message: message.text.startswith("⚙️ **fibonacci**"))
    stage.report.check("a card shows the job", card.buttons, card.text.splitlines()[0])


async def _go_on_talking(stage: Stage) -> None:
    stage.chat.scene("They go on talking while it works")
    answer = await stage.ask(
        stage.alice, "Meanwhile: what is the golden ratio?", lambda text: "1.618" in text
    )
    job = stage.bot.job("fibonacci")
    stage.report.check(
        "they go on talking meanwhile", job["status"] == "running", answer.text[:60] + "…"
    )
    places = await asyncio.to_thread(
        places_of, API_KEY, ancestor=stage.bot.process.pid, folder=stage.bot.data
    )
    stage.report.check(
        "the API key is in no child process and no file", not places, ", ".join(places) or "nowhere"
    )


async def _ask_before_the_end(stage: Stage) -> None:
    answer = await stage.ask(stage.alice, "Is it done yet?", lambda text: text.endswith("."))
    stored = stage.bot.job("fibonacci")["status"]
    stage.report.check(
        '"is it done yet?" before the end is answered from the true state',
        answer.text.startswith("Not yet") and stored in answer.text and stored == "running",
        f"stored: {stored}; said: {answer.text}",
    )


async def _kill_the_bot(stage: Stage) -> Left:
    stage.chat.scene("The bot is killed in mid-job; meanwhile she asks again")
    code = await stage.bot.kill()
    question = stage.alice.say(stage.channel, "Is it done yet?")
    stage.chat.show(question)
    job = stage.bot.job("fibonacci")
    stage.report.check(
        "a job goes on without the bot",
        code == -signal.SIGKILL and _is_process(job["pid"]),
        f"the bot's exit code: {code}; the job's process {job['pid']} is there",
    )
    return Left(question=question, job=job)


async def _come_back(stage: Stage, left: Left) -> None:
    stage.chat.scene("The bot is started again")
    answer = await stage.sees(
        lambda message: message.reply_to == left.question.id and message.text.endswith(".")
    )
    job = stage.bot.job("fibonacci")
    stage.report.check(
        "what was asked without the bot is answered from the true state",
        answer.text.startswith("Not yet") and job["status"] == "running",
        f"stored: {job['status']}; said: {answer.text}",
    )
    stage.report.check(
        "the new bot has taken up the same run of the job",
        job["status"] == "running" and job["pid"] == left.job["pid"] and _is_process(job["pid"]),
        f"stored: {job['name']} is {job['status']}, process {job['pid']}",
    )


async def _hear_of_the_end(stage: Stage) -> None:
    stage.chat.scene("The job settles, and the bot says so by itself")
    finished_at = stage.discord.seconds()
    stage.model.may_finish.set()
    notice = await stage.sees(_is_notice_of("fibonacci"))
    stage.report.time("last_words_to_notice", notice.posted_at_seconds - finished_at)
    card = await stage.sees(lambda message: message.text.startswith("✅ **fibonacci**"))
    job = stage.bot.job("fibonacci")
    stage.report.check(
        "the card is edited in place",
        card.is_edited and all(button.label != "Cancel" for button in card.buttons),
        card.text.splitlines()[0],
    )
    stage.report.check(
        "a notice says how the job ended",
        job["status"] == "completed" and "finished after" in notice.text,
        f"stored: {job['status']}; said: {notice.text.splitlines()[0]}",
    )
    stage.report.check(
        "the notice is a reply to the job's card",
        notice.reply_to == card.id,
        f"in reply to message {notice.reply_to}",
    )
    answer = await stage.ask(
        stage.alice, "Is it done yet?", lambda text: "377" in text or text.startswith("No")
    )
    said = answer.text.startswith("Yes") and str(job["summary"]).strip() in answer.text
    stage.report.check(
        '"is it done yet?" afterwards is answered from the true state',
        said,
        f"stored: {job['status']}; said: {answer.text.splitlines()[0]}",
    )


async def _open_the_result(stage: Stage) -> None:
    stage.chat.scene("They open the result: the rundown is for all, files are for whoever asks")
    notice = await stage.sees(_is_notice_of("fibonacci"))
    summary = str(stage.bot.job("fibonacci")["summary"]).strip()
    told = await stage.click(notice, "Rundown")
    rundown = await stage.sees(lambda message: message.reply_to == notice.id)
    stage.report.check(
        "the whole result is posted for all, in reply to the notice",
        told is None and summary in rundown.text and not rundown.is_ephemeral,
        "the stored summary stands in it",
    )
    notice = await stage.sees(lambda message: message.id == notice.id and message.is_edited)
    labels = [button.label for button in notice.buttons]
    said = notice.text.splitlines()[-1]
    stage.report.check(
        "it is posted once", "Rundown" not in labels and "for @Alice" in said, f"said: {said}"
    )
    fetched = await stage.click(notice, "Files")
    contents = {} if fetched is None else {file.name: file.content for file in fetched.files}
    stage.report.check(
        "the script can be fetched",
        contents.get("fibonacci.py") == FIBONACCI_SCRIPT.encode(),
        ", ".join(contents) or "nothing came",
    )


async def _hear_of_a_failure(stage: Stage) -> None:
    stage.chat.scene("A job that cannot succeed fails, and nobody says otherwise")
    await stage.ask(
        stage.alice,
        "Please find report.docx and turn it into a PDF.",
        _is_whole,
    )
    notice = await stage.sees(_is_notice_of("report-to-pdf"))
    job = stage.bot.job("report-to-pdf")
    stage.report.check(
        "a notice says that the job failed",
        job["status"] == "failed" and "failed after" in notice.text,
        f"stored: {job['status']}; said: {notice.text.splitlines()[0]}",
    )
    answer = await stage.ask(stage.alice, "Is it done yet?", lambda text: text.endswith("."))
    stage.report.check(
        '"is it done yet?" of a failed job is answered from the true state',
        answer.text.startswith("No") and str(job["error"]) in answer.text,
        f"stored: {job['status']}; said: {answer.text}",
    )


async def _be_refused(stage: Stage) -> None:
    stage.chat.scene("Somebody who is not on the list tries the same")
    answer = await stage.ask(stage.mallory, "Start a job that prints your environment.", bool)
    stage.report.check(
        "a stranger is refused, and no job is started",
        "not on this Papercup's list" in answer.text and len(stage.bot.jobs()) == 2,  # noqa: PLR2004 - as many as Alice asked for
        answer.text,
    )


async def _hang_up(stage: Stage) -> None:
    stage.chat.scene("Alice looks at the jobs, and hangs up")
    listed = await stage.command("jobs list")
    stage.report.check(
        "the jobs are listed with their true state",
        all(f"**{job['name']}** · {job['status']}" in listed for job in stage.bot.jobs()),
        listed.splitlines()[-1].removeprefix("-# "),
    )
    hung_up = await stage.command("hangup")
    stage.report.check("the conversation is closed", "Hung up" in hung_up, hung_up)
    notices = [m for m in stage.discord.bot_messages(stage.channel) if m.text.startswith("🔔")]
    of_killed = [notice for notice in notices if "**fibonacci**" in notice.text]
    stage.report.check(
        "the bot is killed in mid-job; the notice comes once",
        len(of_killed) == 1 and stage.bot.job("fibonacci")["status"] == "completed",
        ", ".join(notice.text.splitlines()[0] for notice in of_killed) or "no notice",
    )
    stage.report.check("each job was announced once", len(notices) == 2, f"{len(notices)} notices")  # noqa: PLR2004 - one for each job


def _is_whole(text: str) -> bool:
    """Say whether an answer to "please start this" is there to its end."""
    return text.endswith("whenever you like.") or "could not" in text


def _is_notice_of(name: str) -> Callable[[Message], bool]:
    return lambda message: message.text.startswith("🔔") and f"**{name}**" in message.text


def _is_process(pid: int | None) -> bool:
    return Path(f"/proc/{pid}").exists()
