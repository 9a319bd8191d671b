"""What must hold of a ground: of its jobs, its channel, and its processes."""

import asyncio
import os
import time
from pathlib import Path

from simulator.discord.model import Message
from tests.soak.channel import Reply, cards_by_name, notices_by_name, reply_to
from tests.soak.findings import Findings
from tests.soak.ground import Ground
from tests.soak.jobs import kind_of, last_words, names_in
from tests.soak.processes import Seen, doors_of, processes_of
from tests.soak.truth import (
    End,
    StoredJob,
    database_faults,
    is_over,
    shown_jobs,
    stored_jobs,
    true_end,
)

THERE = "a bot comes to Discord"
SETTLED = "every job settles"
TRUE = "a stored outcome is what the run recorded"
MEANT = "a job comes to what it would without a kill"
ONCE = "a job's command is run once"
CALLED = "a job's call to the bot goes through"
PROMISED = "a job that was promised is stored"
NOTICE = "one notice for each job"
CARD = "one card for each job, and it shows the end"
ANSWERED = "every message is answered"
READABLE = "`extensions.json` can be read after a kill"
SAME = "`extensions.json` says what the database says"
WHOLE = "the database is whole"
GONE = "no process is left over"
LOOPBACK = "only loopback is listened on"

_GONE_SECONDS = 8.0
_PROBE_SECONDS = 35.0
"""What tries out the jail at a bot's start outlives that, but not for longer."""
_POLL_SECONDS = 0.05


def check_jobs(ground: Ground) -> None:
    """Look at every job that is stored; a bot should be running, and nothing under way."""
    findings, data = ground.findings, ground.data
    jobs, shown = stored_jobs(data), shown_jobs(data)
    for job in jobs:
        findings.check(SETTLED, _called(job), None if job.is_settled else job.end.status)
        if job.is_settled:
            _check_outcome(job, data, findings)
            _check_work(job, findings)
        seen = shown if isinstance(shown, str) else shown.get(job.id)
        findings.check(SAME, _called(job), None if seen == job.end else str(seen))
    ids = {job.id for job in jobs}
    for job_id, name in ground.model.promised.items():
        findings.check(PROMISED, f"{name} ({job_id})", None if job_id in ids else "it is not there")
    for name, fault in ground.model.calls.items():
        findings.check(CALLED, name, fault)
    findings.check(WHOLE, "papercup.db", database_faults(data))


def check_channel(ground: Ground, *, is_strict: bool) -> None:
    """Look at the notices, the cards and the answers; `is_strict`: no message is unanswered."""
    findings, messages = ground.findings, ground.messages()
    notices, cards = notices_by_name(messages), cards_by_name(messages)
    for job in stored_jobs(ground.data):
        count = notices[job.name]
        findings.check(NOTICE, _called(job), None if count == 1 else f"there are {count}")
        card = cards.get(job.name, [])
        is_right = shows_end(card, job)
        seen = " / ".join(one.text.splitlines()[0] for one in card) or "there is none"
        findings.check(CARD, _called(job), None if is_right else seen)
    for question, reply in replies(ground).items():
        is_fine = reply.is_fine or not is_strict
        findings.check(ANSWERED, question, None if is_fine else reply.value)


def shows_end(cards: list[Message], job: StoredJob) -> bool:
    """Say whether these cards of a job are one, and it shows how the job ended."""
    return len(cards) == 1 and f"· {job.end.status}" in cards[0].text


def replies(ground: Ground) -> dict[str, Reply]:
    """Return what became of each message of a person, by what it says."""
    messages = ground.messages()
    now = [ground.house.discord.message(question) or question for question in ground.questions]
    return {question.text: reply_to(question, messages) for question in now}


def check_shown(ground: Ground) -> None:
    """Look at `extensions.json`, right after a kill."""
    shown = shown_jobs(ground.data)
    is_fine = not isinstance(shown, str) or not (ground.data / "papercup.db").exists()
    ground.findings.check(READABLE, str(ground), None if is_fine else str(shown))


async def check_gone(ground: Ground, seen: list[Seen], when: str) -> None:
    """Wait until those of `seen` are gone that nobody needs any more: all but jobs that go on."""
    is_probing = any((process.job_id or "").startswith("probe-") for process in seen)
    give_up_at = time.monotonic() + (_PROBE_SECONDS if is_probing else _GONE_SECONDS)
    left = seen
    while left := [process for process in left if _is_left_over(process, ground.data)]:
        if time.monotonic() > give_up_at:
            break
        await asyncio.sleep(_POLL_SECONDS)
    for process in seen:
        told = f"{process.command} ({process.pid}, job {process.job_id})"
        ground.findings.check(GONE, when, told if process in left else None)


async def check_listening(ground: Ground) -> None:
    """Look at where the bot and all that belongs to it can be reached."""
    doors = await asyncio.to_thread(lambda: doors_of(processes_of(ground.house.folder)))
    for door in doors:
        told = f"{door.process.command}: {door.ip}:{door.port}"
        ground.findings.check(LOOPBACK, str(ground), None if door.is_on_loopback else told)


def others(ground: Ground, *, besides: int | None = None) -> list[Seen]:
    """Return the processes of a ground, besides this one and one more."""
    mine = {os.getpid(), besides}
    return [process for process in processes_of(ground.house.folder) if process.pid not in mine]


def _check_outcome(job: StoredJob, data: Path, findings: Findings) -> None:
    kind = kind_of(job.name)
    true = true_end(data, job.id)
    is_true = job.end == _without_summary(true, job)
    told = f"{job.end.status} ({job.error or job.end.summary})"
    findings.check(TRUE, _called(job), None if is_true else f"stored {told}; it was {true}")
    (asked,) = names_in(job.name)
    words = last_words(asked) if kind.ends_as == "completed" else None
    is_meant = job.end == End(status=kind.ends_as, summary=words)
    findings.check(MEANT, _called(job), None if is_meant else f"{told}, not {kind.ends_as}")


def _without_summary(true: End | None, job: StoredJob) -> End | None:
    """Return the true end; an ended run keeps no words but those of a completed job."""
    if true is None or true.status == "completed" == job.end.status:
        return true
    return End(status=true.status, summary=job.end.summary)


def _check_work(job: StoredJob, findings: Findings) -> None:
    wanted = kind_of(job.name).counts_to
    counted = job.folder / "count.txt"
    count = len(counted.read_text().splitlines()) if counted.exists() else 0
    findings.check(ONCE, _called(job), None if count == wanted else f"{count} times")


def _is_left_over(process: Seen, data: Path) -> bool:
    goes_on = process.job_id is not None and not is_over(data, process.job_id)
    return process.is_there and not goes_on


def _called(job: StoredJob) -> str:
    return f"{job.name} ({job.id})"
