"""The jobs that are asked for, by kinds: what the model says in them, and how they must end. Pure.

The name of a job tells its kind, so that nothing has to be remembered: `tool-12-3`.
"""

import random
import re
from enum import StrEnum
from typing import Protocol

from simulator.messages_api import (
    Answer,
    Cut,
    Hang,
    HttpError,
    Say,
    ToolUse,
    Use,
    UseSeveral,
)
from tests.fakes.model_script import SPAWN

REPORT = "mcp__papercup__report_progress"
END = "That is all of it."
"""The last words of every answer that came whole."""

_COUNT = "echo once >> count.txt"


class Kind(StrEnum):
    """What a job goes through."""

    QUICK = "quick"
    """It says something at once."""
    TALK = "talk"
    """It says something slowly."""
    TOOL = "tool"
    """It runs a short command."""
    LINGER = "linger"
    """It runs a long command."""
    REPORT = "report"
    """It reports its progress to the bot."""
    REFUSED = "refused"
    """The model refuses to answer it."""
    DIES = "dies"
    """It kills its own `claude`."""
    ORPHAN = "orphan"
    """Its runner is killed."""
    CUT = "cut"
    """The model's first answer breaks off, and looks whole."""

    @property
    def ends_as(self) -> str:
        """The status that it must settle with, whatever happens to the bot."""
        match self:
            case Kind.REFUSED | Kind.DIES:
                return "failed"
            case Kind.ORPHAN:
                return "interrupted"
            case _:
                return "completed"

    @property
    def counts_to(self) -> int:
        """How often its command must have been run in the end."""
        return int(self in _COMMANDS)


class JobStep(Protocol):
    """What the model says in a job."""

    def __call__(self, name: str, *, is_first: bool, is_again: bool) -> Answer:
        """Return it.

        Args:
            name: The job's.
            is_first: Whether it has not used its tool yet.
            is_again: Whether it has asked before.
        """
        ...


_WEIGHTS = {
    Kind.QUICK: 4,
    Kind.TALK: 4,
    Kind.TOOL: 4,
    Kind.LINGER: 2,
    Kind.REPORT: 2,
    Kind.CUT: 2,
    Kind.REFUSED: 1,
    Kind.DIES: 1,
    Kind.ORPHAN: 1,
}
_COMMANDS = {Kind.TOOL: "sleep 0.3", Kind.LINGER: "sleep 3", Kind.DIES: "kill -9 $PPID"}
_NAME = re.compile(rf"\b(?:{'|'.join(Kind)})-\d+-\d+\b")


def new_names(dice: random.Random, group: int, count: int) -> list[str]:
    """Return names of jobs, of kinds by chance."""
    kinds = dice.choices(list(_WEIGHTS), weights=list(_WEIGHTS.values()), k=count)
    return [f"{kind}-{group}-{number}" for number, kind in enumerate(kinds, start=1)]


def kind_of(name: str) -> Kind:
    """Return the kind of a job by its name."""
    return Kind(name.partition("-")[0])


def names_in(text: str) -> list[str]:
    """Return the names of jobs that a text tells."""
    return list(dict.fromkeys(_NAME.findall(text)))


def last_words(name: str) -> str:
    """Return what a job says in the end if all goes well."""
    return f"The job {name} went through all of its steps and has come to its end. {END}"


def starting(names: list[str]) -> Answer:
    """Return what a speaker does that shall start jobs."""
    uses = (ToolUse(SPAWN, {"name": name, "task": f"Carry out {name}."}) for name in names)
    return UseSeveral(tuple(uses))


def job_step(name: str, *, is_first: bool, is_again: bool) -> Answer:
    """Return what the model says in a job; see `JobStep`."""
    kind = kind_of(name)
    if is_first and kind in _COMMANDS:
        return command(_COMMANDS[kind])
    match kind:
        case Kind.TALK:
            answer: Answer = Say(last_words(name), chunk_seconds=0.05)
        case Kind.REFUSED:
            answer = HttpError(400, "invalid_request_error", f"{name} cannot be done")
        case Kind.ORPHAN:
            answer = Hang(30.0)
        case Kind.CUT if not is_again:
            answer = Cut(last_words(name), after_words=5, is_clean=True)
        case Kind.REPORT if is_first:
            answer = Use(REPORT, {"message": "half of it", "fraction": 0.5})
        case _:
            answer = Say(last_words(name))
    return answer


def command(line: str) -> Use:
    """Return how the model has a command run, which is counted."""
    return Use("Bash", {"command": f"{_COUNT}; {line}", "description": "Work"})
