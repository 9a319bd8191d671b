"""A module whose first words call it pure does no I/O, and reads no clock."""

import ast
import re
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

IMPURE = frozenset(
    {"aiohttp", "asyncio", "discord", "fcntl", "http.client", "io", "mcp", "multiprocessing", "os"}
    | {"random", "secrets", "select", "shutil", "signal", "socket", "sqlite3", "ssl"}
    | {"subprocess", "sys", "tempfile", "threading", "urllib.request", "uuid", "uvicorn"}
)
# Of time and datetime, what only converts a time that was given.
CLOCKS = frozenset({"time.time", "time.monotonic", "datetime.now", "datetime.today", "open"})


def _pure_modules() -> list[Path]:
    paths = [
        path
        for name in ("bot", "voice", "extensions", "simulator")
        for path in (ROOT / name).rglob("*.py")
    ]
    return [path for path in sorted(paths) if _calls_itself_pure(path)]


def _calls_itself_pure(path: Path) -> bool:
    doc = ast.get_docstring(ast.parse(path.read_text())) or ""
    return re.search(r"\bPure\.", doc) is not None


def test_there_are_pure_modules() -> None:
    assert _pure_modules()


@pytest.mark.parametrize("path", _pure_modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_pure_module_imports_nothing_that_does_io(path: Path) -> None:
    tree = ast.parse(path.read_text())
    imported: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported |= {node.module}
    assert {
        name for name in imported if name in IMPURE or name.partition(".")[0] in IMPURE
    } == set()


@pytest.mark.parametrize("path", _pure_modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_pure_module_reads_no_clock_and_opens_no_file(path: Path) -> None:
    tree = ast.parse(path.read_text())
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert called & CLOCKS == set()
