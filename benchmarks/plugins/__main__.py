"""Measures how fast plugins are called, started and found, and prints it."""

import argparse
import asyncio
import logging
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import uvloop

from benchmarks.plugins import authoring, crowd, finding, round_trips, sdk, starting
from benchmarks.plugins.house import HouseStuckError
from benchmarks.rows import Row, exit_code, print_rows

_ROUNDS = 5
_QUICK_ROUNDS = 1
_TITLE = "How fast plugins are called, started and found"

Measure = Callable[[], list[Row]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What was asked for."""

    json: bool
    only: list[str] | None
    quick: bool

    @property
    def rounds(self) -> int:
        """How often each thing is measured."""
        return _QUICK_ROUNDS if self.quick else _ROUNDS


def main() -> None:
    """Measure, print, and end with 1 if a target is missed."""
    arguments = _arguments()
    logging.basicConfig(level=logging.ERROR)
    try:
        rows = _measured(arguments)
    except (HouseStuckError, TimeoutError) as error:
        sys.exit(f"nothing could be measured: {error!r}")
    print_rows(_TITLE, rows, is_json=arguments.json)
    sys.exit(exit_code(rows))


def _measured(arguments: Arguments) -> list[Row]:
    rows: list[Row] = []
    for name, (text, measure) in _measurements(arguments).items():
        if arguments.only is None or name in arguments.only:
            sys.stderr.write(f"measuring {text} …\n")
            rows += measure()
    return rows


def _measurements(arguments: Arguments) -> Mapping[str, tuple[str, Measure]]:
    rounds = arguments.rounds
    return {
        "round-trips": (
            "round trips, in turns with others",
            lambda: round_trips.measure(rounds=rounds, seconds=0.2 if arguments.quick else 0.5),
        ),
        "starting": ("starts", lambda: _starts(rounds)),
        "crowd": ("many plugins at once", lambda: _crowd(1.0 if arguments.quick else 5.0)),
        "finding": ("the search for plugins", lambda: _finding(rounds)),
        "sdk": (
            "what the SDK costs, in turns with plugins without it",
            lambda: sdk.measure(rounds=rounds, seconds=0.2 if arguments.quick else 0.5).rows(),
        ),
        "authoring": ("an author's commands", lambda: authoring.measure(rounds=rounds).rows()),
    }


def _starts(rounds: int) -> list[Row]:
    # The bot's own event loop.
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(starting.measure(rounds=2 * rounds)).rows()


def _crowd(seconds: float) -> list[Row]:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(crowd.measure(seconds=seconds)).rows()


def _finding(rounds: int) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="papercup-benchmark-") as folder:
        return finding.measure(Path(folder), rounds=2 * rounds).rows()


def _arguments() -> Arguments:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.plugins",
        description=f"{_TITLE}: our host, the mcp package's client for stdio, the host of"
        " smooth-operator-core and python-lsp-jsonrpc, all with a child that answers at once; and"
        " a raw pipe. Then what the SDK costs a plugin, against one that is written by hand and a"
        " server of the mcp package; and how long an author waits for each command. Ends with 1 if"
        " a target is missed.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--only",
        nargs="+",
        choices=["round-trips", "starting", "crowd", "finding", "sdk", "authoring"],
        help="measure just these",
    )
    parser.add_argument("--quick", action="store_true", help="measure little, for a first look")
    return Arguments(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
