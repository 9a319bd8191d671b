"""The MCP tools with which Claudes ask for jobs, look at them and report from them.

Their names and field names are those that users know; here they are made from ours.
"""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from extensions.callers import Caller, CallerKind
from extensions.errors import (
    DiskFullError,
    JobNotFoundError,
    JobsClosedError,
    JobSettledError,
    QueueFullError,
    SpawnRateError,
)
from extensions.jobs.addressing import Meant, NotMeant, Purpose, Unclear, address_jobs
from extensions.jobs.extensions_json import milliseconds
from extensions.jobs.job import Job, JobRequest, JobStatus, Origin
from extensions.jobs.manager import JobManager
from extensions.jobs.tool_answers import ask_back, checked, listed
from extensions.jobs.tool_arguments import (
    BadArgumentError,
    optional_number,
    optional_text,
    required_text,
    whole_number,
)
from extensions.jobs.tool_texts import (
    CANCEL_DESCRIPTION,
    CANCEL_SCHEMA,
    CHECK_DESCRIPTION,
    CHECK_SCHEMA,
    LIST_DESCRIPTION,
    LIST_LIMIT,
    LIST_SCHEMA,
    LISTED_BY_DEFAULT,
    MESSAGE_LENGTH_LIMIT,
    MOST_WAIT_SECONDS,
    NAME_LENGTH_LIMIT,
    REPORT_DESCRIPTION,
    REPORT_SCHEMA,
    SPAWN_DESCRIPTION,
    SPAWN_SCHEMA,
    TASK_LENGTH_LIMIT,
    WAIT_DESCRIPTION,
    WAIT_SCHEMA,
)
from extensions.tools import Tool, ToolAnswer, ToolCall, ToolHandler

_MOST_MEANT = 100
"""Among how many of the newest jobs that a caller may see those are looked for that are meant."""
_LOOKED_THROUGH = 1000
_MOST_WAITS = 4
"""How many calls of one caller may wait at once."""
_CANCEL_SECONDS = 3.0
"""How long it is waited for a job to settle that was cancelled."""
_NO_BASH = "No sandbox works on this machine, so the job has no Bash: it cannot run what it writes."
_QUEUED = "All places are taken: the job starts by itself as soon as one is free."
_MAY_NOT_CANCEL = "The people who are being answered may not cancel that."
_TOO_MANY_WAITS = "Too many calls wait already: wait for one of them to return."


class JobPolicy(Protocol):
    """Who may do what with jobs."""

    def origin_of(self, caller: Caller) -> Origin | str:
        """Return in whose name and where a job of `caller` is asked for, or why it may not."""
        ...

    def may_see(self, caller: Caller, job: Job) -> bool:
        """Say whether `caller` may know of `job`."""
        ...

    def may_cancel(self, caller: Caller, job: Job) -> bool:
        """Say whether `caller` may have `job` stopped."""
        ...


def job_tools(
    manager: JobManager, policy: JobPolicy, clock: Callable[[], float] = time.time
) -> list[Tool]:
    """Return the tools that speakers and jobs are offered about jobs."""
    answers = _Answers(manager, policy, clock)
    return [
        Tool(
            name="spawn_extension",
            description=SPAWN_DESCRIPTION,
            input_schema=SPAWN_SCHEMA,
            offered_to=frozenset({CallerKind.SPEAKER}),
            handler=_answering(answers.spawn),
        ),
        Tool(
            name="check_extension",
            description=CHECK_DESCRIPTION,
            input_schema=CHECK_SCHEMA,
            offered_to=frozenset({CallerKind.SPEAKER}),
            read_only=True,
            handler=_answering(answers.check),
        ),
        Tool(
            name="list_extensions",
            description=LIST_DESCRIPTION,
            input_schema=LIST_SCHEMA,
            offered_to=frozenset({CallerKind.SPEAKER}),
            read_only=True,
            handler=_answering(answers.recent),
        ),
        Tool(
            name="wait_extension",
            description=WAIT_DESCRIPTION,
            input_schema=WAIT_SCHEMA,
            offered_to=frozenset({CallerKind.SPEAKER}),
            read_only=True,
            handler=_answering(answers.wait),
        ),
        Tool(
            name="cancel_extension",
            description=CANCEL_DESCRIPTION,
            input_schema=CANCEL_SCHEMA,
            offered_to=frozenset({CallerKind.SPEAKER}),
            handler=_answering(answers.cancel),
        ),
        Tool(
            name="report_progress",
            description=REPORT_DESCRIPTION,
            input_schema=REPORT_SCHEMA,
            offered_to=frozenset({CallerKind.JOB}),
            handler=_answering(answers.report),
        ),
    ]


