"""All faults that are tried, by their numbers."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tests.soak.plugins import (
    changing,
    crashing,
    crowd,
    flooding,
    greed,
    hanging,
    host_end,
    jobs,
    offers,
    starting,
    trust,
)
from tests.soak.plugins.scene import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One fault."""

    title: str
    run: Callable[[Scene], Awaitable[None]]
    is_patient: bool = False
    """Whether it mostly waits, so that it can be tried beside others."""


def _patient(title: str, run: Callable[[Scene], Awaitable[None]]) -> Scenario:
    return Scenario(title=title, run=run, is_patient=True)


def _alone(title: str, run: Callable[[Scene], Awaitable[None]]) -> Scenario:
    return Scenario(title=title, run=run)


SCENARIOS = {
    "F1": _patient("no handshake comes about", starting.no_handshake),
    "F2": _alone("a crash at every call", crashing.crash_loop),
    "F3": _alone("crashes without end", crashing.crashes_without_end),
    "F4": _alone("killed with 100 calls open", crashing.crash_with_calls),
    "F5": _patient("one method hangs", hanging.one_method_hangs),
    "F6": _alone("garbage at full speed", flooding.garbage),
    "F7": _alone("standard error at full speed", flooding.complaints),
    "F8": _alone("lines that are too long", flooding.long_lines),
    "F9": _alone("odd bytes and odd JSON", flooding.odd_lines),
    "F10": _alone("answers, events and requests that nobody asked for", flooding.unasked),
    "F11": _alone("reads nothing", flooding.deaf),
    "F12": _alone("reads 10 kB a second", hanging.slow_reader),
    "F13": _patient("half a line", crashing.half_a_line),
    "F14": _alone("closes a pipe, or leaves it to a daemon", crashing.closed_pipes),
    "F15": _alone("ignores all that asks it to end, with a family", crashing.stubborn_family),
    "F16": _patient("is stopped by a signal", crashing.stopped_by_a_signal),
    "F17": _alone("takes too much", greed.greedy),
    "F18": _alone("1000 calls of 50 plugins", crowd.crowd),
    "F19": _alone("200 plugins start at once", starting.many_at_once),
    "F20": _alone("manifests that change, and hostile ones", changing.manifests),
    "F21": _alone("the host is killed", host_end.killed),
    "F22": _alone("the host is told to end", host_end.terminated),
    "F23": _alone("answers and cancelling cross", hanging.crossing),
    "F24": _patient("the clock jumps by an hour", hanging.jumping_clock),
    "F25": _alone("cannot be started", starting.cannot_start),
    "F26": _alone("reloaded 1000 times under load", changing.reloads),
    "S3": _alone("a job asks for jobs", jobs.jobs_that_spawn),
    "S15": _alone("programs and links that lead elsewhere", trust.programs_elsewhere),
    "S16": _alone("odd tools", offers.odd_tools),
    "S17": _alone("more than was declared", offers.beyond_declared),
    "S18": _alone("secrets in the environment", trust.secrets),
}
