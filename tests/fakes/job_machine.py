"""A machine that carries out runs in earnest: real `claude`, real jail, scripted model."""

import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from extensions.callers import Caller, CallerKind, Callers
from extensions.claude.binary import find_claude
from extensions.jobs.job import Job, Origin
from extensions.jobs.local_backend import BotDoors, LocalBackend
from extensions.jobs.manager import JobManager
from extensions.jobs.run_plan import LocalSettings
from extensions.jobs.tools import job_tools
from extensions.process.jail.probe import probe_jail
from extensions.server.gateway import serving_gateway
from extensions.server.http import loopback_socket
from extensions.server.job_sockets import job_sockets
from extensions.server.ledger import AnswerLedger
from extensions.server.mcp import serving_mcp
from extensions.server.tool_hooks import Hooks
from extensions.tools import ToolRegistry
from simulator.messages_api import MessagesApi, Script, running_messages_api
from tests.fakes.job_house import JobHouse

API_KEY = "sk-ant-a-real-key"


class Nobody:
    """A policy by which nobody asks for anything."""

    def origin_of(self, caller: Caller) -> Origin | str:
        """Refuse."""
        return f"{caller} may not"

    def may_see(self, caller: Caller, job: Job) -> bool:
        """See oneself alone."""
        return caller.subject == job.id

    def may_cancel(self, caller: Caller, job: Job) -> bool:
        """Refuse."""
        del caller, job
        return False


@dataclass(frozen=True, slots=True)
class JobMachine:
    """What runs, while the block lasts."""

    jobs: JobManager
    api: MessagesApi
    backend: LocalBackend
    ports: tuple[int, int]
    """Where the MCP server and the gateway listen."""


@asynccontextmanager
async def running_job_machine(
    house: JobHouse,
    script: Script,
    *,
    is_jailed: bool = True,
    ports: tuple[int, int] | None = None,
    ledger: AnswerLedger | None = None,
    hooks: Hooks | None = None,
    **settings: Any,
) -> AsyncGenerator[JobMachine, None]:
    """Carry out jobs in earnest; the model says what `script` decides.

    Args:
        house: What else jobs need.
        script: Decides on the model's answers.
        is_jailed: Whether jobs are put into a jail.
        ports: Where an earlier machine listened that is to be taken up again.
        ledger: Takes note of the model's answers.
        hooks: Who has a say in what jobs do; `None` if nobody has.
        **settings: Fields of `LocalSettings`.
    """
    claude = (await find_claude(None)).path
    jail = (await probe_jail(house.folder)).jail if is_jailed else None
    assert (jail is not None) == is_jailed
    callers, registry, ledger = Callers(), ToolRegistry(), ledger or AnswerLedger()
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        api = await enter(running_messages_api(script, keys=frozenset({API_KEY})))
        mcp_port, api_port = ports or (None, None)
        mcp = await enter(serving_mcp(registry, callers, loopback_socket(mcp_port), hooks=hooks))
        gateway = await enter(
            serving_gateway(
                callers,
                ledger,
                upstream=api.url,
                api_key=API_KEY,
                sock=loopback_socket(api_port),
                hooks=hooks,
            )
        )
        doors = BotDoors(
            mcp_url=mcp.url,
            api_url=gateway.url,
            sockets=partial(job_sockets, mcp_port=mcp.port, api_port=gateway.port),
            opened_at=time.time(),
            answer_was_cut=lambda job_id: ledger.last_answer_was_cut(
                Caller(CallerKind.JOB, job_id)
            ),
            used=lambda job_id: ledger.usage_of(Caller(CallerKind.JOB, job_id)),
            asks_plugins=lambda: hooks is not None,
        )
        chosen = LocalSettings(claude=claude, run_seconds=60, grace_seconds=1, api_retries=1)
        backend = LocalBackend(house.folder / "run", replace(chosen, **settings), doors, jail=jail)
        jobs = await enter(house.open(backend, callers))
        for tool in job_tools(jobs, Nobody(), house.clock):
            registry.offer(tool)
        yield JobMachine(jobs=jobs, api=api, backend=backend, ports=(mcp.port, gateway.port))
