"""Jobs start no jobs: a speaker's are at the depth 1, and there is none below."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from mcp.client.client import Client

from extensions.callers import Caller, CallerKind, Callers, token_hash
from extensions.jobs.job import Job
from tests.fakes.job_backend import FakeJobBackend
from tests.fakes.job_house import JobHouse, everything
from tests.fakes.job_tool_desk import ANNA, Desk, opened
from tests.fakes.server_clients import JOB_TOKEN, SPEAKER_TOKEN, mcp_client, text_of
from tests.fakes.server_mcp import served

MOTHER = Caller(CallerKind.JOB, "00000001")
ABOUT_JOBS = ("spawn", "check", "list", "wait", "cancel")


@asynccontextmanager
async def clients(desk: Desk) -> AsyncGenerator[tuple[Client, Client], None]:
    """Return who speaks for Anna, and the job that is hers."""
    callers = Callers()
    callers.admit(ANNA, token_hash(SPEAKER_TOKEN))
    callers.admit(MOTHER, token_hash(JOB_TOKEN))
    async with (
        served(desk.registry, callers) as server,
        mcp_client(server.url, SPEAKER_TOKEN) as speaker,
        mcp_client(server.url, JOB_TOKEN) as job,
    ):
        yield speaker, job


async def all_jobs(desk: Desk) -> list[Job]:
    return list(await desk.manager.recent(100, everything))


async def test_a_job_that_calls_the_tools_of_speakers_by_name_gets_none(tmp_path: Path) -> None:
    async with opened(JobHouse(tmp_path), FakeJobBackend()) as desk, clients(desk) as both:
        speaker, job = both
        started = await speaker.call_tool("spawn_extension", {"task": "have children"})
        offered = [tool.name for tool in (await job.list_tools()).tools]
        answers = [
            await job.call_tool(f"{verb}_extension", {"task": "go on", "id": MOTHER.subject})
            for verb in ABOUT_JOBS
        ]
        jobs = await all_jobs(desk)

    assert not started.is_error
    assert offered == ["report_progress"]
    assert [text_of(answer) for answer in answers] == [
        f"There is no tool named '{verb}_extension'." for verb in ABOUT_JOBS
    ]
    assert [each.id for each in jobs] == [MOTHER.subject]


async def test_a_speaker_starts_no_more_than_its_person_may_however_many_it_asks_for(
    tmp_path: Path,
) -> None:
    house = JobHouse(tmp_path, limit=1)
    house.spawns_per_minute = 3
    async with opened(house, FakeJobBackend()) as desk, clients(desk) as (speaker, _):
        async with asyncio.TaskGroup() as tasks:
            calls = [
                tasks.create_task(speaker.call_tool("spawn_extension", {"task": f"t{number}"}))
                for number in range(20)
            ]
        refused = [text_of(call.result()) for call in calls if call.result().is_error]
        jobs = await all_jobs(desk)

    assert len(refused) == 17
    assert all("3 jobs within a minute" in text for text in refused)
    assert len(jobs) == 3
