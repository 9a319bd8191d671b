"""What was looked at, and what was not as it must be."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """Something that is not as it must be."""

    check: str
    subject: str
    """What it was seen of: a job, a message, a process."""
    seen: str

    def __str__(self) -> str:
        return f"{self.check}: {self.subject}: {self.seen}"


@dataclass
class Findings:
    """Counts what was looked at, and keeps what was amiss."""

    looked_at: Counter[str] = field(default_factory=Counter[str])
    """How often each check was made."""
    violations: list[Violation] = field(default_factory=list[Violation])
    figures: dict[str, str] = field(default_factory=dict[str, str])
    """What else there is to tell."""

    def check(self, check: str, subject: str, seen: str | None) -> None:
        """Take note of a look.

        Args:
            check: What must hold.
            subject: Of what it must hold; of one subject, a check is told once.
            seen: What was seen instead; `None` if all is well.
        """
        self.looked_at[check] += 1
        is_new = all((v.check, v.subject) != (check, subject) for v in self.violations)
        if seen is not None and is_new:
            self.violations.append(Violation(check=check, subject=subject, seen=seen))

    def of(self, check: str) -> list[Violation]:
        """Return what violates one check."""
        return [violation for violation in self.violations if violation.check == check]
