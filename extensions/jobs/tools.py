"""The MCP tools with which Claudes ask for jobs, look at them and report from them.

Their names and field names are those that users know; here they are made from ours.
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
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
from extensions.jobs.extensions_json import milliseconds
from extensions.jobs.job import Job, JobRequest, JobStatus, Origin
from extensions.jobs.manager import JobManager
from extensions.jobs.progress import Progress
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

_LISTED_TASK_LENGTH = 100
_SHOWN_TEXT_LENGTH = 10_000
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
        return self._checked(await self._meant(call))

    async def wait(self, call: ToolCall) -> dict[str, Any]:
        seconds = optional_number(call.arguments, "seconds", lowest=0, highest=MOST_WAIT_SECONDS)
        job = await self._meant(call)
        if self._waits[call.caller] >= _MOST_WAITS:
            raise BadArgumentError(_TOO_MANY_WAITS)
        self._waits[call.caller] += 1
        try:
            await self._manager.wait(
                job.id, seconds=MOST_WAIT_SECONDS if seconds is None else seconds
            )
        finally:
            self._waits[call.caller] -= 1
            self._waits += Counter()  # drops those who wait no more
        return await self._checked_again(job, call.caller)

    async def cancel(self, call: ToolCall) -> dict[str, Any]:
        job = await self._meant(call)
        if not self._policy.may_cancel(call.caller, job):
            raise BadArgumentError(_MAY_NOT_CANCEL)
        await self._manager.cancel(job.id)
        await self._manager.wait(job.id, seconds=_CANCEL_SECONDS)
        return await self._checked_again(job, call.caller)

    async def recent(self, call: ToolCall) -> dict[str, Any]:
        limit = whole_number(
            call.arguments, "limit", lowest=1, highest=LIST_LIMIT, default=LISTED_BY_DEFAULT
        )
        jobs = await self._manager.recent(limit, self._visible_to(call.caller))
        now = self._clock()
        return {"extensions": [_listed(job, now=now) for job in jobs]}

    async def report(self, call: ToolCall) -> dict[str, Any]:
        message = required_text(call.arguments, "message", length_limit=MESSAGE_LENGTH_LIMIT)
        fraction = optional_number(call.arguments, "fraction", lowest=0, highest=1)
        self._manager.report(call.caller.subject, message, fraction)
        return {"ok": True}

    async def _meant(self, call: ToolCall) -> Job:
        wanted = required_text(call.arguments, "id", length_limit=NAME_LENGTH_LIMIT)
        return await self._manager.find(wanted, self._visible_to(call.caller))

    async def _checked_again(self, job: Job, caller: Caller) -> dict[str, Any]:
        job = await self._manager.find(job.id, self._visible_to(caller))
        return {**self._checked(job), "settled": job.status.is_settled}

    def _checked(self, job: Job) -> dict[str, Any]:
        return _checked(job, self._manager.progress_of(job.id), now=self._clock())

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


def _checked(job: Job, progress: Progress, *, now: float) -> dict[str, Any]:
    outcome = job.outcome
    return {
        **_identity(job, now=now),
        "summary": None if outcome is None else _cut(outcome.summary, _SHOWN_TEXT_LENGTH),
        "error": None if outcome is None else _cut(outcome.error, _SHOWN_TEXT_LENGTH),
        "costUsd": None if outcome is None else outcome.cost_usd,
        "progress": {
            "turns": progress.turns if outcome is None else outcome.turns,
            "lastTool": progress.last_tool,
            "message": progress.message,
            "fraction": progress.fraction,
            "tools": [{"name": tool.name, "detail": tool.detail} for tool in progress.tools],
            "filesWritten": progress.files_written,
            "newestFile": progress.newest_file,
            "tokens": {
                "input": progress.usage.input_tokens,
                "output": progress.usage.output_tokens,
                "cacheRead": progress.usage.cache_read_tokens,
                "cacheWrite": progress.usage.cache_write_tokens,
            },
        },
        "refusedActions": [] if outcome is None else list(outcome.refused_actions),
        "failedServers": [] if outcome is None else list(outcome.failed_servers),
    }


def _listed(job: Job, *, now: float) -> dict[str, Any]:
    return {
        **_identity(job, now=now),
        "task": _cut(job.task, _LISTED_TASK_LENGTH),
        "costUsd": None if job.outcome is None else job.outcome.cost_usd,
    }


def _identity(job: Job, *, now: float) -> dict[str, Any]:
    started = job.started_at is not None
    return {
        "id": job.id,
        "name": job.name,
        "status": job.status.value,
        "startedAt": milliseconds(job.started_at),
        "finishedAt": milliseconds(job.finished_at),
        "durationMs": milliseconds(job.duration_seconds(now=now)) if started else None,
    }


def _cut(text: str | None, length: int) -> str | None:
    if text is None or len(text) <= length:
        return text
    return text[: length - 1] + "…"


def _json(answer: Mapping[str, Any]) -> str:
    return json.dumps(answer, ensure_ascii=False)
