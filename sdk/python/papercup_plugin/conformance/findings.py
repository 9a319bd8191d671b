"""What a test of a plugin found, as data. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from papercup_plugin.conformance.answers import Silent

_LONGEST = 1000
"""Of what is said of a finding, in characters: it may name what the plugin wrote."""
_LONGEST_SAID = 200
_STAY = "stay, whatever comes: what goes wrong is answered with an error"


class Level(StrEnum):
    """How bad something is."""

    FAIL = "fail"
    """It breaks the protocol."""
    WARN = "warn"
    """Some hosts pass over it, or it will be a nuisance."""
    SKIP = "skip"
    """It could not be looked at."""


class Outcome(StrEnum):
    """How a check ended."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"
    SKIP = "skip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that a check found."""

    level: Level
    what: str
    """What was seen, and why that is wrong: a sentence without its end."""
    mend: str | None = None
    """What to do about it, likewise."""
    said: tuple[str, ...] = ()
    """The last lines that the plugin wrote to its standard error, if that tells more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What came of one check."""

    name: str
    about: str
    """What was looked at: a sentence's end."""
    findings: tuple[Finding, ...]
    elapsed_ms: int

    @property
    def outcome(self) -> Outcome:
        """How it ended."""
        levels = {finding.level for finding in self.findings}
        for level in (Level.FAIL, Level.WARN, Level.SKIP):
            if level in levels:
                return Outcome(level.value)
        return Outcome.OK


@dataclass(frozen=True, slots=True, kw_only=True)
class TestReport:
    """What came of a test."""

    __test__ = False
    """For pytest, which would take it for a test."""

    name: str
    version: str
    dialect: str
    results: tuple[CheckResult, ...]

    def count(self, outcome: Outcome) -> int:
        """Return how many checks ended so."""
        return sum(result.outcome is outcome for result in self.results)

    @property
    def has_failed(self) -> bool:
        """Whether any check has."""
        return self.count(Outcome.FAIL) > 0


def fail(what: str, mend: str | None = None, *, said: Iterable[str] = ()) -> Finding:
    """Return that something breaks the protocol."""
    lines = tuple(clipped(line, _LONGEST_SAID) for line in said)
    return Finding(level=Level.FAIL, what=clipped(what), mend=mend, said=lines)


def warn(what: str, mend: str | None = None) -> Finding:
    """Return that something is not as it should be."""
    return Finding(level=Level.WARN, what=clipped(what), mend=mend)


def unanswered(about: str, silent: Silent, mend: str | None = None) -> Finding:
    """Return that something was left unanswered.

    Args:
        about: What, such as ``to `ping```.
        silent: Why.
        mend: What to do about it, if the program has not ended.
    """
    if silent.has_ended:
        mend = _STAY
    return fail(f"{about}: {silent.why}", mend, said=silent.said)


def skip(why: str) -> Finding:
    """Return that something could not be looked at."""
    return Finding(level=Level.SKIP, what=why)


def clipped(text: str, longest: int = _LONGEST) -> str:
    """Return so many characters of a text, and such as can be written."""
    # Half of a surrogate pair can be said in JSON, and be written nowhere.
    sound = text.encode("utf-8", "replace").decode()
    return sound if len(sound) <= longest else f"{sound[:longest]}…"


def as_json(report: TestReport) -> dict[str, Any]:
    """Return a report as JSON."""
    return {
        "plugin": {"name": report.name, "version": report.version, "dialect": report.dialect},
        **{outcome.value: report.count(outcome) for outcome in Outcome},
        "checks": [_result_as_json(result) for result in report.results],
    }


def _result_as_json(result: CheckResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "about": result.about,
        "outcome": result.outcome.value,
        "elapsed_ms": result.elapsed_ms,
        "findings": [
            {
                "level": each.level.value,
                "what": each.what,
                "mend": each.mend,
                "said": list(each.said),
            }
            for each in result.findings
        ],
    }
