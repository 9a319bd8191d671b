"""Checks of this machine: Python, the data folder, its lock, the disk."""

import os
import shutil
import stat
from pathlib import Path

from bot.control.client import read_status
from bot.data_folder import DataFolder, is_unused, lock_holder
from bot.doctor.finding import Finding, fail, ok, warn
from bot.errors import ControlError
from extensions.process.cgroups import LimitKeeping

OLDEST_PYTHON = (3, 11)
LEAST_FREE_BYTES = 200_000_000
"""Below it, a job's output and the database may not find room."""
COMFORTABLE_FREE_BYTES = 2_000_000_000

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def check_python(version: tuple[int, int, int]) -> Finding:
    """Say whether Python is new enough."""
    shown = ".".join(map(str, version))
    if version[:2] < OLDEST_PYTHON:
        wanted = ".".join(map(str, OLDEST_PYTHON))
        return fail("Python", shown, f"Install Python {wanted} or newer.")
    return ok("Python", shown)


def check_folder(root: Path) -> Finding:
    """Say whether the data folder can be used, and is closed to other users."""
    if not root.exists():
        return _check_missing(root)
    if not root.is_dir():
        return fail("Data folder", f"{root} is no folder", "Set another data_dir.")
    if (owner := root.stat().st_uid) != os.geteuid():
        mend = f"Run `chown {os.geteuid()} {root}`, or set another data_dir."
        return fail("Data folder", f"{root} belongs to another user ({owner})", mend)
    if not os.access(root, os.R_OK | os.W_OK | os.X_OK):
        return fail("Data folder", f"{root} cannot be written to", f"Run `chmod 700 {root}`.")
    return _check_privacy(root)


def _check_privacy(root: Path) -> Finding:
    looked_at = [] if is_unused(root) else [root, *_private_files(root)]
    open_ones = [path for path in looked_at if _is_open_to_others(path)]
    if not open_ones:
        return ok("Data folder", f"{root}, for its own user alone")
    names = " ".join(str(path) for path in open_ones)
    return fail("Data folder", f"other users may open {names}", f"Run `chmod go-rwx {names}`.")


def check_lock(root: Path) -> Finding:
    """Say whether a bot uses the data folder, and if so, whether it answers."""
    folder = DataFolder(root)
    holder = lock_holder(folder)
    if holder is None:
        return ok("Lock", "no Papercup runs on the data folder")
    try:
        report = read_status(folder.control_socket)
    except ControlError as error:
        return warn("Lock", f"held by {holder}; {error}")
    if report is None:
        mend = "If that lasts, look into its log, and restart it."
        return warn("Lock", f"held by {holder}, which does not answer (yet, or any more)", mend)
    return ok("Lock", f"held by {holder}, which answers: Discord is {report.discord}")


def judge_limits(keeping: LimitKeeping) -> Finding:
    """Say who keeps the memory and the processes of jobs within limits."""
    if keeping.kind == "cgroup":
        folders = ", ".join(str(folder) for folder in keeping.cgroups)
        return ok("Limits", f"the kernel keeps jobs within memory and processes ({folders})")
    return ok("Limits", f"each runner watches its job's memory and processes ({keeping.reason})")


def check_disk(root: Path) -> Finding:
    """Say whether there is room where the data folder is, or will be."""
    return judge_free_space(shutil.disk_usage(_nearest_folder(root)).free)


def judge_free_space(free_bytes: int) -> Finding:
    """Say whether so much room is enough."""
    gigabytes = free_bytes / 1e9
    shown = f"{gigabytes:.1f} GB free" if gigabytes >= 1 else f"{gigabytes * 1000:.0f} MB free"
    mend = "Make room, or set data_dir to a folder on another disk."
    if free_bytes < LEAST_FREE_BYTES:
        return fail("Disk", shown, mend)
    if free_bytes < COMFORTABLE_FREE_BYTES:
        return warn("Disk", shown, mend)
    return ok("Disk", shown)


def _check_missing(root: Path) -> Finding:
    parent = _nearest_folder(root)
    if not os.access(parent, os.W_OK | os.X_OK):
        mend = "Set data_dir to a folder that this user may write to."
        return fail("Data folder", f"{root} cannot be made in {parent}", mend)
    return ok("Data folder", f"{root}, which is made at the first start")


def _nearest_folder(path: Path) -> Path:
    """Return the folder itself or, if it is missing, the nearest above it that is there."""
    return next(folder for folder in (path, *path.parents) if folder.exists())


def _private_files(root: Path) -> list[Path]:
    folder = DataFolder(root)
    wanted = (
        *(folder.database, folder.extensions_json, folder.lock, folder.control_socket),
        *(folder.extensions, folder.run, folder.home, folder.sessions),
    )
    return [path for path in wanted if path.exists()]


def _is_open_to_others(path: Path) -> bool:
    return bool(path.stat().st_mode & _OTHERS)
