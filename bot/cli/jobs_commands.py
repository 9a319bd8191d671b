"""`papercup jobs list`, `show`, `cancel` and `prune`."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import ConfigOption, JsonOption
from bot.cli.output import telling_errors
from bot.cli.platforms import require_linux
from bot.config import Config
from bot.config_reading import read_config, these_surroundings

app = typer.Typer(
    help="Look at background jobs, cancel them, and remove old files.", no_args_is_help=True
)

WantedArgument = Annotated[
    str, typer.Argument(metavar="JOB", help="Its id, or its name; the newest of a name is meant.")
]
LimitOption = Annotated[int, typer.Option("--limit", min=1, max=1_000, help="How many at most.")]


@app.command("list")
def list_newest(
    config: ConfigOption = None, *, limit: LimitOption = 20, as_json: JsonOption = False
) -> None:
    """List the newest jobs; without a running bot, as it left them."""
    with _on_linux(config) as settings:
        # Only here: unix sockets are not there on every system on which this file is imported.
        from bot.cli.jobs import print_jobs  # noqa: PLC0415

        print_jobs(settings.data_dir, limit, as_json=as_json)


@app.command()
def show(
    wanted: WantedArgument, config: ConfigOption = None, *, as_json: JsonOption = False
) -> None:
    """Show all that is known of one job; without a running bot, as it left it."""
    with _on_linux(config) as settings:
        from bot.cli.jobs import print_job  # noqa: PLC0415

        print_job(settings.data_dir, wanted, as_json=as_json)


@app.command()
def cancel(
    wanted: WantedArgument, config: ConfigOption = None, *, as_json: JsonOption = False
) -> None:
    """Have the running bot cancel a job; exit code 3 if none runs."""
    with _on_linux(config) as settings:
        from bot.cli.jobs import print_cancelled  # noqa: PLC0415

        print_cancelled(settings.data_dir, wanted, as_json=as_json)


@app.command()
def prune(
    config: ConfigOption = None,
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Remove nothing, only say what would be removed.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Remove the files of old jobs, as jobs.keep_days and jobs.keep_gb say, now."""
    with _on_linux(config) as settings:
        from bot.cli.job_pruning import print_pruned  # noqa: PLC0415

        print_pruned(settings, dry_run=dry_run, as_json=as_json)


@contextmanager
def _on_linux(named: Path | None) -> Generator[Config, None, None]:
    with telling_errors():
        require_linux(sys.platform)
        yield read_config(named, these_surroundings()).config
