"""The programs of others get no more than they need, and only those that the operator has."""

import os
import sys
from pathlib import Path

import pytest

from extensions.plugins.packages.errors import FetchError
from extensions.plugins.packages.helpers import HelperRun, is_there, run_helper

PROGRAMS = str(Path(sys.executable).parent)


def _run(folder: Path, script: str, **environment: str) -> str:
    return run_helper(
        HelperRun(
            command=[Path(sys.executable).name, "-c", script],
            cwd=folder,
            home=folder,
            environment={"PATH": PROGRAMS, **environment},
            timeout_seconds=30,
            memory_bytes=256 << 20,
        )
    )


def test_a_program_that_wants_all_memory_fails(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="MemoryError"):
        _run(tmp_path, "bytearray(1 << 30)")


def test_a_folder_of_the_search_path_that_is_not_absolute_plays_no_part(tmp_path: Path) -> None:
    path = os.pathsep.join(["", ".", "node_modules/.bin", PROGRAMS])

    assert _run(tmp_path, "import os; print(os.environ['PATH'])", PATH=path) == PROGRAMS
    assert not is_there(Path(sys.executable).name, {"PATH": os.path.relpath(PROGRAMS)})


def test_a_token_of_the_bot_is_not_passed_on(tmp_path: Path) -> None:
    script = "import os; print(*sorted(os.environ))"

    assert "DISCORD_TOKEN" not in _run(tmp_path, script, DISCORD_TOKEN="x", UV_INDEX_URL="y")
