"""An operator at a desk: a home folder, registries and a git server, and `papercup plugin`."""

import asyncio
import json
import os
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fakes.git_server import GitServer, serving_git
from tests.fakes.package_programs import with_uv
from tests.fakes.package_registries import Registries, serving_registries

_SECONDS = 120.0
_ENVIRONMENTS = ".environments"
_KEPT_BY_US = {".packages.lock", "packages.lock.toml", _ENVIRONMENTS}
"""What stands beside plugins, also where there are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def end(self) -> str:
        """The last line of what went wrong, else of what it said."""
        return (self.err.strip() or self.out.strip()).rpartition("\n")[2]

    @property
    def json(self) -> Any:
        """What it printed, read as JSON.

        Raises:
            ValueError: If it is none.
        """
        return json.loads(self.out)


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Where an operator works."""

    folder: Path
    registries: Registries
    git: GitServer

    @property
    def home(self) -> Path:
        """The operator's home folder, in which they work."""
        return self.folder / "home"

    @property
    def marker(self) -> Path:
        """What would be there if something had been run that must not."""
        return self.folder / "ran"

    @property
    def plugins(self) -> Path:
        """Where plugins are installed."""
        return self.home / ".papercup" / "plugins"

    @property
    def left(self) -> list[str]:
        """What is left of plugins and their environments, but for what is kept of them."""
        found = [*self.plugins.glob("*"), *self.plugins.glob(f"{_ENVIRONMENTS}/*")]
        return sorted(each.name for each in found if each.name not in _KEPT_BY_US)

    async def call(self, *words: str) -> Printed:
        """Call `papercup plugin`, and return what comes of it."""
        began = time.monotonic()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "plugin", *words),
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            env=self._environment(),
            cwd=self.home,
        )
        async with asyncio.timeout(_SECONDS):
            out, err = await process.communicate()
        assert process.returncode is not None, "it was waited for"
        return Printed(
            code=process.returncode,
            out=out.decode(errors="replace"),
            err=err.decode(errors="replace"),
            seconds=time.monotonic() - began,
        )

    def _environment(self) -> dict[str, str]:
        root = Path(__file__).parents[3]
        return {
            **self.git.environment,
            "PATH": f"{with_uv()}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.home),
            "PYTHONPATH": str(root),
            "PAPERCUP_DATA_DIR": str(self.home / "data"),
            "PAPERCUP_ENDPOINTS__NPM": self.registries.url,
            "PAPERCUP_ENDPOINTS__PYPI": self.registries.url,
        }


@contextmanager
def open_desk(folder: Path) -> Generator[Desk]:
    """Furnish a desk while the block lasts.

    Args:
        folder: Where everything is kept; it is made.
    """
    (folder / "home").mkdir(parents=True)
    (folder / "git").mkdir()
    with serving_registries() as registries, serving_git(folder / "git") as git:
        yield Desk(folder=folder, registries=registries, git=git)
