"""`papercup status`."""

import dataclasses
from datetime import datetime
from pathlib import Path

import typer

from bot.cli.output import ExitCode, print_json, print_table
from bot.control.client import read_status
from bot.control.status import StatusReport
from bot.data_folder import DataFolder


def print_status(data_dir: Path, *, as_json: bool) -> ExitCode:
    """Print how the bot is that uses the data folder, and return the exit code.

    Raises:
        ControlError: If one runs, but does not answer as it should.
    """
    report = read_status(DataFolder(data_dir).control_socket)
    if report is None:
        if as_json:
            print_json({"running": False})
        else:
            typer.echo(f"No Papercup runs on the data folder {data_dir}. Start it: papercup run")
        return ExitCode.NOT_RUNNING
    if as_json:
        print_json({"running": True, **dataclasses.asdict(report)})
    else:
        print_table("Papercup is running.", (), _rows(report))
    return ExitCode.OK


def _rows(report: StatusReport) -> list[tuple[str, str]]:
    since = datetime.fromtimestamp(report.started_at).astimezone().isoformat(" ", "seconds")
    jobs = ", ".join(f"{count} {state}" for state, count in report.jobs.items() if count)
    jail = report.jail if report.jail_reason is None else f"{report.jail} ({report.jail_reason})"
    return [
        ("Process", f"{report.pid}, since {since}"),
        ("Version", report.version),
        ("Discord", f"{report.discord}" + (f" as {report.bot_user}" if report.bot_user else "")),
        ("Conversations", f"{report.conversations} open"),
        ("Jobs", jobs or "none yet"),
        ("Jail", jail),
        ("Notices", f"{report.lost_notices} could not be delivered in the last seven days"),
        ("Claude", report.claude_version),
        ("MCP server", report.mcp_url),
    ]
