"""The skills that every `claude` is given."""

from collections.abc import Iterable
from pathlib import Path


class SkillShelf:
    """Folders of skills; each `claude` that is started gets those that stand here then.

    Each folder is laid out as `claude` expects it of its own plugins, and holds nothing but
    skills: whatever else such a folder may hold would be run.
    """

    def __init__(self, folders: Iterable[Path] = ()) -> None:
        self._folders = tuple(folders)

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders: absolute, without links."""
        return self._folders

    def put(self, folders: Iterable[Path]) -> None:
        """Let these stand here, in place of what stood here before."""
        self._folders = tuple(folders)
