"""The desk for jobs, with a real job manager behind it."""

import json
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bot.access import NOT_YOURS, AccessPolicy, Person, Place
from bot.commands.spec import Completes
from bot.commands.table import COMMANDS, START_A_JOB
from bot.conversation.desk import DeskOffer
from bot.conversation.incoming import (
    Attachment,
    ButtonPress,
    CommandCall,
    Completion,
    IncomingMessage,
)
from bot.conversation.job_desk import JobDesk
from bot.conversation.job_starting import FILES_STAY, NO_TEXT
from bot.conversation.job_texts import FILES_GONE, LOG_GONE, NO_FILES, NO_JOBS, NO_SUCH_JOB
from bot.conversation.session import Session
from bot.messenger import ButtonAction, MessageContent, MessageRef
from extensions.jobs.backend import RunEnded, RunProgressed
from extensions.jobs.job import Job, JobStatus, Origin, Outcome
from extensions.jobs.job_logs import JobLogs
from extensions.jobs.manager import JobManager
from extensions.jobs.progress import Progress
from tests.fakes.job_backend import FakeJobBackend
from tests.fakes.job_house import JobHouse, request
from tests.fakes.waiting import until

OWNER = Person(id=1, name="olga")
USER = Person(id=7, name="uwe")
OTHER_USER = Person(id=8, name="ute")
HERE = Place(guild_id=10, channel_id=11)
POLICY = AccessPolicy(owner_ids=frozenset({1}), allowed_user_ids=frozenset({7, 8}))
DONE = Outcome(status=JobStatus.COMPLETED, summary="done", cost_usd=0.5)
JOB_COMMANDS = [spec.name for spec in COMMANDS if spec.name.startswith("jobs ")]


@dataclass
class OpenOnes:
    """Opens one conversation in each place, in name only."""

    session: Session

    async def open(self, place: Place, person: Person) -> "tuple[OpenOnes, bool]":
        self.session = replace(self.session, place=place, opened_by=person.id)
        return self, True


class CardsThere:
    """Has a card for each job."""

    async def ref_of(self, job_id: str, *, timeout_seconds: float) -> MessageRef | None:
        assert timeout_seconds < 15
        return MessageRef(channel_id=11, message_id=int(job_id, 16))


@dataclass
class Office:
    offer: DeskOffer
    jobs: JobManager
    backend: FakeJobBackend
    house: JobHouse

    async def call(
        self, person: Person, name: str, job: str | None = None, *, most_file_bytes: int = 10 << 20
    ) -> MessageContent:
        return await self.offer.commands[name](
            CommandCall(
                name=name,
                options={} if job is None else {"job": job},
                person=person,
                place=HERE,
                most_file_bytes=most_file_bytes,
            )
        )

    async def press(self, person: Person, verb: str, subject: str) -> MessageContent:
        answer = await self.offer.buttons[verb](
            ButtonPress(
                action=ButtonAction(verb=verb, subject=subject),
                message=MessageRef(channel_id=11, message_id=6),
                person=person,
                place=HERE,
            )
        )
        assert answer is not None
        return answer

    async def complete(self, person: Person, what: Completes, typed: str = "") -> list[str]:
        completion = Completion(
            command="jobs show", option="job", typed=typed, person=person, place=HERE
        )
        return [found.label for found in await self.offer.completers[what](completion)]

    async def start(self, text: str, *attachments: Attachment) -> str:
        message = IncomingMessage(
            ref=MessageRef(channel_id=11, message_id=5),
            author=OTHER_USER,
            place=HERE,
            text=text,
            mentions_bot=False,
            attachments=attachments,
        )
        call = CommandCall(name=START_A_JOB, options={}, person=USER, place=HERE, target=message)
        return (await self.offer.commands[START_A_JOB](call)).text

    async def running_job(self, name: str = "fibonacci", *, person: Person = USER) -> Job:
        job = await self.jobs.spawn(request(name=name, person=person.id))
        await until(lambda: job.id in self.backend.runs)
        return job

    async def settled_job(self, outcome: Outcome = DONE, *, name: str = "fibonacci") -> Job:
        job = await self.running_job(name)
        self.backend.runs[job.id].emit(RunEnded(outcome))
        return await self.house.watcher.settled(job.id)


