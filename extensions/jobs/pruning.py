"""Removes the files of jobs that ended long ago."""

import asyncio
import json
import logging
import os
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from extensions.database import Database
from extensions.errors import PruneError
from extensions.jobs.job import JobStatus
from extensions.jobs.prune_plan import JobFolders, KeepLimits, Removal, prune_plan
from extensions.process.child import running_child

logger = logging.getLogger(__name__)

_JOB_ID = re.compile(r"[0-9a-f]{8}")
_REMOVED = "removed-"
"""How the name of a folder begins that is about to go."""
_COMMAND_SECONDS = 3600.0
_PATH = "/usr/local/bin:/usr/bin:/bin"
_SECONDS_BETWEEN = 24 * 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRoots:
    """The folders that hold a folder for each job."""

    extensions: Path
    """Where jobs work."""
    run: Path
    """What controls their runs."""

    def all(self) -> tuple[Path, Path]:
        """Return them; what is removed is removed in this order."""
        return self.extensions, self.run


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneReport:
    """What was removed, or would be."""

    removed: tuple[Removal, ...]
    """The oldest first."""
    kept_jobs: int
    """Of how many jobs there are files left."""
    kept_bytes: int


async def prune_jobs(
    database: Database,
    roots: JobRoots,
    limits: KeepLimits,
    *,
    awaited: Callable[[], Awaitable[Collection[str]]],
    is_live: Callable[[str], bool],
    now: float,
    dry_run: bool = False,
) -> PruneReport:
    """Remove the files of old jobs; the jobs themselves stay known.

    Args:
        database: Knows the jobs. What it does not know is left alone.
        roots: Where the files are.
        limits: What is kept.
        awaited: Returns the ids of the jobs of which somebody is still to be told.
        is_live: Says of a job, by its id, whether it is under way, or is about to be.
        now: Unix time, in seconds.
        dry_run: Whether nothing is removed.

    Raises:
        PruneError: If it cannot be found out how large the files are, or they cannot be removed.
        sqlite3.Error: If the database cannot be read.
    """
    folders = await _folders(database, roots, await awaited())
    removals = prune_plan(folders, limits, now=now)
    if not dry_run:
        removals = [one for one in removals if _put_aside(roots, one.job_id, is_live)]
        await _remove(roots)
    kept_bytes = sum(one.bytes for one in folders) - sum(one.bytes for one in removals)
    return PruneReport(
        removed=tuple(removals), kept_jobs=len(folders) - len(removals), kept_bytes=kept_bytes
    )


@asynccontextmanager
async def pruning_daily(
    prune: Callable[[], Awaitable[PruneReport]], *, seconds_between: float = _SECONDS_BETWEEN
) -> AsyncGenerator[None, None]:
    """Have `prune` carried out at once and then daily, in the background, as the block lasts."""

    async def keep_pruning() -> None:
        while True:
            try:
                report = await prune()
            except Exception:
                logger.exception("the files of old jobs cannot be removed")
            else:
                _log(report)
            await asyncio.sleep(seconds_between)

    async with asyncio.TaskGroup() as tasks:
        pruning = tasks.create_task(keep_pruning())
        try:
            yield
        finally:
            pruning.cancel()


def _log(report: PruneReport) -> None:
    for one in report.removed:
        logger.info("job %s: its files were removed (%s)", one.job_id, one.reason)


async def _folders(
    database: Database, roots: JobRoots, awaited: Collection[str]
) -> list[JobFolders]:
    paths = await asyncio.to_thread(_job_paths, roots)
    known = await _known_jobs(database, list(paths))
    sizes = await _sizes(roots, [path for job_id in known for path in paths[job_id]])
    return [
        JobFolders(
            job_id=job_id,
            name=name,
            bytes=sum(sizes.get(path, 0) for path in paths[job_id]),
            finished_at=finished_at,
            is_awaited=not is_end_told or job_id in awaited,
        )
        for job_id, (name, finished_at, is_end_told) in known.items()
    ]


def _job_paths(roots: JobRoots) -> Mapping[str, list[str]]:
    paths: dict[str, list[str]] = {}
    for root in roots.all():
        if root.is_dir():
            for entry in os.scandir(root):
                if _JOB_ID.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                    paths.setdefault(entry.name, []).append(entry.path)
    return paths


async def _known_jobs(
    database: Database, job_ids: Sequence[str]
) -> Mapping[str, tuple[str, float | None, bool]]:
    """Return of those of these jobs that are known the name, when it settled, whether it was told.

    It is told once those who watch know of the end, though they may not yet have passed it on.
    """
    sql = (
        "SELECT id, name, status, finished_at, is_end_told FROM jobs"
        " WHERE id IN (SELECT value FROM json_each(?))"
    )
    rows = await database.run(lambda c: c.execute(sql, (json.dumps(job_ids),)).fetchall())
    return {
        row["id"]: (
            row["name"],
            row["finished_at"] if JobStatus(row["status"]).is_settled else None,
            bool(row["is_end_told"]),
        )
        for row in rows
    }


async def _sizes(roots: JobRoots, paths: Sequence[str]) -> Mapping[str, int]:
    """Return how much room each folder takes up on the disk."""
    if not paths:
        return {}
    # A program of its own: a job may have left a million files, or folders of any depth.
    command = ["du", "--summarize", "--block-size=1", "--one-file-system", "--null"]
    given = b"\0".join(map(os.fsencode, paths))
    code, printed, said = await _run([*command, "--files0-from=-"], roots, given)
    # 1 is for what it could not look into, and what was removed meanwhile.
    if code not in {0, 1}:
        raise PruneError(f"du: {said}")
    lines = [line.split(b"\t", 1) for line in printed.split(b"\0") if line]
    return {os.fsdecode(path): int(size) for size, path in lines}


def _put_aside(roots: JobRoots, job_id: str, is_live: Callable[[str], bool]) -> bool:
    """Take a job's folders away by their names, unless it goes on.

    All in one step: nobody can have it go on in between.
    """
    if is_live(job_id):
        return False
    for root in roots.all():
        folder = root / job_id
        if folder.is_dir():
            folder.rename(root / (_REMOVED + job_id))
    return True


async def _remove(roots: JobRoots) -> None:
    """Remove all that was put aside, at this time or an earlier one."""
    for root in roots.all():
        aside = [str(path) for path in root.glob(f"{_REMOVED}*")]
        if not aside:
            continue
        command = ["rm", "--recursive", "--force", "--one-file-system", "--", *aside]
        code, _, said = await _run(command, roots)
        if code != 0:
            # A job may have closed its folders to everyone.
            await _run(["chmod", "--recursive", "u+rwX", "--", *aside], roots)
            code, _, said = await _run(command, roots)
        if code != 0:
            raise PruneError(f"rm: {said}")


async def _run(
    command: Sequence[str], roots: JobRoots, given: bytes = b""
) -> tuple[int | None, bytes, str]:
    env = {"PATH": _PATH, "LC_ALL": "C"}
    async with (
        asyncio.timeout(_COMMAND_SECONDS),
        running_child(["nice", "-n", "19", *command], cwd=roots.run, env=env) as child,
    ):
        printed, said = await child.communicate(given)
    last = said.decode(errors="replace").strip().rpartition("\n")[2]
    return child.returncode, printed, last
