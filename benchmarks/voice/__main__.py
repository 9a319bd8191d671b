"""Measures how long people wait when they talk, and prints it."""

import argparse
import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import uvloop

from benchmarks.rows import Row, exit_code, print_rows
from benchmarks.voice import busy, conversation, decryption, memory, shares, understanding
from voice.engines.protocols import EngineError, SpeechError

if TYPE_CHECKING:
    from benchmarks.voice.talk import Talk

_ROUNDS = 8
_QUICK_ROUNDS = 2
_BUSY_TURNS = 4
_TITLE = "How long people wait when they talk"

Measure = Callable[[], Awaitable[list[Row]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What was asked for."""

    json: bool
    rounds: int
    only: list[str] | None
    quick: bool
    whisper: str


def main() -> None:
    """Measure, print, and end with 1 if a target is missed."""
    arguments = _arguments()
    logging.basicConfig(level=logging.ERROR)
    try:
        # The bot's own event loop.
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            rows = runner.run(_measured(arguments))
    except (EngineError, SpeechError, TimeoutError) as error:
        sys.exit(f"nothing could be measured: {error!r}")
    print_rows(_TITLE, rows, is_json=arguments.json)
    sys.exit(exit_code(rows))


async def _measured(arguments: Arguments) -> list[Row]:
    rows: list[Row] = []
    for name, (text, measure) in _measurements(arguments).items():
        if arguments.only is None or name in arguments.only:
            sys.stderr.write(f"measuring {text} …\n")
            rows += await measure()
    return rows


def _measurements(arguments: Arguments) -> Mapping[str, tuple[str, Measure]]:
    """Return what is measured, by the name that `--only` has for it."""
    rounds = min(arguments.rounds, _QUICK_ROUNDS) if arguments.quick else arguments.rounds

    few_lines: list[Talk] = []

    async def conversations() -> list[Row]:
        measured = await conversation.measure(rounds, arguments.whisper)
        few_lines.append(measured.offline)
        return measured.rows()

    async def understood() -> list[Row]:
        measured = await asyncio.to_thread(partial(understanding.measure, is_quick=arguments.quick))
        return measured.rows()

    async def shared() -> list[Row]:
        return (await shares.measure()).rows()

    async def many() -> list[Row]:
        few = few_lines[0] if few_lines else None
        return (await busy.measure(min(rounds, _BUSY_TURNS), few)).rows()

    async def remembered() -> list[Row]:
        return (await memory.measure()).rows()

    async def decrypted() -> list[Row]:
        return (await decryption.measure()).rows()

    return {
        "conversation": ("conversations, with us and the naive way", conversations),
        "understanding": ("what is understood", understood),
        "shares": ("shares of a core", shared),
        "busy": ("busy lines", many),
        "memory": ("memory", remembered),
        "decryption": ("what is decrypted while people come and go", decrypted),
    }


def _arguments() -> Arguments:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.voice",
        description=f"{_TITLE}: the real pipeline with its real models, real Opus, and people in a"
        " process of their own. Whoever answers does so at once, so that all that is told is"
        " Papercup's own time. Ends with 1 if a target is missed.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--rounds",
        type=_count,
        default=_ROUNDS,
        help=f"how often everyone talks (default: {_ROUNDS})",
    )
    parser.add_argument("--quick", action="store_true", help="measure little, to see that it works")
    parser.add_argument(
        "--only",
        action="append",
        metavar="NAME",
        choices=["conversation", "understanding", "shares", "busy", "memory", "decryption"],
        help="measure this alone: %(choices)s; may be given several times",
    )
    parser.add_argument(
        "--whisper",
        default="tiny.en",
        metavar="MODEL",
        help="a name or folder: what faster-whisper, if it is installed, has the naive way use"
        " (default: %(default)s)",
    )
    return Arguments(**vars(parser.parse_args()))


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return count


if __name__ == "__main__":
    main()