class _Answers:
    """What each tool answers."""

    def __init__(self, manager: JobManager, policy: JobPolicy, clock: Callable[[], float]) -> None:
        self._manager = manager
        self._policy = policy
        self._clock = clock
        self._waits: Counter[Caller] = Counter()

    async def spawn(self, call: ToolCall) -> dict[str, Any]:
        task = required_text(call.arguments, "task", length_limit=TASK_LENGTH_LIMIT)
        name = optional_text(call.arguments, "name", length_limit=NAME_LENGTH_LIMIT)
        origin = self._policy.origin_of(call.caller)
        if isinstance(origin, str):
            raise BadArgumentError(origin)
        job = await self._manager.spawn(JobRequest(task=task, name=name, origin=origin))
        answer = {
            "id": job.id,
            "name": job.name,
            "status": job.status.value,
            "dir": job.folder,
            "startedAt": milliseconds(job.started_at),
        }
        notes = [_QUEUED] if job.status is JobStatus.QUEUED else []
        notes += [_NO_BASH] if job.jail == "none" else []
        return {**answer, "note": " ".join(notes)} if notes else answer

    async def check(self, call: ToolCall) -> dict[str, Any]:
        return _together([self._checked(job) for job in await self._meant(call)])

    async def wait(self, call: ToolCall) -> dict[str, Any]:
        seconds = optional_number(call.arguments, "seconds", lowest=0, highest=MOST_WAIT_SECONDS)
        jobs = await self._meant(call)
        if self._waits[call.caller] >= _MOST_WAITS:
            raise BadArgumentError(_TOO_MANY_WAITS)
        self._waits[call.caller] += 1
        try:
            await self._wait_for(jobs, seconds=MOST_WAIT_SECONDS if seconds is None else seconds)
        finally:
            self._waits[call.caller] -= 1
            self._waits += Counter()  # drops those who wait no more
        return _together([await self._checked_again(job, call.caller) for job in jobs])

    async def cancel(self, call: ToolCall) -> dict[str, Any]:
        jobs = await self._meant(call, Purpose.STOP)
        refused: dict[str, dict[str, str]] = {}
        for job in jobs:
            try:
                await self._cancel(job, call.caller)
            except (BadArgumentError, JobSettledError) as error:
                if len(jobs) == 1:
                    raise
                refused[job.id] = {"notStopped": str(error)}
        stopped = [job for job in jobs if job.id not in refused]
        await self._wait_for(stopped, seconds=_CANCEL_SECONDS)
        return _together(
            [await self._checked_again(job, call.caller) | refused.get(job.id, {}) for job in jobs]
        )

    async def recent(self, call: ToolCall) -> dict[str, Any]:
        limit = whole_number(
            call.arguments, "limit", lowest=1, highest=LIST_LIMIT, default=LISTED_BY_DEFAULT
        )
        jobs = await self._manager.recent(limit, self._visible_to(call.caller))
        now = self._clock()
        return {"extensions": [listed(job, now=now) for job in jobs]}

    async def report(self, call: ToolCall) -> dict[str, Any]:
        message = required_text(call.arguments, "message", length_limit=MESSAGE_LENGTH_LIMIT)
        fraction = optional_number(call.arguments, "fraction", lowest=0, highest=1)
        self._manager.report(call.caller.subject, message, fraction)
        return {"ok": True}

    async def _meant(self, call: ToolCall, purpose: Purpose = Purpose.LOOK) -> list[Job]:
        """Return the jobs that are meant: at least one."""
        said = required_text(call.arguments, "id", length_limit=NAME_LENGTH_LIMIT)
        is_visible = self._visible_to(call.caller)
        try:
            return [await self._manager.find(said, is_visible)]
        except JobNotFoundError:
            jobs = await self._manager.recent(_MOST_MEANT, is_visible, within=_LOOKED_THROUGH)
        match address_jobs(said, jobs, session_id=call.caller.subject, purpose=purpose):
            case Meant(found):
                return list(found)
            case Unclear(candidates):
                raise BadArgumentError(ask_back(candidates))
            case NotMeant():
                raise JobNotFoundError(said)

    async def _cancel(self, job: Job, caller: Caller) -> None:
        if not self._policy.may_cancel(caller, job):
            raise BadArgumentError(_MAY_NOT_CANCEL)
        await self._manager.cancel(job.id)

    async def _wait_for(self, jobs: Sequence[Job], *, seconds: float) -> None:
        async with asyncio.TaskGroup() as tasks:
            for job in jobs:
                tasks.create_task(self._manager.wait(job.id, seconds=seconds))

    async def _checked_again(self, job: Job, caller: Caller) -> dict[str, Any]:
        job = await self._manager.find(job.id, self._visible_to(caller))
        return {**self._checked(job), "settled": job.status.is_settled}

    def _checked(self, job: Job) -> dict[str, Any]:
        return checked(job, self._manager.progress_of(job.id), now=self._clock())

    def _visible_to(self, caller: Caller) -> Callable[[Job], bool]:
        return lambda job: self._policy.may_see(caller, job)


_REFUSALS = (
    BadArgumentError,
    DiskFullError,
    JobsClosedError,
    JobSettledError,
    QueueFullError,
    SpawnRateError,
)


def _answering(answer: Callable[[ToolCall], Any]) -> ToolHandler:
    """Return a handler that puts into words what `answer` returns or raises."""

    async def handle(call: ToolCall) -> ToolAnswer:
        try:
            return ToolAnswer(_json(await answer(call)))
        except JobNotFoundError as error:
            reason = f'no extension named "{error.wanted}"'
        except _REFUSALS as error:
            reason = str(error)
        return ToolAnswer(_json({"error": reason}), is_error=True)

    return handle


def _together(answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return one answer as it is, and several as a list."""
    return dict(answers[0]) if len(answers) == 1 else {"extensions": list(answers)}


def _json(answer: Mapping[str, Any]) -> str:
    return json.dumps(answer, ensure_ascii=False)
