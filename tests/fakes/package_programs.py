"""Where the programs are that bring packages in."""

import os
import shutil
from pathlib import Path

from tests.e2e.discord_js.running import node_command


def with_npm(folder: Path) -> str:
    """Return a PATH on which npm is; its program comes to stand in `folder`."""
    node = Path(node_command()[0])
    script = node.parents[1] / "lib/node_modules/npm/bin/npm-cli.js"
    program = folder / "npm"
    program.write_text(f'#!/bin/sh\nexec "{node}" "{script}" "$@"\n')
    program.chmod(0o755)
    return os.pathsep.join([str(folder), str(node.parent), "/usr/bin", "/bin"])


def with_uv() -> str:
    """Return a PATH on which uv is, by which the tests themselves are run."""
    found = os.environ.get("UV") or shutil.which("uv")
    assert found is not None, "uv is missing: `pip install uv`"
    return os.pathsep.join([str(Path(found).parent), "/usr/bin", "/bin"])
