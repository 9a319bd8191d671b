"""Kills bots, breaks voice lines, has plugins misbehave, and writes it all into `docs/soak.md`."""

import argparse
import asyncio
import logging
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.soak.findings import Findings, Violation
from tests.soak.kills import kill_rounds
from tests.soak.many import many
from tests.soak.outage import outage
from tests.soak.packages.part import SENTENCE as PACKAGES_SENTENCE
from tests.soak.packages.part import packages
from tests.soak.page import PAGE, write_part
from tests.soak.plugins.part import SENTENCE, plugins
from tests.soak.plugins.scenarios import SCENARIOS
from tests.soak.voice.part import sentence, voice

_HIGHEST_SEED = 10_000
_LOG_LINES = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What was asked for."""

    rounds: int
    seed: int
    away_seconds: float
    jobs: int
    at_once: int
    lines: int
    minutes: float
    faults: list[str]
    only: str | None
    strict_messages: bool
    page: Path
    keep: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Something to go through."""

    title: str
    sentence: str
    run: Callable[[Path], Coroutine[Any, Any, Findings]]


def main() -> None:
    """Go through the parts, and end with 1 if anything was amiss."""
    arguments = _arguments()
    parts = _parts(arguments)
    # The stand-in for the model says so of each stream that a kill cut off.
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)
    names = [arguments.only] if arguments.only else list(parts)
    amiss = [violation for name in names for violation in _go_through(parts[name], arguments)]
    sys.exit(1 if amiss else 0)


def _parts(arguments: Arguments) -> dict[str, Part]:
    is_strict = arguments.strict_messages
    rounds, seed, away = arguments.rounds, arguments.seed, arguments.away_seconds
    jobs, at_once = arguments.jobs, arguments.at_once
    lines, minutes = arguments.lines, arguments.minutes
    return {
        "kills": Part(
            title="Kills",
            sentence=f"Bots on one data folder, each killed with `kill -9` at a moment by chance"
            f" (seed {seed}): at its start, at its login, and while jobs are started, at work,"
            " settled and told of. A bot is let live after ten of them, and all is looked at.",
            run=lambda folder: kill_rounds(
                folder, rounds=rounds, seed=seed, is_strict=is_strict, say=_say
            ),
        ),
        "outage": Part(
            title="Outage",
            sentence=f"A bot is killed and stays away for {away:g} seconds, while one job hears the"
            " model, two are in the midst of a command, and one wants to call the bot.",
            run=lambda folder: outage(folder, away_seconds=away, is_strict=is_strict, say=_say),
        ),
        "many": Part(
            title="Many jobs",
            sentence=f"{jobs} jobs that are done at once, {at_once} at a time.",
            run=lambda folder: many(
                folder, jobs=jobs, at_once=at_once, is_strict=is_strict, say=_say
            ),
        ),
        "voice": Part(
            title="Voice",
            sentence=sentence(lines=lines, minutes=minutes, seed=seed),
            run=lambda folder: voice(folder, lines=lines, minutes=minutes, seed=seed, say=_say),
        ),
        "plugins": Part(
            title="Plugins",
            sentence=SENTENCE,
            run=lambda folder: plugins(folder, only=arguments.faults, say=_say),
        ),
        "packages": Part(
            title="Packages",
            sentence=PACKAGES_SENTENCE,
            run=lambda folder: packages(folder, say=_say),
        ),
    }


def _go_through(part: Part, arguments: Arguments) -> list[Violation]:
    _say(f"{part.title}: {part.sentence}")
    folder = Path(tempfile.mkdtemp(prefix="papercup-soak-"))
    try:
        findings = asyncio.run(part.run(folder))
        for violation in findings.violations:
            lines = [f"VIOLATION {violation}", *_log_lines(folder, violation)]
            _say("\n    ".join(lines))
    finally:
        if not arguments.keep:
            shutil.rmtree(folder)
    write_part(part.title, part.sentence, findings, arguments.page)
    _say(f"{part.title}: {len(findings.violations)} violations; see {arguments.page}")
    return findings.violations


def _log_lines(folder: Path, violation: Violation) -> list[str]:
    """Return what the bots' logs say of the subject of a violation."""
    words = violation.subject.replace("(", " ").replace(")", " ").split()
    found: list[str] = []
    for log in sorted(folder.rglob("papercup.log")):
        is_about_it = False
        for line in log.read_text(errors="replace").splitlines():
            # What does not begin with a time belongs to the line before, as a traceback does.
            is_about_it = words[-1] in line if line[:2] == "20" else is_about_it
            found += [line] if is_about_it else []
    return found[:_LOG_LINES]


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _arguments() -> Arguments:
    parser = argparse.ArgumentParser(
        prog="python -m tests.soak",
        description="Kills bots again and again, looks at what became of their jobs, breaks voice"
        " lines, has plugins do all that they must not, installs them from where they must not be"
        " had, and writes it into a page. Ends with 1 if anything was amiss.",
    )
    add = parser.add_argument
    add("--rounds", type=int, default=150, help="how many bots are killed (default: 150)")
    add("--seed", type=int, default=None, help="repeats the moments of an earlier time")
    add("--away-seconds", type=float, default=60.0, help="how long the outage lasts (default: 60)")
    add("--jobs", type=int, default=100, help="how many the many jobs are (default: 100)")
    add("--at-once", type=int, default=8, help="how many of them run at a time (default: 8)")
    add("--lines", type=int, default=8, help="how many voice lines there are (default: 8)")
    add("--minutes", type=float, default=10, help="how long people talk on them (default: 10)")
    add(
        "--faults",
        nargs="+",
        choices=SCENARIOS,
        default=[],
        help="which faults plugins have, alone",
    )
    parts = ("kills", "outage", "many", "voice", "plugins", "packages")
    add("--only", choices=parts, help="go through this part alone")
    add("--page", type=Path, default=PAGE, help="where it is written (default: docs/soak.md)")
    add("--keep", action="store_true", help="keep the folder of the bots, with all logs")
    add(
        "--strict-messages",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="whether a message that was not answered is a violation (default: it is)",
    )
    values = vars(parser.parse_args())
    if values["seed"] is None:
        values["seed"] = random.SystemRandom().randrange(_HIGHEST_SEED)
    return Arguments(**values)


if __name__ == "__main__":
    main()
