"""What a plugin requires and is not there."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from extensions.plugins.manifest import Requires


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """What is not there; a plugin that lacks anything is not started, and registers nothing."""

    bins: tuple[str, ...] = ()
    """Programs that are not on PATH."""
    env: tuple[str, ...] = ()
    """Variables of the environment that are unset, or empty."""

    def __bool__(self) -> bool:
        return bool(self.bins or self.env)

    def __str__(self) -> str:
        each: list[str] = []
        if self.bins:
            each.append(f"programs that are not on PATH: {', '.join(self.bins)}")
        if self.env:
            each.append(f"variables that are not set: {', '.join(self.env)}")
        return "; ".join(each)


def missing(
    requires: Requires, environment: Mapping[str, str], path: Sequence[Path] | None = None
) -> Missing:
    """Return what of `requires` is not there.

    Args:
        requires: What the plugin's manifest declares.
        environment: Of the bot.
        path: Where programs are looked for; `None`: on the environment's PATH.
    """
    folders = folders_on_path(environment) if path is None else path
    return Missing(
        bins=tuple(name for name in requires.bins if not _is_program(name, folders)),
        env=tuple(name for name in requires.env if not environment.get(name)),
    )


def folders_on_path(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the folders in which programs are looked for."""
    parts = environment.get("PATH", "").split(os.pathsep)
    return tuple(Path(part) for part in parts if part)


def _is_program(name: str, folders: Sequence[Path]) -> bool:
    return any(_is_runnable(folder / name) for folder in folders)


def _is_runnable(file: Path) -> bool:
    try:
        return file.is_file() and os.access(file, os.X_OK)
    except (OSError, ValueError):
        return False