@asynccontextmanager
async def open_office(folder: Path, *, refusal: str | None = None) -> AsyncGenerator[Office, None]:
    house, backend = JobHouse(folder), FakeJobBackend()
    session = Session(
        id="5e55", name="talk", place=HERE, opened_by=1, created_at=0.0, last_active_at=0.0
    )
    async with house.open(backend) as jobs:
        desk = JobDesk(
            POLICY.authorize,
            jobs,
            house.clock,
            conversations=OpenOnes(session),
            cards=CardsThere(),
            logs=JobLogs(folder / "run"),
            refusal=refusal,
        )
        yield Office(desk.offer(), jobs, backend, house)


def put_log(office: Office, job: Job, *words: str) -> None:
    control = office.house.folder / "run" / job.id / "1"
    control.mkdir(parents=True, exist_ok=True)
    lines = [
        {"type": "assistant", "message": {"id": "m", "content": [{"type": "text", "text": each}]}}
        for each in words
    ]
    (control / "out.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


async def test_every_command_about_jobs_is_taken_care_of(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        assert sorted(office.offer.commands) == sorted([*JOB_COMMANDS, START_A_JOB])


async def test_the_list_ends_with_how_many_there_are_and_what_they_cost(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        nothing = await office.call(USER, "jobs list")
        await office.settled_job()
        await office.running_job("second")
        lists = [(await office.call(person, "jobs list")).text for person in (USER, OTHER_USER)]

    assert nothing.text == lists[1] == NO_JOBS
    second, first, total = lists[0].splitlines()
    assert "**second** · running" in second
    assert "**fibonacci** · completed" in first
    assert total == "-# 2 jobs in all: 1 running, 1 settled; $0.50 together."


@pytest.mark.parametrize("command", [name for name in JOB_COMMANDS if name != "jobs list"])
async def test_a_job_of_somebody_else_and_no_job_at_all_are_answered_alike(
    tmp_path: Path, command: str
) -> None:
    async with open_office(tmp_path) as office:
        job = await office.running_job()
        foreign = (await office.call(OTHER_USER, command, job.id)).text
        none = (await office.call(OTHER_USER, command, "00000000")).text
        await office.call(OTHER_USER, command, job.name)

        assert office.jobs.is_live(job.id)
    assert foreign.replace(job.id, "ID") == none.replace("00000000", "ID")
    assert foreign == f"There is no job `{job.id}` that you may see."


async def test_a_running_job_is_shown_as_it_stands_by_its_name(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        job = await office.running_job()
        office.backend.runs[job.id].emit(RunProgressed(Progress(turns=2, last_tool="Bash")))
        await office.house.watcher.sees(lambda _, progress: progress.turns == 2)
        shown = await office.call(USER, "jobs show", "fibonacci")

    assert shown.text.startswith("⚙️ **fibonacci** · running")
    assert "2 turns" in shown.text


async def test_of_a_settled_job_what_its_log_tells_is_shown_too(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        job = await office.settled_job(replace(DONE, turns=None))
        put_log(office, job, "one")
        shown = await office.call(USER, "jobs show", job.id)

    assert "1 turn · $0.50" in shown.text
    assert shown.text.endswith("> done")


async def test_a_log_comes_as_a_file_from_the_command_and_from_the_button(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        job = await office.settled_job()
        missing = await office.call(USER, "jobs logs", job.id)
        put_log(office, job, "I count.")
        called = await office.call(USER, "jobs logs", job.id)
        pressed = await office.press(USER, "log", job.id)

    assert missing.text == LOG_GONE
    assert called == pressed
    (file,) = called.files
    assert file.name == "fibonacci-log.txt"
    assert b"I count." in file.content


async def test_a_log_is_no_larger_than_a_file_may_be(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        job = await office.settled_job()
        put_log(office, job, *(f"step {number} " + "x" * 100 for number in range(500)))
        answer = await office.call(USER, "jobs logs", job.id, most_file_bytes=20_000)

    (file,) = answer.files
    assert len(file.content) < 20_000
    assert b"step 499" in file.content
    assert b"step 0 " not in file.content


async def test_a_job_that_waits_for_its_place_has_no_log_yet(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        for number in range(office.house.limit):
            await office.running_job(f"job-{number}")
        waiting = await office.jobs.spawn(request(name="last"))
        answer = await office.call(USER, "jobs logs", waiting.id)

    assert answer.text == "**last** has not begun yet."


async def test_the_files_of_a_job_come_as_far_as_there_is_room(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        job = await office.settled_job()
        empty = await office.call(USER, "jobs files", job.id)
        (Path(job.folder) / "fib.py").write_text("print(1)")
        (Path(job.folder) / "large.bin").write_bytes(bytes(5000))
        answer = await office.call(USER, "jobs files", job.id, most_file_bytes=4000)
        pressed = await office.press(USER, "files", f"{job.id}-1")
        shutil.rmtree(job.folder)
        gone = await office.call(USER, "jobs files", job.id)

    assert (empty.text, gone.text) == (NO_FILES, FILES_GONE)
    assert [(file.name, file.content) for file in answer.files] == [("fib.py", b"print(1)")]
    assert "`large.bin`" in answer.text
    assert [file.name for file in pressed.files] == ["fib.py", "large.bin"]


async def test_a_job_is_cancelled_by_its_name_once(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        job = await office.running_job()
        answer = await office.call(USER, "jobs cancel", "fibonacci")
        settled = await office.house.watcher.settled(job.id)
        again = await office.call(USER, "jobs cancel", job.id)

    assert answer.text == "Cancelling **fibonacci**."
    assert settled.status is JobStatus.CANCELLED
    assert "already ended" in again.text


@pytest.mark.parametrize("verb", ["cancel", "resume", "show", "files", "log"])
async def test_no_button_lets_in_who_may_not_see_the_job(tmp_path: Path, verb: str) -> None:
    async with open_office(tmp_path) as office:
        job = await office.settled_job()
        refused = await office.press(OTHER_USER, verb, job.id)
        unknown = await office.press(OWNER, verb, "00000000")

    assert (refused.text, unknown.text) == (NOT_YOURS.reason, NO_SUCH_JOB)


async def test_suggestions_are_the_newest_visible_jobs_that_match(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        settled = await office.settled_job(name="fibonacci")
        await office.running_job("primes")
        await office.running_job("secret", person=OTHER_USER)
        office.house.clock.advance(240.0)
        mine = await office.complete(USER, Completes.JOB)
        typed = await office.complete(USER, Completes.JOB, " FIB")
        by_id = await office.complete(USER, Completes.JOB, settled.id)
        unsettled = await office.complete(USER, Completes.UNSETTLED_JOB)
        owners = await office.complete(OWNER, Completes.UNSETTLED_JOB, "")

    assert mine == ["primes · running · 4 minutes ago", "fibonacci · completed · 4 minutes ago"]
    assert typed == by_id == ["fibonacci · completed · 4 minutes ago"]
    assert unsettled == ["primes · running · 4 minutes ago"]
    assert owners == ["secret · running · 4 minutes ago", "primes · running · 4 minutes ago"]


async def test_a_message_becomes_a_job_of_whoever_chose_that(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        answer = await office.start("Count the stars\u202e, please")
        (job,) = office.jobs.running()

    assert job.task == "ute wrote the following. Do what it asks for.\n\nCount the stars, please"
    assert job.name == "count-the-stars-please"
    assert job.origin == Origin(session_id="5e55", person_id=7, guild_id=10, channel_id=11)
    assert answer == (
        "Started **count-the-stars-please**. Its card: https://discord.com/channels/10/11/1"
    )


async def test_what_is_not_handed_over_is_said(tmp_path: Path) -> None:
    picture = Attachment(
        id=1, name="a.png", size_bytes=1, content_type="image/png", url="https://cdn.example/a"
    )
    async with open_office(tmp_path) as office:
        assert await office.start(" \u200b\n", picture) == NO_TEXT
        assert (await office.start("Look", picture)).endswith(f"\n{FILES_STAY}")
        assert len(office.jobs.running()) == 1


async def test_a_message_becomes_no_job_where_none_may_be_started(tmp_path: Path) -> None:
    async with open_office(tmp_path, refusal="There is no jail.") as office:
        assert await office.start("Count the stars") == "There is no jail."
        assert office.jobs.running() == []


async def test_who_starts_too_many_jobs_or_finds_no_room_is_told_so(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        office.house.clock.advance(1000.0)
        for number in range(office.house.limit):
            await office.running_job(f"job-{number}")
        waits = await office.start("one more")
        for _ in range(office.house.queue_limit - 1):
            await office.jobs.spawn(request())
        full = await office.start("too much")

    assert waits.startswith("**one-more** waits for a place, and then starts by itself.")
    assert full == "100 jobs are waiting already; let some end first."
