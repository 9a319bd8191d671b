"""The options that several commands have."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

ConfigOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="The configuration; by default config.toml here, else in XDG's folder.",
    ),
]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON.")]
