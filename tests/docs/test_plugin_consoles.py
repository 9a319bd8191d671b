"""What the page on running plugins shows of a terminal is what a terminal shows."""

from difflib import unified_diff
from pathlib import Path

from tests.docs.scenes.console import CONSOLE_PAGE, console_page


def test_the_commands_on_the_page_print_what_it_shows(tmp_path: Path) -> None:
    shown, now = CONSOLE_PAGE.read_text(encoding="utf-8"), console_page(tmp_path)
    changes = unified_diff(shown.splitlines(), now.splitlines(), "the page", "a terminal")
    assert list(changes) == [], "`just pages` brings it up to date"
