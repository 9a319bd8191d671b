"""Prints a test of a plugin while it goes on."""

import os
import shutil
from collections.abc import Collection, Mapping
from typing import TextIO

from papercup_plugin.conformance.findings import CheckResult, Outcome, TestReport
from papercup_plugin.conformance.layout import Layout, summary, title
from papercup_plugin.conformance.runner import CHECKS, Audience, Check
from papercup_plugin.conformance.subject import Subject

_CLEARED = "\r\x1b[K"
"""Back to the beginning of the line, and nothing behind it."""
_USUAL_SIZE = (80, 24)
_COLOURS: Mapping[Outcome, str] = {Outcome.FAIL: "\x1b[31m", Outcome.WARN: "\x1b[33m"}
_PLAIN = "\x1b[0m"


class Printer(Audience):
    """Prints each check when it has been made; on a terminal, which is being made, too."""

    def __init__(self, subject: Subject, out: TextIO, *, only: Collection[str] = ()) -> None:
        """Print what is tested.

        Args:
            subject: The plugin.
            out: Where to.
            only: The names of the checks that are made; without any, all are.
        """
        self._out = out
        self._is_terminal = out.isatty() and os.environ.get("TERM") != "dumb"
        self._has_colours = self._is_terminal and not os.environ.get("NO_COLOR")
        self._layout = Layout(
            name_width=max(map(len, only or [check.name for check in CHECKS])),
            columns=shutil.get_terminal_size(_USUAL_SIZE).columns if self._is_terminal else None,
        )
        self._print(title(subject.name, subject.version, subject.dialect))

    def begins(self, check: Check) -> None:
        """Show which check is being made."""
        if self._is_terminal:
            self._out.write(f"{_CLEARED}...   {check.name}")
            self._out.flush()

    def ended(self, result: CheckResult) -> None:
        """Print what came of a check."""
        text = "\n".join(self._layout.lines(result))
        colour = _COLOURS.get(result.outcome)
        if colour is not None and self._has_colours:
            word = result.outcome.value
            text = f"{colour}{word}{_PLAIN}{text.removeprefix(word)}"
        self._print(text)

    def finish(self, report: TestReport) -> None:
        """Print how many checks ended how."""
        self._print(summary(report))

    def _print(self, text: str) -> None:
        encoding = self._out.encoding or "utf-8"
        # A plugin may be called what the terminal cannot write.
        written = f"{text}\n".encode(encoding, "replace").decode(encoding)
        self._out.write(f"{_CLEARED}{written}" if self._is_terminal else written)
        self._out.flush()
