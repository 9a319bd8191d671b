#!/usr/bin/env python3
"""Makes the picture of plugins: runs their demo, and takes a picture of what Alice sees in it.

It needs a Chromium to draw with: `uv run python scripts/plugins_picture.py [PROGRAM]`.
"""

import asyncio
import io
import sys
from pathlib import Path

from rich.console import Console

from simulator.demo.plugins_acts import SCENE_COUNT
from simulator.demo.plugins_demo import plugins_demo
from simulator.demo.progress import showing_progress
from simulator.picture import draw

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "images" / "plugins.png"

_WIDTH_PIXELS = 720


def main() -> int:
    """Run the demo, and draw its picture; returns the exit code."""
    chromium = sys.argv[1] if len(sys.argv) > 1 else "chromium"
    pages: list[str] = []
    # Nobody looks on.
    console = Console(file=io.StringIO())
    with showing_progress(console, SCENE_COUNT) as progress:
        demo = plugins_demo(
            [sys.executable, "-m", "bot"],
            console,
            progress,
            examples=ROOT / "examples" / "plugins",
            take_picture=pages.append,
        )
        report = asyncio.run(demo)
    if not report.ok or not pages:
        wrong = [f"{check.name}: {check.detail}" for check in report.checks if not check.ok]
        print("the demo failed; its picture would show that", *wrong, sep="\n")  # noqa: T201 - a command
        return 1
    draw(pages[0], PICTURE, width_pixels=_WIDTH_PIXELS, chromium=chromium)
    return 0


if __name__ == "__main__":
    sys.exit(main())
