"""`papercup doctor`."""

import asyncio
from pathlib import Path

import typer

from bot.cli.output import ExitCode, print_json, print_table
from bot.config_reading import Surroundings
from bot.doctor.examination import examine
from bot.doctor.finding import is_healthy, plain_findings, rows_of, summary_of


def print_findings(named: Path | None, where: Surroundings, *, as_json: bool) -> ExitCode:
    """Print what keeps Papercup from working, and return the exit code."""
    findings = asyncio.run(examine(named, where))
    if as_json:
        print_json(plain_findings(findings))
    else:
        print_table(None, (), rows_of(findings))
        typer.echo(f"\n{summary_of(findings)}")
    return ExitCode.OK if is_healthy(findings) else ExitCode.FAILED
