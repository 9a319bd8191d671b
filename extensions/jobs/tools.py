"""The MCP tools with which Claudes ask for jobs, look at them and report from them.

Their names and field names are those that users know; here they are made from ours.
"""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from extensions.callers import Caller, CallerKind
from extensions.errors import (
    DiskFullError,
    JobNotFoundError,
    JobsClosedError,
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
from extensions.tools import Tool, ToolAnswer, ToolCall, ToolHandler

TASK_LENGTH_LIMIT = 50_000
"""How many characters a task may have."""
NAME_LENGTH_LIMIT = 200
"""How many characters the wanted name, or an id, may have before it is cleaned."""
MESSAGE_LENGTH_LIMIT = 500
"""How many characters a report of progress may have."""
LIST_LIMIT = 50
"""How many jobs can be listed at once."""

_LISTED_BY_DEFAULT = 10
_LISTED_TASK_LENGTH = 100
_SHOWN_TEXT_LENGTH = 10_000
_NO_BASH = "No sandbox works on this machine, so the job has no Bash: it cannot run what it writes."
_QUEUED = "All places are taken: the job starts by itself as soon as one is free."


class JobPolicy(Protocol):
    """Who may do what with jobs."""

    def origin_of(self, caller: Caller) -> Origin | str:
        """Return in whose name and where a job of `caller` is asked for, or why it may not."""
        ...

    def may_see(self, caller: Caller, job: Job) -> bool:
        """Say whether `caller` may know of `job`."""
        ...


def job_tools(
    manager: JobManager, policy: JobPolicy, clock: Callable[[], float] = time.time
) -> list[Tool]:
    """Return the tools that speakers and jobs are offered about jobs."""
    answers = _Answers(manager, policy, clock)
    return [
        Tool(
            name="spawn_extension",
            description=_SPAWN_DESCRIPTION,
            input_schema=_SPAWN_SCHEMA,
            offered_to=frozenset({CallerKind.SPEAKER}),
            handler=_answering(answers.spawn),
        ),
        Tool(
            name="check_extension",
            description=_CHECK_DESCRIPTION,
            input_schema=_CHECK_SCHEMA,
            offered_to=frozenset({CallerKind.SPEAKER}),
            read_only=True,
            handler=_answering(answers.check),
        ),
        Tool(
            name="list_extensions",
            description=_LIST_DESCRIPTION,
            input_schema=_LIST_SCHEMA,
            offered_to=frozenset({CallerKind.SPEAKER}),
            read_only=True,
            handler=_answering(answers.recent),
        ),
        Tool(
            name="report_progress",
            description=_REPORT_DESCRIPTION,
            input_schema=_REPORT_SCHEMA,
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
        wanted = required_text(call.arguments, "id", length_limit=NAME_LENGTH_LIMIT)
        job = await self._manager.find(wanted, self._visible_to(call.caller))
        return _checked(job, self._manager.progress_of(job.id), now=self._clock())

    async def recent(self, call: ToolCall) -> dict[str, Any]:
        limit = whole_number(
            call.arguments, "limit", lowest=1, highest=LIST_LIMIT, default=_LISTED_BY_DEFAULT
        )
        jobs = await self._manager.recent(limit, self._visible_to(call.caller))
        now = self._clock()
        return {"extensions": [_listed(job, now=now) for job in jobs]}

    async def report(self, call: ToolCall) -> dict[str, Any]:
        message = required_text(call.arguments, "message", length_limit=MESSAGE_LENGTH_LIMIT)
        fraction = optional_number(call.arguments, "fraction", lowest=0, highest=1)
        self._manager.report(call.caller.subject, message, fraction)
        return {"ok": True}

    def _visible_to(self, caller: Caller) -> Callable[[Job], bool]:
        return lambda job: self._policy.may_see(caller, job)


_REFUSALS = (BadArgumentError, DiskFullError, JobsClosedError, QueueFullError, SpawnRateError)


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


_SPAWN_DESCRIPTION = """\
Hand a task of more than one step to a background Claude, and go on talking meanwhile. It works \
alone in an empty folder of its own, sees nothing of this conversation, and cannot ask anything: \
write the whole task, with all that it needs to know. Returns at once; nothing is done yet then."""
_SPAWN_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "task": {
            "type": "string",
            "description": "What is to be done, whole and understandable by itself.",
            "minLength": 1,
            "maxLength": TASK_LENGTH_LIMIT,
        },
        "name": {
            "type": "string",
            "description": "A short name by which people can ask for it, such as fibonacci-script.",
            "maxLength": NAME_LENGTH_LIMIT,
        },
    },
    "required": ["task"],
    "additionalProperties": False,
}
_CHECK_DESCRIPTION = """\
Look at how a background task stands: its status (queued, running, completed, failed, cancelled, \
interrupted), what it reports, and once it has ended its summary or error. Always look before you \
say how a task stands or what came of it."""
_CHECK_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "id": {
            "type": "string",
            "description": "Its id, or its name; the newest task of a name is meant.",
            "minLength": 1,
            "maxLength": NAME_LENGTH_LIMIT,
        },
    },
    "required": ["id"],
    "additionalProperties": False,
}
_LIST_DESCRIPTION = "List the newest background tasks, newest first, each with its status."
_LIST_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "limit": {
            "type": "integer",
            "description": "How many at most.",
            "minimum": 1,
            "maximum": LIST_LIMIT,
            "default": _LISTED_BY_DEFAULT,
        },
    },
    "additionalProperties": False,
}
_REPORT_DESCRIPTION = """\
Tell the people who wait for this task how far you have come, in one short sentence. Call it when \
a larger step is done."""
_REPORT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "message": {
            "type": "string",
            "description": "One short sentence.",
            "minLength": 1,
            "maxLength": MESSAGE_LENGTH_LIMIT,
        },
        "fraction": {
            "type": "number",
            "description": "How much of the work is done, from 0 to 1, if you can tell.",
            "minimum": 0,
            "maximum": 1,
        },
    },
    "required": ["message"],
    "additionalProperties": False,
}
