"""Tests a plugin: runs its program as hosts do, and looks at all that it says."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import aclosing
from dataclasses import dataclass
from typing import TypeAlias

from papercup_plugin.conformance.answers import Answered
from papercup_plugin.conformance.bench import Bench, testing_bench
from papercup_plugin.conformance.checks import ends, handshake, offering, uses, wire
from papercup_plugin.conformance.findings import CheckResult, Finding, TestReport, fail, skip, warn
from papercup_plugin.conformance.program import StartError
from papercup_plugin.conformance.subject import Subject

USUAL_SECONDS = 10.0
_MILLISECONDS = 1000
_MOST_FINDINGS = 10
_MOST_SILENT = 3
"""After so many questions without an answer a check is given up: each of them takes its time."""
_LEAST_CHECK_SECONDS = 60.0
_ANSWERS_A_CHECK = 12
"""For so many of the slowest answers there is time in each check."""

CheckFunction: TypeAlias = Callable[[Bench], AsyncGenerator[Finding, None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Something that is looked at."""

    name: str
    run: CheckFunction
    needs_pings: bool = False
    """Whether it sees by pings how the plugin is."""

    @property
    def about(self) -> str:
        """What is looked at: a sentence."""
        return (self.run.__doc__ or "").strip()


CHECKS = (
    Check(name="handshake", run=handshake.handshake),
    Check(name="offers", run=offering.offers),
    Check(name="ping", run=handshake.ping),
    Check(name="ids", run=handshake.ids, needs_pings=True),
    Check(name="newer-host", run=handshake.newer_host),
    Check(name="unknown-members", run=handshake.unknown_members),
    Check(name="tools", run=uses.tools),
    Check(name="wrong-arguments", run=uses.wrong_arguments),
    Check(name="commands", run=uses.commands),
    Check(name="completion", run=uses.completion),
    Check(name="hooks", run=uses.hooks),
    Check(name="events", run=uses.events, needs_pings=True),
    Check(name="providers", run=uses.providers),
    Check(name="unknown-names", run=uses.unknown_names),
    Check(name="waiting", run=ends.waiting),
    Check(name="cancelling", run=ends.cancelling),
    Check(name="unknown-method", run=wire.unknown_method),
    Check(name="unknown-notification", run=wire.unknown_notification, needs_pings=True),
    Check(name="wrong-params", run=wire.wrong_params),
    Check(name="garbage", run=wire.garbage, needs_pings=True),
    Check(name="large-frames", run=wire.large_frames, needs_pings=True),
    Check(name="staying", run=ends.staying),
    Check(name="shutdown", run=ends.shutdown),
    Check(name="end-of-input", run=ends.end_of_input),
    Check(name="folder", run=ends.folder),
    Check(name="output", run=wire.output),
    Check(name="declared", run=wire.declared),
)
"""In the order in which they are made, the handshake first."""


class Audience:
    """Is told how a test goes on; does nothing with it."""

    def begins(self, check: Check) -> None:
        """Take it that a check has begun."""

    def ended(self, result: CheckResult) -> None:
        """Take what came of a check."""


async def conform(
    subject: Subject,
    *,
    only: Collection[str] = (),
    timeout_seconds: float = USUAL_SECONDS,
    start_seconds: float = USUAL_SECONDS,
    audience: Audience | None = None,
) -> TestReport:
    """Test a plugin, and return what was found. Its tools and commands are really used.

    Args:
        subject: The plugin.
        only: The names of the checks that are made; without any, all are.
        timeout_seconds: How long it may take for an answer.
        start_seconds: How long the first answer may take, if that is longer.
        audience: Is told how it goes on.
    """
    listener = audience or Audience()
    wanted = [check for check in CHECKS if not only or check.name in only]
    results: list[CheckResult] = []
    listener.begins(CHECKS[0])
    try:
        async with testing_bench(
            subject, timeout_seconds=timeout_seconds, start_seconds=start_seconds
        ) as bench:
            if not isinstance(bench.greeting, Answered):
                # Without it there is nothing else to look at.
                wanted = [CHECKS[0], *(each for each in wanted if each is not CHECKS[0])]
            for check in wanted:
                listener.begins(check)
                results.append(await _made(check, bench))
                listener.ended(results[-1])
    except StartError as error:
        results.append(_result(CHECKS[0], [_not_started(error)], elapsed_ms=0))
        listener.ended(results[-1])
    return TestReport(
        name=subject.name,
        version=subject.version,
        dialect=subject.dialect.value,
        results=tuple(results),
    )


async def _made(check: Check, bench: Bench) -> CheckResult:
    started_at = time.monotonic()
    hindered = _hindrance(check, bench)
    found = await _found(check, bench) if hindered is None else [skip(hindered)]
    elapsed_ms = round((time.monotonic() - started_at) * _MILLISECONDS)
    return _result(check, found, elapsed_ms=elapsed_ms)


def _hindrance(check: Check, bench: Bench) -> str | None:
    """Return why a check cannot be made; `None`: it can be."""
    if check is CHECKS[0]:
        return None
    if not isinstance(bench.greeting, Answered):
        return "there was no handshake"
    if bench.notebook.is_flooded and check.name != "output":
        return "it says so much that nothing else can be heard"
    if check.needs_pings and not bench.answers_pings:
        return "it answers no pings, by which that could be seen"
    return None


async def _found(check: Check, bench: Bench) -> list[Finding]:
    found: list[Finding] = []
    seconds = max(_LEAST_CHECK_SECONDS, _ANSWERS_A_CHECK * bench.timeout_seconds)
    most_silent = bench.silent_count + _MOST_SILENT
    try:
        async with asyncio.timeout(seconds), aclosing(check.run(bench)) as findings:
            async for each in findings:
                if len(found) >= _MOST_FINDINGS:
                    found.append(skip("the rest was not looked at: there is enough to mend"))
                    break
                if each not in found:
                    found.append(each)
                if bench.silent_count >= most_silent:
                    found.append(skip(f"it was asked no more here after {_MOST_SILENT} silences"))
                    break
    except TimeoutError:
        what = f"after {seconds:g} s the rest was not looked at: all its answers took too long"
        found.append(warn(what))
    except StartError as error:
        found.append(_not_started(error))
    return found


def _result(check: Check, found: list[Finding], *, elapsed_ms: int) -> CheckResult:
    return CheckResult(
        name=check.name, about=check.about, findings=tuple(found), elapsed_ms=elapsed_ms
    )


def _not_started(error: StartError) -> Finding:
    mend = "see that the program that the manifest names is there, and may be run (chmod +x)"
    return fail(str(error), mend)
