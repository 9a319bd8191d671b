"""Measures how long people wait when they write, and prints it."""

import argparse
import asyncio
import logging
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import uvloop

from benchmarks.rows import Row, exit_code, print_rows
from benchmarks.text import boot, first_token, job, many_jobs, mcp_call, status_write, turn
from benchmarks.text.stage import BotStuckError
from extensions.errors import ExtensionsError

_ROUNDS = 10
_TITLE = "How long people wait when they write"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What was asked for."""

    json: bool
    rounds: int


def main() -> None:
    """Measure, print, and end with 1 if a target is missed."""
    arguments = _arguments()
    logging.basicConfig(level=logging.ERROR)
    try:
        rows = _run(arguments.rounds)
    except (BotStuckError, ExtensionsError) as error:
        sys.exit(f"nothing could be measured: {error}")
    print_rows(_TITLE, rows, is_json=arguments.json)
    sys.exit(exit_code(rows))


def _run(rounds: int) -> list[Row]:
    with (
        tempfile.TemporaryDirectory(prefix="papercup-benchmark-") as folder,
        # The bot's own event loop.
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        return runner.run(_measured(Path(folder), rounds))


async def _measured(folder: Path, rounds: int) -> list[Row]:
    _say("a warm speaker, against one claude -p per turn …")
    first_tokens = await first_token.measure(_made(folder / "first-token"), rounds)
    _say("MCP calls, against a bare server …")
    calls = await mcp_call.measure(rounds)
    _say("turns of a conversation …")
    turns = await turn.measure(_made(folder / "turn"), rounds)
    _say("jobs …")
    jobs = await job.measure(_made(folder / "job"), rounds)
    _say("writes of a job's status, against bare SQLite …")
    writes = await status_write.measure(_made(folder / "status-write"), rounds)
    _say("boots with many jobs …")
    boots = await boot.measure(_made(folder / "boot"), rounds)
    _say("many jobs at once …")
    many = await many_jobs.measure(_made(folder / "many-jobs"))
    return [
        *first_tokens.rows(),
        *turns.rows(),
        *calls.rows(),
        *jobs.rows(),
        *writes.rows(),
        *boots.rows(),
        *many.rows(),
    ]


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _say(text: str) -> None:
    sys.stderr.write(f"measuring {text}\n")


def _arguments() -> Arguments:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.text",
        description=f"{_TITLE}: the real bot and the real claude, on a simulated Discord and a"
        " simulated model, on loopback. What is simulated answers at once, so that all that is"
        " told is Papercup's and claude's own time. Ends with 1 if a target is missed.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--rounds",
        type=_count,
        default=_ROUNDS,
        help=f"how often everything is measured (default: {_ROUNDS})",
    )
    return Arguments(**vars(parser.parse_args()))


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return count


if __name__ == "__main__":
    main()
