#!/usr/bin/env python3
"""Makes the README's picture: runs the demo, and takes a picture of what its terminal showed.

It needs a Chromium to draw with: `uv run python scripts/demo_picture.py [PROGRAM]`.
"""

import asyncio
import io
import re
import sys
from pathlib import Path

from rich.console import Console

from simulator.demo.acts import SCENE_COUNT
from simulator.demo.progress import showing_progress
from simulator.demo.text_demo import text_demo
from simulator.picture import draw

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "demo.png"

_COLUMNS = 92
_FONT = "DejaVu Sans Mono, Noto Color Emoji, monospace"


def main() -> int:
    """Run the demo, and draw its picture; returns the exit code."""
    chromium = sys.argv[1] if len(sys.argv) > 1 else "chromium"
    console = Console(
        width=_COLUMNS, record=True, file=io.StringIO(), force_terminal=True, highlight=False
    )
    # Nobody looks on, so there is no line that tells how far it is.
    with showing_progress(Console(file=io.StringIO()), SCENE_COUNT) as progress:
        report = asyncio.run(text_demo([sys.executable, "-m", "bot", "run"], console, progress))
    if not report.ok:
        print("the demo failed; its picture would show that")  # noqa: T201 - a command
        return 1
    svg = console.export_svg(title="papercup demo")
    # The page is drawn offline: rich's own font would have to be fetched.
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL).replace("Fira Code", _FONT)
    width, height = _size(svg)
    style = f"<style>body{{margin:0}}svg{{display:block;height:{height}px}}</style>"
    page = f"<!doctype html><meta charset=utf-8>{style}{svg}"
    draw(page, PICTURE, width_pixels=width, chromium=chromium)
    return 0


def _size(svg: str) -> tuple[int, int]:
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert found is not None, "rich says how large its drawing is"
    return round(float(found[1])), round(float(found[2]))


if __name__ == "__main__":
    sys.exit(main())
