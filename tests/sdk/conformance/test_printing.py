"""A test is printed as it goes on."""

import io
from pathlib import Path

import pytest

from papercup_plugin.conformance import CHECKS, CheckResult, Printer, Subject, TestReport, as_text
from papercup_plugin.conformance.findings import as_json, fail, skip
from papercup_plugin.conformance.methods import Dialect

SUBJECT = Subject(folder=Path(), dialect=Dialect.SEP, name="mine", version="1.0", command="none")
LONG = "it wrote something that is quite long, so that it does not fit on one line of a terminal"


class Terminal(io.StringIO):
    """A terminal, whose width nothing tells."""

    def isatty(self) -> bool:
        return True


def result() -> CheckResult:
    found = (
        fail(LONG, "write less", said=("Traceback:", "\x1b[31mbroken")),
        fail("again", said=("Traceback:", "\x1b[31mbroken")),
        skip("the rest was not looked at"),
    )
    return CheckResult(name="ping", about="It answers pings.", findings=found, elapsed_ms=1)


def report() -> TestReport:
    return TestReport(name="mine", version="1.0", dialect="sep", results=(result(),))


def printed(out: io.StringIO) -> str:
    printer = Printer(SUBJECT, out, only=["ping"])
    printer.begins(CHECKS[2])
    printer.ended(result())
    printer.finish(report())
    return out.getvalue()


def test_what_is_no_terminal_gets_each_line_whole_and_nothing_else() -> None:
    expected = [
        "mine 1.0 (sep)",
        "fail  ping  It answers pings.",
        f"      - {LONG}",
        "        | Traceback:",
        "        | \N{REPLACEMENT CHARACTER}[31mbroken",
        "        mend: write less",
        "      - again",
        "      the rest was not looked at",
        "0 ok, 0 warn, 1 fail, 0 skip",
    ]
    assert printed(io.StringIO()).splitlines() == expected
    assert as_text(report()).splitlines() == expected


def test_a_terminal_shows_what_is_looked_at_and_lines_are_broken_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.delenv("NO_COLOR", raising=False)
    text = printed(Terminal())

    assert "\r\x1b[K...   ping\r\x1b[K\x1b[31mfail\x1b[0m  ping" in text
    assert text.splitlines()[5:8] == [
        "      - it wrote something that is quite long, so that it",
        "        does not fit on one line of a terminal",
        "        | Traceback:",
    ]


def test_nothing_is_coloured_where_that_is_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[31m" not in printed(Terminal())


def test_half_of_a_character_can_be_printed_too() -> None:
    (found,) = (fail("it wrote '\ud800'"),)
    assert found.what == "it wrote '?'"
    assert as_json(report())["checks"][0]["findings"][0]["said"] == ["Traceback:", "\x1b[31mbroken"]
