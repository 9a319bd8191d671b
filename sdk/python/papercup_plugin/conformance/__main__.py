"""`python3 -m papercup_plugin.conformance PATH`: tests a plugin where there is no Papercup."""

import argparse
import asyncio
import json
import math
import os
import signal
import sys
from pathlib import Path
from types import FrameType

from papercup_plugin.conformance import (
    CHECKS,
    USUAL_SECONDS,
    ManifestError,
    Printer,
    Subject,
    TestReport,
    as_json,
    conform,
    read_subject,
)

OK, NOT_PRINTED, INVALID, FAILED, INTERRUPTED = 0, 1, 2, 9, 130
_LEAST_SECONDS = 0.1


def main() -> int:
    """Test a plugin, print what was found, and return the exit code."""
    given = _parser().parse_args()
    if os.name != "posix":
        sys.stderr.write("plugins can be tested where there are process groups alone\n")
        return INVALID
    try:
        subject = read_subject(given.path)
    except ManifestError as error:
        sys.stderr.write(f"{error}\n")
        return INVALID
    # Else what it has started would outlive it.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        report = asyncio.run(_tested(subject, given))
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        return INTERRUPTED
    except OSError as error:
        # Else what is left is written once more at the end, to whoever is gone.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.stderr.write(f"the test came to nothing: {error.strerror}\n")
        return NOT_PRINTED
    return FAILED if report.has_failed else OK


async def _tested(subject: Subject, given: argparse.Namespace) -> TestReport:
    only, seconds = given.only or (), given.timeout
    if given.json:
        report = await conform(subject, only=only, timeout_seconds=seconds)
        sys.stdout.write(f"{json.dumps(as_json(report), indent=2)}\n")
        return report
    printer = Printer(subject, sys.stdout, only=only)
    report = await conform(subject, only=only, timeout_seconds=seconds, audience=printer)
    printer.finish(report)
    return report


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    signal.raise_signal(signal.SIGINT)


def _parser() -> argparse.ArgumentParser:
    names = [check.name for check in CHECKS]
    parser = argparse.ArgumentParser(
        prog="python3 -m papercup_plugin.conformance",
        description="Say whether a plugin keeps to the protocol. Its tools are really used.",
        epilog=f"Checks: {', '.join(names)}.",
    )
    parser.add_argument("path", type=Path, metavar="PATH", help="its folder, or its manifest")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--only", action="append", choices=names, metavar="NAME", help="a check; may be repeated"
    )
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=USUAL_SECONDS,
        metavar="SECONDS",
        help="how long it may take for an answer (%(default)g)",
    )
    return parser


def _seconds(text: str) -> float:
    seconds = float(text)
    if not math.isfinite(seconds) or seconds < _LEAST_SECONDS:
        raise argparse.ArgumentTypeError(f"{_LEAST_SECONDS:g} is the least")
    return seconds


if __name__ == "__main__":
    sys.exit(main())
