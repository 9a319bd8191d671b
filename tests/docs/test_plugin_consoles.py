"""What pages show of a terminal is what a terminal shows."""

import subprocess
import sys
from difflib import unified_diff
from pathlib import Path

from tests.docs.scenes.console import (
    CONSOLE_PAGE,
    FIRST_PLUGIN_PAGE,
    console_page,
    first_plugin_page,
)

CALL = "import test_plugin; test_plugin.test_greetings_are_counted()"


def changes(page: Path, now: str) -> list[str]:
    shown = page.read_text(encoding="utf-8").splitlines()
    return list(unified_diff(shown, now.splitlines(), "the page", "a terminal"))


def test_the_commands_on_the_page_print_what_it_shows(tmp_path: Path) -> None:
    assert changes(CONSOLE_PAGE, console_page(tmp_path)) == [], "`just pages` mends it"


def test_the_first_plugin_comes_to_be_as_the_page_shows(tmp_path: Path) -> None:
    assert changes(FIRST_PLUGIN_PAGE, first_plugin_page(tmp_path)) == [], "`just pages` mends it"
    # The test that stands on the page passes, too.
    done = subprocess.run(
        [sys.executable, "-B", "-c", CALL],
        cwd=tmp_path / ".papercup" / "plugins" / "greeter",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
