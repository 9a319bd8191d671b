"""Finds out how jobs can be carried out on this machine, and makes what carries them out."""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from bot.config import Config, JobsConfig
from bot.data_folder import DataFolder
from extensions.callers import Caller, CallerKind
from extensions.claude.binary import ClaudeBinary
from extensions.jobs.local_backend import BotDoors, LocalBackend
from extensions.jobs.run_plan import LocalSettings
from extensions.process.cgroups import LimitKeeping, find_limit_keeping
from extensions.process.jail.bubblewrap import Jail
from extensions.process.jail.probe import JailReport, probe_jail
from extensions.server.gateway import Gateway
from extensions.server.job_sockets import job_sockets
from extensions.server.ledger import AnswerLedger
from extensions.server.mcp import McpServer

logger = logging.getLogger(__name__)

_SWITCHED_OFF = "it is switched off in the configuration"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobMachine:
    """This machine, as far as jobs are concerned."""

    settings: LocalSettings
    jail: Jail | None
    jail_reason: str | None
    """Why there is no jail; `None` if there is one."""
    is_jail_required: bool
    limits: LimitKeeping
    """How the memory and the number of a run's processes are kept within limits."""
    folder: Path
    """Where the files of all runs are kept."""

    @property
    def refusal(self) -> str | None:
        """Why no job can be started on this machine, as a sentence; `None` if they can."""
        if self.jail is not None or not self.is_jail_required:
            return None
        return f"No job can be started: a jail is required, but there is none ({self.jail_reason})."

    def backend(
        self,
        ledger: AnswerLedger,
        mcp: McpServer,
        gateway: Gateway,
        *,
        asks_plugins: Callable[[], bool] = lambda: False,
    ) -> LocalBackend:
        """Return what carries out the runs; they call `mcp` and `gateway`.

        Args:
            ledger: What is known of their calls.
            mcp: Where their tools and their hooks are answered.
            gateway: Where their model is.
            asks_plugins: Says whether a run that starts now has hooks at all.
        """
        doors = BotDoors(
            mcp_url=mcp.url,
            api_url=gateway.url,
            sockets=lambda folder: job_sockets(folder, mcp_port=mcp.port, api_port=gateway.port),
            opened_at=time.time(),
            answer_was_cut=lambda job_id: ledger.last_answer_was_cut(
                Caller(CallerKind.JOB, job_id)
            ),
            used=lambda job_id: ledger.usage_of(Caller(CallerKind.JOB, job_id)),
            asks_plugins=asks_plugins,
        )
        return LocalBackend(self.folder, self.settings, doors, jail=self.jail)


async def find_job_machine(config: Config, claude: ClaudeBinary, folder: DataFolder) -> JobMachine:
    """Look for a jail that works, by running in it, and say in the log what was found."""
    report = JailReport(jail=None, reasons=(_SWITCHED_OFF,))
    if config.jobs.jail != "off":
        report = await probe_jail(folder.run, claude=claude.path)
    limits = await asyncio.to_thread(find_limit_keeping)
    machine = JobMachine(
        settings=replace(
            _settings(config.jobs, claude),
            is_jail_required=is_jail_required(config),
            cgroups=limits.cgroups,
        ),
        limits=limits,
        jail=report.jail,
        jail_reason=None if report.jail is not None else "; ".join(report.reasons),
        is_jail_required=is_jail_required(config),
        folder=folder.run,
    )
    if report.jail is not None:
        filtered = "" if report.seccomp else ", without a filter of system calls"
        logger.info("jobs run in a jail (%s%s)", report.jail.bwrap, filtered)
    else:
        logger.warning("there is no jail, so jobs have no Bash: %s", machine.jail_reason)
    by_whom = "control groups" if limits.cgroups else "their runners"
    logger.info("the memory and the processes of jobs are kept within limits by %s", by_whom)
    if machine.refusal is not None:
        logger.warning("%s", machine.refusal)
    return machine


def is_jail_required(config: Config) -> bool:
    """Say whether no job may be started without a jail."""
    others_may_start_jobs = config.discord.lets_others_in
    return config.jobs.jail == "require" or (config.jobs.jail == "prefer" and others_may_start_jobs)


def _settings(config: JobsConfig, claude: ClaudeBinary) -> LocalSettings:
    return LocalSettings(
        claude=claude.path,
        tools=config.tools,
        permission_mode=config.permission_mode,
        max_turns=config.max_turns,
        model=config.model,
        effort=config.effort,
        run_seconds=config.run_minutes * 60,
        output_limit_bytes=config.output_mb * 1024 * 1024,
        memory_bytes=config.memory_mb * 1024 * 1024,
        processes=config.processes,
    )
