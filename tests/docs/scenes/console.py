"""What a terminal shows of the commands on a page: each is called, and its output written down."""

import contextlib
import os
import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from bot.cli.main import app
from bot.secrets import SECRET_NAMES
from tests.docs.pages import ROOT

CONSOLE_PAGE = ROOT / "docs" / "plugins" / "operating.md"
FIRST_PLUGIN_PAGE = ROOT / "docs" / "plugins" / "first_plugin.md"
_BLOCK = re.compile(
    r"(?P<head><!-- console -->\n```console\n)(?P<said>.*?)(?P<end>^```$)"
    r"|<!-- file (?P<path>\S+) -->\n```\w+\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
"""What is shown of a terminal, or the text of a file that is written meanwhile."""
_PROMPT = "$ "
_PROGRAM = "papercup"
_STEADY = (
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d:\d\d", "2026-03-14 14:02:00+00:00"),
    (r"sha256:[0-9a-f]{64}", f"sha256:{'5e01c1a7' * 8}"),
    (r"\b\d+ ms\b", "90 ms"),
)
_GAP = " " * 3
_HEAD = re.compile(r"[A-Z][\w ]*?(?: {3,}[A-Z][\w ]*?)+ *")
"""Of a table."""


@dataclass(frozen=True, slots=True)
class Home:
    """The home folder in which the commands are called."""

    path: Path

    def furnish(self) -> None:
        """Put a plugin and a project into it."""
        plugins = self.path / ".papercup" / "plugins"
        shutil.copytree(ROOT / "examples" / "plugins" / "dice", plugins / "dice")
        (self.path / "garden").mkdir()

    def call(self, words: list[str]) -> str:
        """Call a command with these words behind its name, and return what it prints."""
        unset = [name for name in os.environ if name.startswith(("PAPERCUP_", "XDG_", "SMOOTH_"))]
        env = {
            **dict.fromkeys([*unset, *SECRET_NAMES]),
            "HOME": str(self.path),
            "PAPERCUP_DATA_DIR": str(self.path / "data"),
            "COLUMNS": "200",
            "NO_COLOR": "1",
        }
        return CliRunner().invoke(app, words, env=env).output

    def steady(self, output: str) -> str:
        """Return what was printed as it is on every play."""
        lines = output.splitlines()
        if lines and _HEAD.fullmatch(lines[0]):
            return self._steady_table(lines)
        return "\n".join(self._steady_text(line).rstrip() for line in lines)

    def _steady_table(self, lines: list[str]) -> str:
        starts = [0, *(found.end() for found in re.finditer(r" {3,}(?=\S)", lines[0]))]
        spans = list(zip(starts, [*starts[1:], None], strict=True))
        rows = [[self._steady_text(line[a:b].rstrip()) for a, b in spans] for line in lines]
        cells = [row for row, line in zip(rows, lines, strict=True) if _is_row(line, starts)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return "\n".join(
            _GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            if row in cells
            else self._steady_text(line)
            for row, line in zip(rows, lines, strict=True)
        )

    def _steady_text(self, text: str) -> str:
        text = text.replace(str(self.path.resolve()), "~").replace(str(self.path), "~")
        for found, put in _STEADY:
            text = re.sub(found, put, text)
        return text


def console_page(folder: Path) -> str:
    """Return the page on running plugins with what its commands print by now.

    Args:
        folder: Where everything is kept; empty.
    """
    home = Home(folder)
    home.furnish()
    return _played(CONSOLE_PAGE, home)


def first_plugin_page(folder: Path) -> str:
    """Return the page on the first plugin with what its commands print by now.

    Args:
        folder: Where everything is kept, what the page has one write included; empty.
    """
    return _played(FIRST_PLUGIN_PAGE, Home(folder))


def _played(page: Path, home: Home) -> str:
    """Call the commands of a page one after the other, and write its files."""

    def block(found: re.Match[str]) -> str:
        if found["path"] is not None:
            file = home.path / found["path"].removeprefix("~/")
            file.write_text(found["text"], encoding="utf-8")
            return found[0]
        commands = [line for line in found["said"].splitlines() if line.startswith(_PROMPT)]
        shown = "\n\n".join(f"{line}\n{_output(line, home)}".rstrip() for line in commands)
        return f"{found['head']}{shown}\n{found['end']}"

    with contextlib.chdir(home.path):
        return _BLOCK.sub(block, page.read_text(encoding="utf-8"))


def _output(line: str, home: Home) -> str:
    program, *words = shlex.split(line.removeprefix(_PROMPT))
    assert program == _PROGRAM, line
    # As a shell does.
    words = [re.sub("^~(?=/)", str(home.path), word) for word in words]
    return home.steady(home.call(words))


def _is_row(line: str, starts: list[int]) -> bool:
    """Say whether a line belongs to the table above it: nothing stands between its columns."""
    return len(line) >= starts[-1] and all(
        line[start - len(_GAP) : start] == _GAP for start in starts[1:]
    )
