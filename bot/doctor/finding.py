"""What a check found, as data. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Grade(StrEnum):
    """How a check came out."""

    OK = "OK"
    WARN = "WARN"
    """It works, but less well than it could, or it cannot be told."""
    FAIL = "FAIL"
    """It does not work until somebody mends it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one check found."""

    check: str
    """What was looked at, in a word or two."""
    grade: Grade
    text: str
    """What is so."""
    mend: str | None = None
    """What the operator can do about it."""


def ok(check: str, text: str) -> Finding:
    """Return that all is well."""
    return Finding(check=check, grade=Grade.OK, text=text)


def warn(check: str, text: str, mend: str | None = None) -> Finding:
    """Return that something could be better."""
    return Finding(check=check, grade=Grade.WARN, text=text, mend=mend)


def fail(check: str, text: str, mend: str) -> Finding:
    """Return that something does not work."""
    return Finding(check=check, grade=Grade.FAIL, text=text, mend=mend)


def is_healthy(findings: Iterable[Finding]) -> bool:
    """Say whether nothing has to be mended."""
    return all(finding.grade is not Grade.FAIL for finding in findings)


def rows_of(findings: Iterable[Finding]) -> list[tuple[str, str, str]]:
    """Return a row for each finding: its grade, what was looked at, and what is so."""
    return [
        (
            finding.grade.value,
            finding.check,
            finding.text if finding.mend is None else f"{finding.text}\n→ {finding.mend}",
        )
        for finding in findings
    ]


def summary_of(findings: Sequence[Finding]) -> str:
    """Return in one sentence how it stands."""
    failures = sum(finding.grade is Grade.FAIL for finding in findings)
    warnings = sum(finding.grade is Grade.WARN for finding in findings)
    remarks = "" if not warnings else f"; {warnings} could be better"
    if failures:
        return f"{failures} of {len(findings)} checks failed{remarks}."
    return f"No check of {len(findings)} failed{remarks}."


def plain_findings(findings: Sequence[Finding]) -> dict[str, Any]:
    """Return the findings as plain text and lists."""
    return {"ok": is_healthy(findings), "findings": [asdict(finding) for finding in findings]}
