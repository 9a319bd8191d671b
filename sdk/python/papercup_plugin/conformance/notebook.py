"""Takes down what a plugin says wrongly, each thing once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from papercup_plugin.conformance.findings import Finding, fail, warn
from papercup_plugin.conformance.frames import FRAMES, check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from papercup_plugin.conformance.answers import Silent
    from papercup_plugin.conformance.kinds import Complaint

_MOST_KEPT = 20
_MOST_ABOUT_ONE = 5
"""So much is said of one thing that is wrong in many ways."""


class Notebook:
    """What a plugin has said wrongly so far."""

    def __init__(self) -> None:
        self._wrong: dict[str, Finding] = {}
        self._ends: dict[str, Finding] = {}
        self.undeclared: dict[str, str] = {}
        """What it asked though its manifest does not declare it: the capability, by method."""
        self.has_waited = False
        """Whether it was pinged while it waited for the host."""
        self.is_deaf: str | None = None
        """What it waited for when it did not answer a ping; `None`: it answered each."""
        self.errors_to_nobody = 0
        """How many errors without an id it has written."""
        self.is_flooded = False
        """Whether it says so much that nothing else can be heard."""

    def findings(self) -> Iterator[Finding]:
        """Yield what it has said wrongly."""
        yield from self._wrong.values()

    def ends(self) -> Iterator[Finding]:
        """Yield how it has ended though nobody told it to."""
        yield from self._ends.values()

    def wrong(self, what: str, mend: str) -> None:
        """Take down that it wrote something that cannot be."""
        self._keep(fail(f"it wrote {what}", mend))

    def nuisance(self, what: str, mend: str) -> None:
        """Take down that it did something that hosts will not like."""
        self._keep(warn(what, mend))

    def flooded(self, count: int) -> None:
        """Take down that it said more than so many things without being asked."""
        self.is_flooded = True
        what = f"more than {count} things that nobody had asked for, so that it was ended"
        self.wrong(what, "say less: of what hosts cannot use they keep little, and answer nothing")

    def ended(self, silent: Silent) -> None:
        """Take down that it has ended, though nobody told it to."""
        mend = "stay until you are told to end: hosts give up what ends again and again"
        if len(self._ends) < _MOST_KEPT:
            end = fail(f"while it was asked nothing, {silent.why}", mend, said=silent.said)
            self._ends.setdefault(end.what, end)

    def about(self, kind: str, value: Any, what: str) -> bool:
        """Look at something that it said, and return whether it can be used.

        Args:
            kind: Of FRAMES.
            value: What it said.
            what: That, in words.
        """
        found = check(kind, value)
        for each in _said_of(found, what):
            self._keep(each)
        return all(complaint.is_unknown for complaint in found)

    def _keep(self, finding: Finding) -> None:
        if len(self._wrong) < _MOST_KEPT:
            self._wrong.setdefault(finding.what, finding)


def findings_about(kind: str, value: Any, what: str) -> Iterator[Finding]:
    """Yield what is wrong with something that a plugin said.

    Args:
        kind: Of FRAMES.
        value: What it said.
        what: That, in words.
    """
    assert kind in FRAMES, kind
    yield from _said_of(check(kind, value), what)


def _said_of(found: list[Complaint], what: str) -> Iterator[Finding]:
    for complaint in found[:_MOST_ABOUT_ONE]:
        if complaint.is_unknown:
            yield warn(f"in {what}, {complaint}", "leave it out: hosts pass over it")
        else:
            yield fail(f"in {what}, {complaint}")
    left = len(found) - _MOST_ABOUT_ONE
    if left > 0:
        told = warn if found[0].is_unknown else fail
        yield told(f"in {what}, there are {left} more things of that kind")
