"""What the commands print, and the codes with which they end."""

import json
import os
import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

import typer

from bot.errors import BotError, NotRunningError, SetupError
from extensions.errors import ExtensionsError

# Control characters but the end of a line, what turns the direction of writing around, and halves
# of characters, which cannot be written at all.
_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

_MOST_COLUMNS = 10_000
"""Of a table that no terminal shows."""


class ExitCode(IntEnum):
    """How a command ended."""

    OK = 0
    FAILED = 1
    """It was tried, and went wrong."""
    WRONG_USAGE = 2
    """The command line, the configuration or a secret has to be mended first."""
    NOT_RUNNING = 3
    """No bot runs that could be asked."""


def print_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object to stdout; what a terminal would obey is written as digits."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    typer.echo(_CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def print_table(title: str | None, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table to stdout, without a head if no columns are named.

    What stands in it is text, never markup. On a terminal, and where `COLUMNS` is set, it is as
    wide as that; else each row is one line, for programs that look for something in it.
    """
    # Only here: half of the commands print no table, and would wait for it.
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), show_header=bool(columns))
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(harmless(cell), overflow="fold") for cell in row))
    if title is not None:
        typer.echo(title)
    console = Console()
    if console.is_terminal or "COLUMNS" in os.environ:
        console.print(table)
        return
    console.width = _MOST_COLUMNS
    with console.capture() as captured:
        console.print(table)
    typer.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))


def harmless(text: str) -> str:
    """Return `text` without what a terminal would obey: others wrote some of what is shown."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text.replace("\t", " "))


def print_error(message: str) -> None:
    """Print what went wrong to stderr."""
    typer.echo(f"papercup: {message}", err=True)


@contextmanager
def telling_errors() -> Generator[None, None, None]:
    """Turn an error that is raised on purpose into its sentence on stderr and an exit code."""
    try:
        yield
    except (BotError, ExtensionsError) as error:
        print_error(str(error))
        raise typer.Exit(exit_code_of(error)) from error


def exit_code_of(error: Exception) -> ExitCode:
    """Return the code with which a command ends because of `error`."""
    match error:
        case SetupError():
            return ExitCode.WRONG_USAGE
        case NotRunningError():
            return ExitCode.NOT_RUNNING
        case _:
            return ExitCode.FAILED
