"""The moments at which a bot is killed. Pure."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Stage(StrEnum):
    """What a bot, a speaker or a job has just come to."""

    START = "start"
    """The bot's process was started."""
    LOGIN = "login"
    """The bot is on Discord."""
    SPAWN = "spawn"
    """The speaker is told to start jobs."""
    CARD = "card"
    """A card was posted; the bot does not know it yet."""
    RUN = "run"
    """A job asked the model for the first time."""
    WORK = "work"
    """A job came back from a tool."""
    SETTLE = "settle"
    """A job was given its last answer."""
    NOTICE = "notice"
    """A notice was posted; the bot does not know it yet."""
    ANSWER = "answer"
    """The answer to a person was begun."""


_SPREAD_SECONDS = {
    Stage.START: 1.5,
    Stage.LOGIN: 0.5,
    Stage.SPAWN: 0.3,
    Stage.CARD: 0.3,
    Stage.RUN: 0.5,
    Stage.WORK: 0.5,
    Stage.SETTLE: 1.0,
    Stage.NOTICE: 0.1,
    Stage.ANSWER: 0.5,
}
_SHARE_AT_ONCE = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When a bot is killed."""

    stage: Stage
    delay_seconds: float = 0.0
    """After that stage was reached first; 0 is before anything else can happen."""

    def __str__(self) -> str:
        return f"{self.stage} + {self.delay_seconds:.3f} s"


def moments(dice: random.Random) -> Iterator[Moment]:
    """Yield moments without end; of nine in a row, each is at another stage."""
    while True:
        for stage in dice.sample(list(Stage), k=len(Stage)):
            at_once = dice.random() < _SHARE_AT_ONCE
            spread = dice.uniform(0.0, _SPREAD_SECONDS[stage])
            yield Moment(stage=stage, delay_seconds=0.0 if at_once else spread)
