"""How long an author waits for each command, from a template to a plugin that is in use."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from benchmarks.plugins.house import HouseStuckError
from benchmarks.rows import Row, Target
from benchmarks.samples import Samples
from extensions.process.interpreter import base_python

_NAME = "counter"
_MOST_SECONDS = 120.0
_LIMIT_SECONDS = 10.0

Way: TypeAlias = Mapping[str, Sequence[str]]
"""Commands that are run one after the other: their names, and what is behind them."""

WAY: Way = {
    "new": (_NAME, "--template", "tool"),
    "validate": (_NAME,),
    "test": (_NAME,),
    "install": (f"./{_NAME}", "--trust", "--yes"),
    "list": (),
    "remove": (_NAME, "--yes"),
}
"""What an author runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Authoring:
    """What was measured."""

    times: Mapping[str, Samples]
    """By the names of the commands."""

    def rows(self) -> list[Row]:
        """Return what is told of it."""
        return [
            Row(
                name="from a template to a plugin that is tested, installed, trusted and removed",
                value=sum(times.median for times in self.times.values()),
                unit="s",
                target=Target("≤", _LIMIT_SECONDS),
                against=f"{len(self.times)} commands; all but what the author writes and reads",
            ),
            *(
                Row(
                    name=f"`papercup plugin {command}`, median",
                    value=times.median * 1000,
                    unit="ms",
                    against=f"n = {times.count}",
                )
                for command, times in self.times.items()
            ),
        ]


def measure(*, rounds: int, way: Way = WAY) -> Authoring:
    """Go the whole way several times, each as a user who has nothing yet."""
    seconds: dict[str, list[float]] = {command: [] for command in way}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(prefix="papercup-benchmark-") as home:
            for command, arguments in way.items():
                seconds[command].append(_seconds_of(command, arguments, Path(home)))
    return Authoring(times={command: Samples(each) for command, each in seconds.items()})


def _seconds_of(command: str, arguments: Sequence[str], home: Path) -> float:
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "bot", "plugin", command, *arguments],
        cwd=home,
        env={"HOME": str(home), "PATH": f"{base_python().parent}:{os.defpath}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=_MOST_SECONDS,
    )
    if done.returncode != 0:
        *_, why = ["", *done.stderr.splitlines()]
        raise HouseStuckError(f"`papercup plugin {command}` ended with {done.returncode}: {why}")
    return time.perf_counter() - began
