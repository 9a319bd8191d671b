from pathlib import Path

import pytest

from extensions.claude.binary import bundled_claude


@pytest.fixture(scope="session")
def claude() -> Path:
    path = bundled_claude()
    assert path is not None, "the package claude-agent-sdk brings no claude"
    return path
