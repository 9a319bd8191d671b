"""Brings docs/commands up to date: plays a scene for each group of commands with a real bot.

What people see in it is written into the group's page, and drawn as a picture. So is the status
message of a voice line, for the README, and what the commands on the page about running plugins
print. It needs a Chromium to draw with:
`uv run python -m scripts.command_pages [PROGRAM]`.
"""

# ruff: noqa: INP001 - it is run with -m, so that it finds the scenes among the tests

import asyncio
import sys
import tempfile
from pathlib import Path

from simulator.picture import draw
from tests.docs.scenes.console import (
    CONSOLE_PAGE,
    FIRST_PLUGIN_PAGE,
    console_page,
    first_plugin_page,
)
from tests.docs.scenes.pages import (
    LINE_PICTURE,
    page_path,
    picture_path,
    stamped,
    with_transcript,
)
from tests.docs.scenes.performance import PERFORMANCES, perform
from tests.docs.scenes.picture import WIDTH_PIXELS
from tests.docs.scenes.stage import Stage
from tests.docs.scenes.voice_line import perform_line


def main() -> None:
    """Play all scenes, and bring all pages and pictures up to date."""
    chromium = sys.argv[1] if len(sys.argv) > 1 else "chromium"
    for groups in PERFORMANCES:
        with tempfile.TemporaryDirectory(prefix="papercup-pages-") as folder:
            stages = asyncio.run(perform(groups, Path(folder)))
        for group, stage in stages.items():
            _bring_up_to_date(group, stage, chromium)
    with tempfile.TemporaryDirectory(prefix="papercup-pages-") as folder:
        line = asyncio.run(perform_line(Path(folder)))
    draw(line.page(), LINE_PICTURE, width_pixels=WIDTH_PIXELS, chromium=chromium)
    for path, played in ((CONSOLE_PAGE, console_page), (FIRST_PLUGIN_PAGE, first_plugin_page)):
        with tempfile.TemporaryDirectory(prefix="papercup-pages-") as folder:
            path.write_text(played(Path(folder)), encoding="utf-8")


def _bring_up_to_date(group: str, stage: Stage, chromium: str) -> None:
    page, picture, transcript = page_path(group), picture_path(group), stage.transcript()
    text = page.read_text(encoding="utf-8")
    page.write_text(with_transcript(text, group, transcript), encoding="utf-8")
    draw(stage.page(), picture, width_pixels=WIDTH_PIXELS, chromium=chromium)
    picture.write_bytes(stamped(picture.read_bytes(), transcript))


if __name__ == "__main__":
    main()
