"""What every benchmark tells: rows, as a table for people or as JSON for programs."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, assert_never

from rich.console import Console
from rich.table import Table
from rich.text import Text

_WIDTH = 110
"""Of a table that is not read in a terminal."""
_SMALL = 10.0


@dataclass(frozen=True, slots=True)
class Target:
    """What a value has to reach, or must not exceed."""

    sense: Literal["≥", "≤"]
    value: float

    def __str__(self) -> str:
        return f"{self.sense} {self.value:g}"

    def is_met_by(self, value: float) -> bool:
        """Say whether `value` is good enough."""
        match self.sense:
            case "≥":
                return value >= self.value
            case "≤":
                return value <= self.value
            case _:
                assert_never(self.sense)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One thing that was measured."""

    name: str
    value: float
    unit: str
    """Of the value and of the target; `times` for a ratio."""
    target: Target | None = None
    """`None` if it is only told."""
    against: str = ""
    """What the value is held against, or how it was measured."""

    @property
    def ok(self) -> bool:
        """Whether the target is met; also true where there is none."""
        return self.target is None or self.target.is_met_by(self.value)

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "name": self.name,
            "value": round(self.value, 3),
            "unit": self.unit,
            "target": None if self.target is None else str(self.target),
            "ok": self.ok,
            "against": self.against,
        }


def as_json(rows: Sequence[Row]) -> str:
    """Return the rows for other programs."""
    return json.dumps({"rows": [row.as_dict() for row in rows]}, indent=2, ensure_ascii=False)


def exit_code(rows: Sequence[Row]) -> int:
    """Return 1 if any target is missed, else 0."""
    return 0 if all(row.ok for row in rows) else 1


def print_rows(title: str, rows: Sequence[Row], *, is_json: bool) -> None:
    """Print the rows to stdout: as JSON, else as a table under `title`."""
    if is_json:
        sys.stdout.write(as_json(rows) + "\n")
    else:
        console = Console(highlight=False)
        if not console.is_terminal:
            console.width = _WIDTH
        console.print(_table(title, rows))


def _table(title: str, rows: Sequence[Row]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("what", overflow="fold", ratio=3)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("target", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("against", overflow="fold", ratio=4)
    for row in rows:
        target = "" if row.target is None else str(row.target)
        table.add_row(Text(row.name), _shown_value(row), target, _mark(row), Text(row.against))
    return table


def _shown_value(row: Row) -> str:
    digits = 2 if row.value < _SMALL else 1
    return f"{row.value:.{digits}f} {row.unit}"


def _mark(row: Row) -> Text:
    if row.target is None:
        return Text("")
    return Text("✓", style="green") if row.ok else Text("✗", style="bold red")
