"""Every way in, with real conversations and a real job manager behind the desk."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from bot.access import NO_AUTOMATONS, NOT_ON_THE_LIST, NOT_YOURS, AccessPolicy, Person, Place
from bot.commands.table import COMMANDS
from bot.conversation.ask_desk import NOTHING_RUNS
from bot.conversation.job_rights import NO_TURN, NOT_A_SPEAKER
from bot.conversation.job_texts import FILES_GONE, NO_FILES, NO_SUCH_JOB
from bot.conversation.session_words import NOT_OPEN
from bot.speaker.speaker import Answered, TextCame
from extensions.callers import Caller, CallerKind
from extensions.jobs.job import Job, JobStatus, Origin, Outcome
from tests.fakes.job_house import request
from tests.fakes.office import HERE, Office, open_office
from tests.fakes.waiting import until

OWNER = Person(id=1, name="olga")
USER = Person(id=7, name="uwe")
OTHER_USER = Person(id=8, name="ute")
STRANGER = Person(id=9, name="sven")
BOT = Person(id=1, name="olga", is_automatic=True)

POLICY = AccessPolicy(owner_ids=frozenset({1}), allowed_user_ids=frozenset({7, 8}))


async def test_a_mention_opens_a_conversation_and_is_answered(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        await office.say(USER, "hello")
        (speaker,) = office.speakers.values()
        await until(lambda: speaker.asked == ["uwe: hello"])
        speaker.events.put_nowait(TextCame("Hi."))
        speaker.events.put_nowait(Answered())
        await until(lambda: bool(office.messenger.messages))

    assert office.messenger.messages[0].text == "Hi."


@pytest.mark.parametrize(("person", "replies"), [(STRANGER, [NOT_ON_THE_LIST.reason]), (BOT, [])])
async def test_a_stranger_is_told_so_and_a_bot_is_not_even_told(
    tmp_path: Path, person: Person, replies: list[str]
) -> None:
    async with open_office(tmp_path, POLICY) as office:
        await office.say(person)

        assert [m.text for m in office.messenger.messages] == replies
        assert len(office.conversations) == 0


@pytest.mark.parametrize("command", [spec.name for spec in COMMANDS])
@pytest.mark.parametrize(
    ("person", "answer"), [(STRANGER, NOT_ON_THE_LIST.reason), (BOT, NO_AUTOMATONS.reason)]
)
async def test_no_command_lets_in_who_may_not_talk(
    tmp_path: Path, command: str, person: Person, answer: str
) -> None:
    async with open_office(tmp_path, POLICY) as office:
        assert await office.call(person, command) == answer


async def test_the_commands_of_a_conversation_go_through_its_life(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        assert await office.call(USER, "hangup") == NOT_OPEN
        assert "Picked up" in await office.call(USER, "pickup")
        assert "open here already" in await office.call(USER, "pickup")
        assert "notices off" in await office.call(USER, "status")
        await office.call(USER, "notify", {"state": "on"})
        status = await office.call(USER, "status")
        assert "notices on" in status
        assert "All is well." in status
        assert await office.call(USER, "cancel") == NOTHING_RUNS
        assert "Hung up" in await office.call(USER, "hangup")
        assert await office.call(USER, "cancel") == NOT_OPEN
    (speaker,) = office.speakers.values()
    assert speaker.is_warm


async def test_cancel_ends_the_running_turn(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        await office.say(USER, "hello")
        (speaker,) = office.speakers.values()
        await until(lambda: bool(speaker.asked))

        assert await office.call(USER, "cancel") == "Cancelled what I was answering."


async def test_each_person_sees_own_jobs_and_the_owner_all(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        await office.settled_job()

        assert "**fibonacci** · completed" in await office.call(USER, "jobs list")
        assert "**fibonacci** · completed" in await office.call(OWNER, "jobs list")
        assert await office.call(OTHER_USER, "jobs list") == "There are no jobs that you may see."


@pytest.mark.parametrize("verb", ["cancel", "show", "files", "resume"])
@pytest.mark.parametrize(
    ("person", "answer"), [(OTHER_USER, NOT_YOURS.reason), (STRANGER, NOT_ON_THE_LIST.reason)]
)
async def test_no_button_lets_in_who_may_not_see_the_job(
    tmp_path: Path, verb: str, person: Person, answer: str
) -> None:
    async with open_office(tmp_path, POLICY) as office:
        job = await office.settled_job()

        assert (await office.press(person, verb, job.id)).text == answer


async def test_a_running_job_is_cancelled_by_its_button(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        job = await office.running_job()
        answer = await office.press(USER, "cancel", job.id)
        settled = await office.house.watcher.settled(job.id)
        again = await office.press(USER, "cancel", job.id)

    assert answer.text == "Cancelling **fibonacci**."
    assert settled.status is JobStatus.CANCELLED
    assert "already ended" in again.text


async def interrupted_job(office: Office) -> Job:
    lost = Outcome(status=JobStatus.INTERRUPTED, error="The machine stopped.")
    return await office.ended_job(lost)


async def test_an_interrupted_job_is_resumed_by_its_button_once(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        job = await interrupted_job(office)
        answer = await office.press(USER, "resume", f"{job.id}-1")
        (resumed,) = office.jobs.running()
        again = await office.press(USER, "resume", f"{job.id}-1")

    assert answer.text == "**fibonacci** goes on where it was interrupted."
    assert (resumed.id, resumed.run_number) == (job.id, 2)
    assert again.text == "Job 'fibonacci' was not interrupted (running)."


async def test_who_has_started_too_many_jobs_resumes_none(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        job = await interrupted_job(office)
        for _ in range(4):
            await office.jobs.spawn(request())
        answer = await office.press(USER, "resume", job.id)

    assert answer.text.startswith("Too many jobs were started within a minute. Try again in")


async def test_without_the_jail_that_is_required_no_job_is_resumed(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY, job_refusal="There is no jail.") as office:
        job = await interrupted_job(office)
        answer = await office.press(USER, "resume", job.id)
        assert office.jobs.running() == []

    assert answer.text == "There is no jail."


async def test_show_gives_the_whole_text_as_a_file_where_it_is_long(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        job = await office.settled_job(summary="x" * 5000)
        answer = await office.press(USER, "show", job.id)

    (file,) = answer.files
    assert file.name == "fibonacci.md"
    assert b"x" * 5000 in file.content


async def test_files_gives_what_stands_in_the_jobs_folder(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        job = await office.settled_job()
        empty = await office.press(USER, "files", job.id)
        (Path(job.folder) / "fib.py").write_text("print(1)")
        answer = await office.press(USER, "files", job.id)

    assert empty.text == NO_FILES
    assert [(file.name, file.content) for file in answer.files] == [("fib.py", b"print(1)")]


async def test_files_that_were_removed_are_not_said_never_to_have_been(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        job = await office.settled_job()
        shutil.rmtree(job.folder)

        assert (await office.press(USER, "files", job.id)).text == FILES_GONE


async def test_a_button_of_a_job_that_is_gone_says_so(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        assert (await office.press(OWNER, "show", "00000000")).text == NO_SUCH_JOB


async def test_a_speaker_starts_jobs_only_for_whoever_it_is_answering(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        await office.call(USER, "pickup")
        conversation = office.conversations.in_place(HERE)
        assert conversation is not None
        speaker = Caller(CallerKind.SPEAKER, conversation.session.id)
        assert office.rights.origin_of(speaker) == NO_TURN
        assert office.rights.origin_of(Caller(CallerKind.SPEAKER, "other")) == NO_TURN
        assert office.rights.origin_of(Caller(CallerKind.JOB, "8d08ba4f")) == NOT_A_SPEAKER
        await office.say(USER, "start it")
        await until(lambda: conversation.running_turn is not None)

        assert office.rights.origin_of(speaker) == Origin(
            session_id=conversation.session.id, person_id=7, guild_id=10, channel_id=11
        )


async def test_a_speaker_sees_the_jobs_that_everyone_in_its_turn_may_see(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        job = await office.settled_job()
        await office.call(OTHER_USER, "pickup")
        conversation = office.conversations.in_place(HERE)
        assert conversation is not None
        speaker = Caller(CallerKind.SPEAKER, conversation.session.id)
        outside_a_turn = office.rights.may_see(speaker, job)
        await office.say(OTHER_USER, "how is fibonacci?")
        await until(lambda: conversation.running_turn is not None)
        for_another = office.rights.may_see(speaker, job)
        own = office.rights.may_see(Caller(CallerKind.JOB, job.id), job)
        foreign = office.rights.may_see(Caller(CallerKind.JOB, "00000000"), job)

    assert (outside_a_turn, for_another, own, foreign) == (False, False, True, False)


async def test_where_a_channel_is_gone_its_sessions_are_hung_up_and_go_on_elsewhere(
    tmp_path: Path,
) -> None:
    channel, thread, elsewhere = (Place(guild_id=10, channel_id=number) for number in (21, 22, 23))
    thread = replace(thread, parent_id=channel.channel_id)
    async with open_office(tmp_path, POLICY) as office:
        for place in (channel, thread, elsewhere):
            await office.call(USER, "pickup", {"name": f"n{place.channel_id}"}, place=place)
        office.messenger.closed_channels = {channel.channel_id, thread.channel_id}
        await office.say(USER, place=thread)
        await until(lambda: bool(office.speaker(thread).asked))
        job = await office.running_job()
        await office.desk.channel_deleted(thread.channel_id)
        assert office.conversations.places == [channel, elsewhere]
        await office.desk.channel_deleted(channel.channel_id)
        assert office.conversations.places == [elsewhere]
        resumed = await office.call(USER, "resume", {"name": "n22"})
        running = await office.jobs.find(job.id, lambda _: True)

    assert resumed.startswith("Going on with **n22** here.")
    assert running.status is JobStatus.RUNNING
    assert office.messenger.messages == []
