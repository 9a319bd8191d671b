"""`papercup demo`: the bot against simulated services, so that anyone can see it work."""

import asyncio
import sys
from pathlib import Path

from rich.console import Console

from bot.cli.output import ExitCode
from simulator.demo.text_demo import text_demo


def run_demo(report_path: Path | None) -> int:
    """Show the demo, write its report if asked to, and return the exit code."""
    console = Console(highlight=False)
    report = asyncio.run(text_demo([sys.executable, "-m", "bot", "run"], console))
    report.print_on(console)
    if report_path is not None:
        report_path.write_text(report.as_json(), encoding="utf-8")
    return ExitCode.OK if report.ok else ExitCode.FAILED
