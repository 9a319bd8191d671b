"""What a test of a plugin found, as people read it. Pure."""

import textwrap

from papercup_plugin.conformance.findings import CheckResult, Level, Outcome, TestReport

_INDENT = " " * 6
_LEAST_COLUMNS = 40


def as_text(report: TestReport) -> str:
    """Return a report as people read it; its lines are as long as they are."""
    layout = Layout(name_width=max((len(result.name) for result in report.results), default=0))
    lines = [title(report.name, report.version, report.dialect)]
    for result in report.results:
        lines += layout.lines(result)
    return "\n".join([*lines, summary(report)])


def title(name: str, version: str, dialect: str) -> str:
    """Return the first line of a report."""
    return _harmless(f"{name} {version} ({dialect})")


def summary(report: TestReport) -> str:
    """Return the last line of a report."""
    return ", ".join(f"{report.count(outcome)} {outcome.value}" for outcome in Outcome)


class Layout:
    """How what came of checks stands below each other."""

    def __init__(self, *, name_width: int, columns: int | None = None) -> None:
        """Make it.

        Args:
            name_width: Of the longest name of a check.
            columns: How wide it may be; without it, lines are as long as they are.
        """
        self._name_width = name_width
        self._columns = None if columns is None else max(columns, _LEAST_COLUMNS)
        self._said: set[tuple[str, ...]] = set()

    def lines(self, result: CheckResult) -> list[str]:
        """Return what came of a check."""
        head = f"{result.outcome.value:<4}  {result.name:<{self._name_width}}  "
        lines = self._wrapped(head, result.about, len(head))
        for each in result.findings:
            bullet = _INDENT if each.level is Level.SKIP else f"{_INDENT}- "
            lines += self._wrapped(bullet, each.what, len(_INDENT) + 2)
            lines += self._quoted(each.said)
            if each.mend is not None:
                lines += self._wrapped(f"{_INDENT}  mend: ", each.mend, len(_INDENT) + 4)
        return [_harmless(line) for line in lines]

    def _quoted(self, said: tuple[str, ...]) -> list[str]:
        # Of a program that has ended, each question says the same.
        if said in self._said:
            return []
        self._said.add(said)
        return [f"{_INDENT}  | {line}"[: self._columns] for line in said]

    def _wrapped(self, begin: str, text: str, indent: int) -> list[str]:
        if self._columns is None:
            return [(begin + text).rstrip()]
        return textwrap.wrap(
            text,
            self._columns,
            initial_indent=begin,
            subsequent_indent=" " * indent,
            break_on_hyphens=False,
        )


def _harmless(line: str) -> str:
    """Return a line without what a terminal would obey: the plugin wrote some of it."""
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in line)
