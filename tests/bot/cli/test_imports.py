"""Commands that need little import little: what they import is what people wait for."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PROGRAM = """
import atexit, json, pathlib, sys
modules = pathlib.Path(sys.argv.pop())
atexit.register(lambda: modules.write_text(json.dumps(sorted(sys.modules))))
from bot.cli.main import main
main()
"""
LARGE = {"aiohttp", "av", "discord", "jsonschema", "mcp", "numpy", "sherpa_onnx", "uvicorn", "yaml"}
"""What takes a quarter of a second or more to import, and what few of those who start it have."""
OF_THE_BOT = {"bot.app", "bot.database", "extensions.jobs", "extensions.server", "simulator"}
TABLES = {"rich.table"}
NEW = ["plugin", "new", "counter", "--template", "tool"]


@pytest.mark.parametrize(
    ("arguments", "unneeded"),
    [
        (["--help"], LARGE | OF_THE_BOT),
        (NEW, LARGE | OF_THE_BOT | TABLES | {"bot.cli.plugin_overview", "watchfiles"}),
        (["plugin", "test", "nowhere"], LARGE | {"bot.app", "extensions.server", "simulator"}),
        (["plugin", "list"], LARGE | {"bot.app", "extensions.server", "simulator"}),
        (["plugin", "doctor"], LARGE | {"bot.app", "extensions.server", "simulator"}),
        (["plugin", "doctor", "--runtime"], {"bot.app", "discord", "mcp", "simulator", "uvicorn"}),
    ],
    ids=["help", "new", "test", "list", "doctor", "runtime"],
)
def test_a_command_imports_only_what_it_needs(
    tmp_path: Path, arguments: Sequence[str], unneeded: set[str]
) -> None:
    told = tmp_path / "modules.json"
    subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments, str(told)],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": os.defpath, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
        timeout=60,
    )
    modules = set(json.loads(told.read_text()))

    assert "bot.cli.main" in modules
    assert modules & unneeded == set()
