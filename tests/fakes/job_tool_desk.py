"""Calls the tools for jobs as Claudes do."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from extensions.callers import Caller, CallerKind
from extensions.jobs.backend import RunEnded
from extensions.jobs.job import Job, JobStatus, Origin, Outcome
from extensions.jobs.manager import JobManager
from extensions.jobs.tools import job_tools
from extensions.tools import ToolAnswer, ToolCall, ToolRegistry
from tests.fakes.job_backend import FakeJobBackend
from tests.fakes.job_house import OTHER_PERSON, PERSON, JobHouse, request
from tests.fakes.waiting import until

ANNA = Caller(CallerKind.SPEAKER, "5e551011")
BEN = Caller(CallerKind.SPEAKER, "5e551012")
NOBODY = Caller(CallerKind.SPEAKER, "5e551013")
PEOPLE = {ANNA: PERSON, BEN: OTHER_PERSON}
FAILED = Outcome(
    status=JobStatus.FAILED,
    error="It ended.",
    cost_usd=0.5,
    turns=3,
    refused_actions=("Bash",),
    failed_servers=("papercup",),
)


class OwnJobsOnly:
    """A policy by which each speaker serves one person, who sees what is theirs."""

    def origin_of(self, caller: Caller) -> Origin | str:
        if caller not in PEOPLE:
            return "Nobody is being answered at present."
        return request(person=PEOPLE[caller]).origin

    def may_see(self, caller: Caller, job: Job) -> bool:
        return PEOPLE.get(caller) == job.origin.person_id

    def may_cancel(self, caller: Caller, job: Job) -> bool:
        return self.may_see(caller, job) and job.name != "precious"


class Desk:
    """Calls the tools as a Claude does."""

    def __init__(self, house: JobHouse, manager: JobManager) -> None:
        self.manager = manager
        self.registry = ToolRegistry()
        for tool in job_tools(manager, OwnJobsOnly(), house.clock):
            self.registry.offer(tool)

    async def call(self, caller: Caller, name: str, /, **arguments: Any) -> dict[str, Any]:
        answer = await self.answer(caller, name, **arguments)
        assert not answer.is_error, answer.text
        return dict(json.loads(answer.text))

    async def refusal(self, caller: Caller, name: str, /, **arguments: Any) -> str:
        answer = await self.answer(caller, name, **arguments)
        assert answer.is_error, answer.text
        (reason,) = json.loads(answer.text).values()
        return str(reason)

    async def answer(self, caller: Caller, name: str, /, **arguments: Any) -> ToolAnswer:
        tool = self.registry.find(caller, name)
        assert tool is not None
        return await tool.handler(ToolCall(caller=caller, arguments=arguments))


@asynccontextmanager
async def opened(house: JobHouse, backend: FakeJobBackend) -> AsyncGenerator[Desk, None]:
    async with house.open(backend) as manager:
        yield Desk(house, manager)


async def end(house: JobHouse, backend: FakeJobBackend, job_id: str, outcome: Outcome) -> None:
    await until(lambda: job_id in backend.runs)
    backend.runs[job_id].emit(RunEnded(outcome, ended_at=1012.25))
    await house.watcher.settled(job_id)
