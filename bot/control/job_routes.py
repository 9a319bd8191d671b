"""Answers other processes about jobs, and cancels jobs for them."""

import re
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias

from aiohttp import web

from bot.control.job_reports import (
    JOBS_PATH,
    MOST_JOBS,
    PRUNE_PATH,
    JobReport,
    job_as_json,
    jobs_as_json,
    pruning_as_json,
    report_of_job,
)
from extensions.errors import JobNotFoundError, JobSettledError, PruneError
from extensions.jobs.job import Job
from extensions.jobs.manager import JobManager
from extensions.jobs.pruning import PruneReport

_DEFAULT_LIMIT = 50
_LIMIT = re.compile(r"[0-9]{1,5}")
_JSON = "application/json"
_Answer: TypeAlias = Callable[[web.Request], Awaitable[web.Response]]


class Prune(Protocol):
    """Removes the files of old jobs."""

    async def __call__(self, *, dry_run: bool) -> PruneReport:
        """Remove them, or only say which would be.

        Raises:
            PruneError: If they cannot be removed.
        """
        ...


def job_routes(jobs: JobManager, prune: Prune) -> list[web.RouteDef]:
    """Return what is answered about `jobs`; who asks may do with them all that an owner may."""
    office = _JobOffice(jobs, prune)
    return [
        web.post(PRUNE_PATH, _telling_errors(office.prune)),
        web.get(JOBS_PATH, office.list_newest),
        web.get(f"{JOBS_PATH}/{{wanted}}", _telling_errors(office.show)),
        web.post(f"{JOBS_PATH}/{{wanted}}/cancel", _telling_errors(office.cancel)),
    ]


class _JobOffice:
    def __init__(self, jobs: JobManager, prune: Prune) -> None:
        self._jobs = jobs
        self._prune = prune

    async def list_newest(self, request: web.Request) -> web.Response:
        text = request.query.get("limit", str(_DEFAULT_LIMIT))
        if not _LIMIT.fullmatch(text) or not 1 <= int(text) <= MOST_JOBS:
            return _refusal(f"limit must be a whole number from 1 to {MOST_JOBS}", status=400)
        found = await self._jobs.recent(int(text), _any)
        body = jobs_as_json([self._report(job) for job in found])
        return web.Response(body=body, content_type=_JSON)

    async def show(self, request: web.Request) -> web.Response:
        job = await self._jobs.find(request.match_info["wanted"], _any)
        return web.Response(body=job_as_json(self._report(job)), content_type=_JSON)

    async def cancel(self, request: web.Request) -> web.Response:
        job = await self._jobs.find(request.match_info["wanted"], _any)
        await self._jobs.cancel(job.id)
        return web.Response(body=job_as_json(self._report(job)), content_type=_JSON)

    async def prune(self, request: web.Request) -> web.Response:
        wanted = request.query.get("dry_run", "0")
        if wanted not in {"0", "1"}:
            return _refusal("dry_run must be 0 or 1", status=400)
        report = await self._prune(dry_run=wanted == "1")
        return web.Response(body=pruning_as_json(report), content_type=_JSON)

    def _report(self, job: Job) -> JobReport:
        return report_of_job(job, self._jobs.progress_of(job.id))


def _telling_errors(answer: _Answer) -> _Answer:
    async def handle(request: web.Request) -> web.Response:
        try:
            return await answer(request)
        except JobNotFoundError as error:
            return _refusal(str(error), status=404)
        except JobSettledError as error:
            return _refusal(str(error), status=409)
        except PruneError as error:
            return _refusal(str(error), status=500)

    return handle


def _refusal(reason: str, *, status: int) -> web.Response:
    return web.json_response({"error": reason}, status=status)


def _any(_: Job) -> bool:
    return True
