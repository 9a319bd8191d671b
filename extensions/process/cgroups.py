"""Looks for control groups in which runs may get groups of their own.

Only a group that was given to this program counts: the topmost one, or one that systemd has
delegated. To divide another manager's group would spoil what it counts. With systemd 254 or newer
a service gets one by `Delegate=memory pids` and `DelegateSubgroup=bot`.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

_MOUNT = Path("/sys/fs/cgroup")
_DELEGATED = "user.delegate"
_V1_FILES = {"memory": "memory.limit_in_bytes", "pids": "pids.max"}
_V2_FILES = ("memory.max", "pids.max")


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitKeeping:
    """How the memory and the number of a run's processes are kept within limits here."""

    cgroups: tuple[Path, ...] = ()
    """The control groups in which runs get groups of their own; empty if they are watched."""
    reason: str | None = None
    """Why there are none; `None` if there are."""

    @property
    def kind(self) -> Literal["cgroup", "watched"]:
        """Who keeps them: the kernel, or each runner by looking a few times a second."""
        return "cgroup" if self.cgroups else "watched"


def find_limit_keeping(
    own_groups: Path = Path("/proc/self/cgroup"), mount: Path = _MOUNT
) -> LimitKeeping:
    """Find out by trying how limits can be kept on this machine.

    Args:
        own_groups: Names the groups that this process is in.
        mount: Where the control groups are.
    """
    try:
        groups = parse_groups(own_groups.read_text())
    except OSError as error:
        return LimitKeeping(reason=f"no control groups: {error.strerror}")
    version_2 = _version_2(groups, mount)
    if version_2 is not None and _can_divide(version_2, _V2_FILES):
        return LimitKeeping(cgroups=(version_2,))
    version_1 = _version_1(groups, mount)
    if version_1 and all(_can_divide(version_1[name], (_V1_FILES[name],)) for name in _V1_FILES):
        # The last can end all processes of a group at once, where the kernel has that.
        unified = mount / "unified"
        last = (
            (unified,) if groups.get("") == "/" and _can_divide(unified, ("cgroup.kill",)) else ()
        )
        return LimitKeeping(cgroups=(*version_1.values(), *last))
    return LimitKeeping(reason="no control group of memory and pids was given to Papercup")


def parse_groups(text: str) -> Mapping[str, str]:
    """Return the path of the group in each hierarchy, by controller; "" is version 2."""
    groups: dict[str, str] = {}
    for line in text.splitlines():
        _, controllers, path = line.split(":", 2)
        groups.update(dict.fromkeys(controllers.split(","), path))
    return groups


def remove_groups(control: Path) -> None:
    """Remove the control groups of a run whose runner could not do it, being lost."""
    try:
        folders: list[str] = json.loads((control / "runner.json").read_bytes())["cgroups"]
    except (OSError, ValueError, KeyError):
        return
    for folder in folders:
        with suppress(OSError):
            os.rmdir(folder)  # noqa: PTH106 - a string


def _version_2(groups: Mapping[str, str], mount: Path) -> Path | None:
    path = groups.get("")
    if path is None or not (mount / "cgroup.controllers").exists():
        return None
    if path == "/":
        return mount
    # This process sits in a subgroup of what was delegated: a group with processes in it cannot
    # be divided.
    parent = (mount / path.lstrip("/")).parent
    return parent if _is_delegated(parent) else None


def _version_1(groups: Mapping[str, str], mount: Path) -> dict[str, Path]:
    if any(groups.get(name) != "/" for name in _V1_FILES):
        return {}
    return {name: mount / name for name in _V1_FILES}


def _is_delegated(folder: Path) -> bool:
    try:
        return os.getxattr(folder, _DELEGATED) == b"1"
    except OSError:
        return False


def _can_divide(folder: Path, needed: tuple[str, ...]) -> bool:
    """Say whether a group can be made in `folder` that has the files which are needed."""
    probe = folder / f"papercup-probe-{os.getpid()}"
    with suppress(OSError):
        # Fails where it is done already, or is not done this way.
        (folder / "cgroup.subtree_control").write_text("+memory +pids")
    try:
        probe.mkdir()
    except OSError:
        return False
    try:
        return all(os.access(probe / name, os.W_OK) for name in (*needed, "cgroup.procs"))
    finally:
        with suppress(OSError):
            probe.rmdir()
